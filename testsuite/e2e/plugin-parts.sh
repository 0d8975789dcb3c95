#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A function that ran by itself and as an instance in another file, where the last call and the test left no code.  Each
# by itself is plain: the arm ran 100 times of 1000 here, and 900 times of 1000 there.  Added up position by position,
# half of the statements would say that the function ran 1000 times, as often as the arm.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >pick.c <<EOF
int before(int), odd(int), after(int);
int pick(int x)
{
	int r = before(x);
	if (x & 1)
		r += odd(r);
	after(r);
	return r;
}
EOF
cat >profile.txt <<EOF
pathfdo-profile 1
unit executions
function pick pick.c:2 head 1000 total 3100
  2 count 1000
  3 count 1000
  4 count 100
  5 count 1000
function elsewhere other.c:1 head 1000 total 2900
  1 count 1000
  inline @1 pick pick.c:2 at 2 entries 1000
    2 count 1000
    4 count 900
EOF
"$PATHFDO" show --from-text profile.txt -o app.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fdump-tree-fixup_cfg3-blocks-details -c pick.c
# The counts of the blocks in percent of the first.
shares=$(sed -n 's/^;;   basic block [0-9]*, .*count \([0-9]*\) .*/\1/p' pick.c.*fixup_cfg3 |
	awk 'NR == 1 { first = $1 } { printf "%s%.0f", (NR > 1 ? " " : ""), 100 * $1 / first }')
check_eq "shares of the blocks" "$shares" "100 50 100"

# What the profiled binary had inlined of a recursive function into itself: 10 entries, from which 30 calls were inlined and from
# these another 60, are 100 entries of the function, and nothing is lost.
cat >turn.c <<EOF
int leaf(int);
int turn(int n)
{
	if (n < 2)
		return leaf(n);
	return turn(n - 1) ^ turn(n - 3);
}
EOF
cat >profile.txt <<EOF
pathfdo-profile 1
unit executions
function turn turn.c:2 head 10
  2 count 10
  3 count 1
  4 count 9
  inline @1 turn turn.c:2 at 4:9 entries 30
    2 count 30
    3 count 10
    4 count 20
    inline @2 turn turn.c:2 at 4:9 entries 60
      2 count 60
      3 count 40
      4 count 20
EOF
"$PATHFDO" show --from-text profile.txt -o app.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-report=report -c turn.c
check_eq "entries and instances of a recursive function" \
	"$(sed -n 's/.*"function":"turn".*"head":\([0-9]*\),.*"merged":\([0-9]*\),.*/\1 \2/p' report)" "100 2"
check_eq "what is lost" "$(grep '"lost"' report)" ""
