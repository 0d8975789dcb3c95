#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# With -flto: what the profiled program had inlined into each other and is not inlined so again, down to a loop of which
# hardly a look saw how it was come to.  Each function runs as often as it is called, and the outermost, in which nothing of
# its own was seen, once at least: so whatever is inlined into whatever, the loop stays what it was.  Expected counts are by
# hand, as ratios.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
# dumped NAME: the lines of symbol NAME in the call graph that the annotation leaves.
dumped() { awk -v name="$1/" '/^[^ ]/ { on = index($0, name) == 1 } on' ./*i.pathfdo; }
# count_of NAME: its count, nothing for one that is only guessed.
count_of() { dumped "$1" | sed -n 's/.*Function flags:.*count:\([0-9]*\) (adjusted).*/\1/p'; }
# calls_of NAME: the counts of its calls together, without what is only guessed.
calls_of() {
	dumped "$1" | grep -o 'Called by:.*' | grep -oE '\([0-9]+ \(adjusted\)' | awk -F '[( ]' '{ n += $2 } END { print n + 0 }'
}

cat >chain.c <<'END'
__attribute__((noipa)) static int turn(int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += a[i] * n;
	return s;
}
__attribute__((noinline)) static int stage(int *a, int n)
{
	if (n < 0)
		return -1;
	return turn(a, n);
}
int all(int *a, int n, int rounds)
{
	int s = 0;
	for (int r = 0; r < rounds; r++)
		s ^= stage(a, n);
	return s;
}
int never(int *a, int n)
{
	return turn(a, n) + 1;
}
END
# Nothing is known of what stage does but that it tests and calls: the call has no place of its own.
profile() {
	cat <<END
pathfdo-profile 1
unit executions
function all chain.c:14 head 0 total $((400000 + $1 + $2))
  4:8 count 0
  inline @1 stage chain.c:8 at 4:8 entries $1
    2:5 count $1
    3:10 count 0
    inline @2 turn chain.c:1 at 4:9 entries $2
      3:2.1 count 200000
      4:3 count 200000
      5:9 count $2
END
}
echo 'int none;' >none.c
$CC -O2 -flto -c none.c 2>messages || skip "this compiler has no -flto: $(head -n 1 messages)"
# consistent STAGE TURN: with so many entries of these in the profile.
consistent() {
	local name
	profile "$1" "$2" >chain.txt
	"$PATHFDO" show --from-text chain.txt -o p.pfdo
	rm -f ./*i.* ./*t.*
	$CC -O2 -g -flto -ffat-lto-objects -fchecking=1 -fdump-ipa-all -fdump-tree-fixup_cfg -fplugin="$PLUGIN" \
		-fplugin-arg-pathfdo-profile="$T/p.pfdo" -c chain.c 2>messages || fail "chain.c: $(grep -m 1 error messages)"
	check_eq "what is said of chain.c" "$(cat messages)" ""
	check_within "entries of all with $1 and $2" "$(count_of all)" 1 1e9
	for name in stage turn; do
		check_eq "calls of $name for its entries with $1 and $2" "$(calls_of $name)" "$(count_of $name)"
	done
	last=$(find . -name '*t.fixup_cfg*' | sort | tail -n 1)
	loop=$(sed -n '/^int turn/,/^}/s/.*<bb [0-9]*> \[count: \([0-9]*\)\].*/\1/p' "$last" | sort -rn | head -n 1)
	turns=$(awk "BEGIN { print $loop / $(count_of turn) }")
}
consistent 7 20
check_within "turns for each entry of turn" "$turns" 5000 30000
consistent 20 7
check_within "turns for each entry of turn, which was seen less than stage" "$turns" 5000 30000
consistent 0 0
check_within "turns for each entry of turn, of which no look saw any" "$turns" 30000 1e12

# The same across units, by the profile of a program without it: nothing was seen of main, which is not cold for
# that, as it alone can have called run, of another unit, in which the program spent its time.
cat >far.c <<'END'
int run(int *a, int *b, int n)
{
	int s = 0;
	for (int k = 0; k < n; k++)
		for (int i = 0; i < 3; i++)
			s += a[i * 7] * b[s & 7];
	return s;
}
END
cat >near.c <<'END'
/* Declared elsewhere than it is defined. */
int run(int *, int *, int);
int other(int x)
{
	return x * 3;
}
int main(int argc, char **argv)
{
	static int a[32], b[8];
	if (argc < 2)
		return other(argc);
	return run(a, b, argc * 1000) & argv[0][0];
}
END
cat >far.txt <<'END'
pathfdo-profile 1
unit executions
agreement looks 1000 square 0
function run far.c:1 head 0 total 800010
  3 count 100000
  4 count 400000
  5 count 300000
  6 count 0
function other near.c:3 head 10 total 10
  2 count 10
END
"$PATHFDO" show --from-text far.txt -o p.pfdo
use=(-fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo")
for unit in far near; do
	rm -f ./*i.*
	$CC -O2 -g -flto -fdump-ipa-all "${use[@]}" -c $unit.c 2>messages || fail "$unit.c: $(grep -m 1 error messages)"
	check_eq "what is said of $unit.c" "$(cat messages)" ""
	[ $unit = far ] || break
	entered=$(count_of run)
done
check_within "entries of main, for those of run" "$(awk "BEGIN { print $(count_of main) / $entered }")" 0.5 2
check_within "calls of run, for its entries" "$(awk "BEGIN { print $(calls_of run) / $entered }")" 0.2 1
$CC -O2 -g -flto=1 -fopt-info-loop-optimized "${use[@]}" far.o near.o -o far 2>messages || fail "no link: $(tail -n 1 messages)"
grep -q 'far.c:5:.*completely unrolled' messages || fail "the loop of run is cold where it is inlined: $(cat messages)"
