#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A function whose early return is split from a loop: where both are inlined the loop has the turns that it had, 379 in
# one of eight calls.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >s.c <<'END'
#include <stdio.h>
int board[400];
static void mark(int *eyes, int color)
{
	if (!eyes)
		return;
	for (int pos = 21; pos < 400; pos++)
		if (board[pos] != 3)
			eyes[pos] = color;
}
__attribute__((noipa)) void both(int *a, int *b)
{
	mark(a, 1);
	mark(b, 2);
}
int main(void)
{
	static int eyes[400];
	for (int i = 0; i < 100000; i++)
		both(i % 4 ? NULL : eyes, NULL);
	printf("%d\n", eyes[30]);
}
END
cat >p.txt <<'END'
pathfdo-profile 1
unit executions
function mark s.c:3 head 200000
  2:6 count 200000
    taken 7:1 175000
    fell 4:25 25000
  4:25 count 9500000
    taken 5:7 9475000
    fell 7:1 25000
  5:7 count 9475000
    fell 6:14 9475000
  6:14 count 9475000
function both s.c:11 head 100000
  2:2 count 100000
    call mark 100000
  3:2 count 100000
    call mark 100000
function main s.c:16 head 1
  4:3 count 100000
    call both 100000
END
"$PATHFDO" show --from-text p.txt -o p.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fdump-tree-feedback_fnsplit-details="$T/split" \
	-fdump-tree-optimized-blocks-details="$T/optimized" -c s.c -o s.o 2>messages || fail "$(cat messages)"
check_eq "what is said" "$(cat messages)" ""
grep -q '^Splitting function' split || skip "this GCC does not split the function"
sed -n '/^;; Function both /,/^;; Function main /s/.*basic block [0-9]*, loop depth \([0-9]*\), count \([0-9]*\).*/\1 \2/p' \
	optimized >counts
entered=$(awk '$1 == 0 { print $2; exit }' counts)
# The body of the loop in each of two copies, 25,000 * 379 runs of 200,000 calls: 47.375 a call.
awk -v entered="$entered" '$1 == 1 && $2 > most { most = $2 } END { printf "%.0f\n", most / entered * 1000 }' counts >turns
check_within "thousandths of a turn of the loop in each call" "$(cat turns)" 45000 50000
