#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Debug information with lines and without declarations, as of clang's -gline-tables-only: it is told that no build can use
# the counts; likewise without the lines of inlined calls, as of -gdwarf-2 -gstrict-dwarf.  What a compiler makes of a loop
# for threads has no declaration, and no fault.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
cd "$T"
cat >work.c <<'END'
static unsigned a[100];
static inline unsigned step(unsigned v, unsigned i)
{
	return v % 3 ? v * 5 + i : v / 3 + i;
}
int main(void)
{
#pragma omp parallel for num_threads(1)
	for (int j = 0; j < 100; j++) {
		for (unsigned i = 0; i < 1000; i++)
			a[j] = step(a[j], i);
	}
	return a[7] == 12345;
}
END
warning='does not say where they are declared'
share() { sed -nE 's/.*"undeclared": ([0-9]+).*/\1/p' "$1" | awk '{ sum += $1 } END { print sum + 0 }'; }

"$CC" -O2 -g -fopenmp work.c -o threads 2>said || skip "no OpenMP: $(head -n 1 said)"
exact "$T/threads"
"$PATHFDO" convert --json -b threads threads.data -o threads.pfdo >threads.json 2>said || fail "$(cat said)"
! grep -q "$warning" said || fail "of an outlined loop: $(cat said)"
"$PATHFDO" show --text threads.pfdo | grep -q '^function main._omp_fn.0 ' || fail "the loop is not a function of its own"
check_eq "branches of an outlined loop without a declaration" "$(share threads.json)" 0

strict='inlined calls the debug information does not say where they are'
! grep -q "$strict" said || fail "of calls that have lines: $(cat said)"
"$CC" -O2 -gdwarf-2 -gstrict-dwarf work.c -o strict
exact "$T/strict"
"$PATHFDO" convert --json -b strict strict.data -o strict.pfdo >strict.json 2>said || fail "$(cat said)"
grep -q "strict: of 1 of its 1 $strict" said || fail "calls without lines are not told: $(cat said)"

command -v clang >/dev/null || skip "clang is not installed: GCC's debug information was tried only"
clang -O2 -gline-tables-only work.c -o whole
strip -o lines whole # valgrind cannot read all debug information
exact "$T/lines"
"$PATHFDO" convert --json -b lines=whole lines.data -o lines.pfdo >lines.json 2>said || true
grep -q "lines: [0-9.]*% of its branches are in functions whose debug information $warning" said || fail "not told: $(cat said)"
check_within "branches without a declaration" "$(share lines.json)" 90000 10000000
