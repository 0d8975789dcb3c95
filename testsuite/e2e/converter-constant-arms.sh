#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Both arms of `local ? 15 : allocated` stand at the condition's own place, where a C++ string asks for its capacity.  To
# the compiler the constant is the value of an edge, and the load is a block: the way to the constant is named by where
# both lead, the way to the load by its own place, whichever of them the compiler has put out of line.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the arms are x86-64 code"
cd "$T"

# The places are those of the comments.
cat >arms.c <<'END'
long stay = 40, sum;
__attribute__((noipa)) void load_in_line(long local)
{
	long out = 0; /* 2:8 the condition and its arms */
	__asm__ volatile(".loc 1 4 8\n\ttestq %1, %1\n\tjne 1f\n\tmovq %2, %0\n"
			 "2:\t.loc 1 6 3\n\taddq %0, sum(%%rip)\n\tjmp 3f\n" /* 4:3 where they meet */
			 "1:\t.loc 1 4 8\n\tmovl $15, %k0\n\tjmp 2b\n3:" : "+r"(out) : "r"(local), "m"(stay) : "memory");
}
__attribute__((noipa)) void constant_in_line(long local)
{
	long out = 0; /* 2:8 */
	__asm__ volatile(".loc 1 11 8\n\ttestq %1, %1\n\tje 1f\n\txorl %k0, %k0\n"
			 "2:\t.loc 1 13 3\n\taddq %0, sum(%%rip)\n\tjmp 3f\n" /* 4:3 */
			 "1:\t.loc 1 11 8\n\tmovq %2, %0\n\tjmp 2b\n3:" : "+r"(out) : "r"(local), "m"(stay) : "memory");
}
__attribute__((noipa)) void two_loads(long local)
{
	long out = 0; /* 2:8 */
	__asm__ volatile(".loc 1 18 8\n\ttestq %1, %1\n\tje 1f\n\tmovq %2, %0\n"
			 "2:\t.loc 1 20 3\n\taddq %0, sum(%%rip)\n\tjmp 3f\n" /* 4:3 */
			 "1:\t.loc 1 18 8\n\tmovq %2, %0\n\tjmp 2b\n3:" : "+r"(out) : "r"(local), "m"(stay) : "memory");
}
int main(void)
{
	for (int i = 0; i < 700; i++) {
		load_in_line(i % 7 == 0);
		constant_in_line(i % 7 == 0);
		two_loads(i % 7 == 0);
	}
	return sum == 0;
}
END
"$CC" -O1 -g arms.c -o arms
exact "$T/arms"
convert "$T/arms"
# ways FUNCTION: "PLACE COUNT" of each way of its condition, the more frequent first.
ways() { awk -v name="$1" '$1 == "function" { on = $2 == name } on && ($1 == "taken" || $1 == "fell") { print $2, $3 }' arms.txt | xargs; }
check_eq "ways with the load in line" "$(ways load_in_line)" "2:8 600 4:3 100"
check_eq "ways with the constant in line" "$(ways constant_in_line)" "2:8 600 4:3 100"
# Of two alike nobody knows which is which; the counts are all there.
check_eq "counts with two loads" "$(ways two_loads | tr ' ' '\n' | grep -v : | sort -n | xargs)" "100 600"
