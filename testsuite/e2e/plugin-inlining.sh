#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is inlined, by a hand-written profile.  Again is inlined what had one call, on the caller's main road; a body with
# several calls and one that most runs pass by are left to GCC's inliner.  That takes the hot call of these, and not the
# one that was seen twice, though the highest count is below 10000.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >calls.c <<'END'
extern int values[64];
static inline int many(int x)
{
	for (int i = 0; i < 60; i++)
		x = x * 31 + values[(x + i) & 63] % 13;
	return x ^ values[x & 63];
}
static int only(int x)
{
	for (int i = 0; i < 50; i++)
		x = x * 29 + values[(x - i) & 63] % 11;
	return x + values[x & 31];
}
static int aside(int x)
{
	for (int i = 0; i < 40; i++)
		x = x * 27 + values[(x + i) & 63] % 7;
	return x - values[x & 15];
}
int busy(int x)
{
	return many(x) + 1;
}
int calm(int x)
{
	if (x > 5)
		return x;
	return many(x) + 2;
}
int road(int x)
{
	if (x > 9)
		return aside(x);
	return only(x) + 3;
}
END
cat >profile.txt <<'END'
pathfdo-profile 1
unit executions
function busy calls.c:20 head 6000
  2 count 6000
  inline @1 many calls.c:2 at 2:9 entries 6000
    2 count 6000
    3 count 6000
    4 count 6000
function calm calls.c:24 head 6000
  2 count 6000
  3 count 5998
  4 count 2
  inline @1 many calls.c:2 at 4:9 entries 2
    2 count 2
    3 count 2
    4 count 2
function road calls.c:30 head 6000
  2 count 6000
  3 count 900
  4 count 5100
  inline @1 only calls.c:8 at 4:9 entries 5100
    2 count 5100
    3 count 5100
    4 count 5100
  inline @2 aside calls.c:14 at 3:10 entries 900
    2 count 900
    3 count 900
    4 count 900
function seldom other.c:1 head 1
  1 count 1
END
"$PATHFDO" show --from-text profile.txt -o p.pfdo
$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-report="$T/report" \
	-fopt-info-inline-all=inliner -c calls.c
# told CALLEE CALLER: what became of the call at the annotation.
told() { sed -n "s/^{\"\([a-z]*\)\":\"$1\",\"into\":\"$2\".*/\1/p" report; }
check_eq "the only call, on the main road" "$(told only road)" inlined
check_eq "a call of a body with several" "$(told many busy)" refused
check_eq "a call that most runs pass by" "$(told aside road)" refused
check_eq "bodies that were inlined again" "$(tail -1 report | sed 's/.*"replayed":\([0-9]*\).*/\1/')" 1

# GCC's inliner decides by the counts: those of each callee are its callers' sum.
grep -q 'optimized: *Inlined many/.* into busy/' inliner || fail "the hot call of many stays: $(grep many inliner)"
grep -q 'calm/.* -> .*many/.*, call is unlikely' inliner || fail "the call that was seen twice is not cold: $(grep many inliner)"
