#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that count, where functions begin oddly: before the program is relocated, in what the resolver of an indirect
# function calls; and under a name of an assembler label.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >resolver.c <<'END'
static int hits;
__attribute__((noinline)) static int probe(int x) { return x + 1; }
static int fast(int x) { hits++; return x * 3; }
static int slow(int x) { return x * 5; }
static void *resolve(void) { return probe(0) ? (void *)fast : (void *)slow; }
int work(int x) __attribute__((ifunc("resolve")));
int renamed(int x) __asm__("linkname");
__attribute__((noinline)) int renamed(int x) { return work(x) + 1; }
int main(int argc, char **argv)
{
	int sum = 0;
	(void)argv;
	for (int i = 0; i < 10; i++)
		sum += renamed(i + argc);
	return hits == 10 && sum == 175 ? 0 : 1;
}
END
links=("")
echo 'int main(void) { return 0; }' >s.c
! $CC -static s.c -o s 2>/dev/null || links+=(-static)
for what in context paths paths,cycles paths,context; do
	flags=$("$PATHFDO" cflags --cc="$CC" --instrument=$what)
	for link in "${links[@]}"; do
		for program in resolver; do
			# shellcheck disable=SC2086 # options
			$CC -O2 -g $link $flags $program.c -o $program 2>said || fail "$program with $what $link: $(cat said)"
			rm -rf out && mkdir out
			got=0
			PATHFDO_OUTPUT=$T/out ./$program || got=$?
			check_eq "status of $program with $what $link" $got 0
		done
	done
done
rm -rf out && mkdir out
# shellcheck disable=SC2046 # options
$CC -O2 -g $("$PATHFDO" cflags --cc="$CC" --instrument=paths,context) resolver.c -o resolver
PATHFDO_OUTPUT=$T/out ./resolver
"$PATHFDO" paths --exact --json out/*.paths 2>/dev/null >paths.json || "$PATHFDO" context --json out/*.context >paths.json
grep -q '"linkname"' paths.json || fail "the name of the label is not there: $(head -c 300 paths.json)"
! grep -q '"\*linkname"' paths.json || fail "the label's name has GCC's mark"
