#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Of `return n` the compiler may leave nothing but a jump, behind an arm that never runs: the ways that do run have the
# value at its place already.  That the jump never ran does not say that the statement did not.  A jump that ran says
# how often, and an arm that did not run is known by its other code.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the jumps are x86-64 code"
cd "$T"

# The places are those of the comments, relative to the line of next.
cat >jumps.c <<'END'
long sum;
__attribute__((noipa)) void next(long rare)
{
	__asm__ volatile(".loc 1 4 8\n\ttestq %0, %0\n\tjne 1f\n" /* 2:8 the condition */
			 ".loc 1 5 3\n\taddq $1, sum(%%rip)\n"	      /* 3:3 the arm that runs */
			 ".loc 1 6 3\n\tjmp 2f\n"		      /* 4:3 its jump */
			 "1:\t.loc 1 7 5\n\taddq $2, sum(%%rip)\n"    /* 5:5 the arm that may not */
			 ".loc 1 8 9\n\tjmp 2f\n"		      /* 6:9 its jump */
			 "2:\t.loc 1 9 3\n\taddq $4, sum(%%rip)\n"    /* 7:3 where they meet */
			 : : "r"(rare) : "memory", "cc");
}
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 4000; i++)
		next(argc > 1 && i % 4 == 0);
	return sum == 1;
}
END
# counts: "PLACE COUNT" of the statements of next that are above.
counts() { awk '$1 == "function" { on = $2 == "next" } on && $1 ~ /^(3:3|4:3|5:5|6:9|7:3)$/ && $2 == "count" { print $1, $3 }' jumps.txt | xargs; }

"$CC" -O1 -g jumps.c -o jumps
exact "$T/jumps"
convert "$T/jumps"
check_eq "where the second arm never ran" "$(counts)" "3:3 4000 4:3 4000 5:5 0 7:3 4000"
exact "$T/jumps" also
convert "$T/jumps"
check_eq "where it ran" "$(counts)" "3:3 3000 4:3 3000 5:5 1000 6:9 1000 7:3 4000"
