#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Clang's -fbasic-block-sections: each block is a section and a range of its own, the first block's comes last in the debug
# information, and the linker may put the blocks in any order.  The program's own numbers of calls are the entries.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
command -v clang >/dev/null || skip "clang is not installed"
command -v ld.lld >/dev/null || skip "lld is not installed"
cat >"$T/prog.c" <<'END'
__attribute__((noinline)) static unsigned collatz(unsigned n)
{
	unsigned steps = 0;

	while (n != 1) {
		if (n % 2)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

__attribute__((noinline)) static unsigned pick(unsigned n)
{
	return n % 3 ? collatz(n) + 1 : collatz(n + 1) ^ 5;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned n = 1; n <= 600; n++) {
		sum += pick(n);
		if (n % 4 == 0)
			sum += collatz(n);
	}
	return sum == 0;
}
END
clang -O1 -gdwarf-4 -fuse-ld=lld -fbasic-block-sections=all "$T/prog.c" -o "$T/whole" 2>"$T/said" || skip "clang: $(head -n 1 "$T/said")"
[ "$(nm "$T/whole" | grep -c 'collatz\.__part')" -gt 1 ] || skip "this clang makes no sections of blocks"
strip -g -o "$T/prog" "$T/whole" # valgrind cannot read all debug information
exact "$T/prog"
"$PATHFDO" convert -b "prog=$T/whole" "$T/prog.data" -o "$T/p.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
"$PATHFDO" show --text "$T/p.pfdo" >"$T/shown"
entries() {
	sed -nE "s/^function $1 .* head ([0-9]+) .*/\1/p" "$T/shown"
}
check_eq "entries of pick" "$(entries pick)" 600
check_eq "entries of collatz" "$(entries collatz)" 750
