#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A hand-written profile of a loop of 640 rounds: block counts at the annotation point, replayed inlining, promotion
# of an indirect call, coldness, determinism, and the report.
set -eu
. "$(dirname "$0")/lib.sh"
cp "$TOP/testsuite/programs/plugin-loop.c" "$T/loop.c"
cd "$T"
line() { grep -n -m1 "$1" loop.c | cut -d: -f1; }
at() { echo $(($(line "$1") - $2)); }
W=$(line '^int work') M=$(line '^static int mix') R=$(line '^int refuse') T2=$(line 'int twice') T3=$(line 'int thrice')
cat >profile.txt <<EOF
pathfdo-profile 1
unit executions
function work loop.c:$W head 100 total 5120000
  $(at 'if (rounds < 0)' "$W") count 100
  $(at 'return refuse' "$W") count 0
  $(at 'for (int round' "$W") count 64000
  $(at 'value += operations' "$W") count 64000
    call twice 57600
    call thrice 6400
  $(at 'return value;' "$W" | head -1) count 100
  inline @1 mix loop.c:$M at $(at 'value = mix' "$W") entries 64000
    $(at 'round % 64' "$M") count 64000
    $(at 'value \* 31' "$M") count 1000
    $(at 'value << 3' "$M") count 192000
    $(at 'value << 2' "$M") count 192000
function twice loop.c:$T2 head 57600 total 115200
  2 count 57599
  3:1 count 57601
function thrice loop.c:$T3 head 6400 total 6400
  2 count 6400
EOF
"$PATHFDO" show --from-text profile.txt -o app.pfdo
USE=(-fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo")

$CC -O2 -g "${USE[@]}" -fplugin-arg-pathfdo-report="$T/report" -fdump-tree-fixup_cfg3-blocks-details -c loop.c -o a.o
# Blocks of work: entry 100, loop 64000, whatever unit they are written in.
ratio=$(sed -n '/^;; Function work /,/^;; Function [^w]/p' *fixup_cfg3 |
	sed -n 's/^;;   basic block [0-9]*, .*count \([0-9]*\) .*/\1/p' |
	awk 'NR == 1 { first = $1 } $1 == first * 640 { n++ } $1 > first * 700 { over++ }
	     END { print (n >= 2 ? "loop" : "none"), (over ? "over" : "") }')
check_eq "blocks that run 640 times for each entry, and the inlined loops" "$ratio" "loop over"
grep -q '^{"inlined":"mix","into":"work","entries":64000}' report || fail "mix was not inlined again: $(cat report)"
grep '"function":"work"' report | grep -q '"found":"matched".*"replayed":1,"promoted":1' ||
	fail "the report's line of work: $(grep work report)"
grep -q '"function":"spare".*"found":"unmatched"' report || fail "spare is unmatched"
tail -1 report | grep -q '^{"unit":"loop.c","matched":3,"stale":0,' || fail "totals: $(tail -1 report)"

# The indirect call is guarded by a comparison with its usual target, which is thereby called directly or inlined.
$CC -O2 -g "${USE[@]}" -fdump-ipa-profile_estimate -c loop.c -o b.o
grep -q 'Indirect call -> direct call.*twice' *profile_estimate || fail "no promotion to twice"

# One input, one object, whatever the environment and the addresses; of the very same plugin (a copy, as a build may
# replace the other meanwhile).
mkdir same
cp "$B"/pathfdo*.so same
for i in 1 2 3 4 5 6; do
	PADDING=$(printf "%$((i * 777))s" x) $CC -O$((2 + i % 2)) -g -fplugin=same/pathfdo.so \
		-fplugin-arg-pathfdo-profile="$T/app.pfdo" -c loop.c -o same/$i.o
	[ $i -le 2 ] || cmp same/$i.o same/$((i - 2)).o || {
		objdump -h same/$i.o >a.sections && objdump -h same/$((i - 2)).o | diff a.sections - || true
		fail "two compiles of one input differ"
	}
done
grep -q 'Indirect call -> direct call.*thrice' *profile_estimate &&
	grep -q 'probability is too low' *profile_estimate || fail "thrice should be too rare to promote"

# What never ran in a function that ran much leaves the hot section.
readelf -SW a.o | grep -q '\.text\.unlikely' || fail "there is no cold section"
objdump -d -j .text.unlikely a.o | grep -q '<work.cold' || fail "the error path of work is not cold"

$CC -O2 -g "${USE[@]}" loop.c -o new
$CC -O2 -g loop.c -o old
check_eq "output" "$(./new 5000)" "$(./old 5000)"
check_eq "the error path's output" "$(./new -3 2>&1)" "$(./old -3 2>&1)"
for flags in -O3 "-O2 -flto" "-O2 -fno-inline" -Os "-O2 -g0" -O0; do
	$CC $flags "${USE[@]}" loop.c -o other || fail "does not compile with $flags"
	check_eq "output with $flags" "$(./other 5000)" "$(./old 5000)"
done

# From GCC 13 on: what two arms have in common, merged, is at the place of one of them, though it went the other way (nearly)
# every time, as the call in it tells.
cat >got.c <<'EOF'
void *find(int), *make(int);
void *get(int key)
{
	void *at = find(key);
	if (!at)
		at = make(key);
	return at;
}
EOF
for calls in 0 9; do
	{
		printf 'pathfdo-profile 1\nunit executions\nfunction get got.c:2 head 1000 total 4000\n  2:13 count 1000\n'
		for column in 2 5 6; do
			printf '  3:%d count 1000\n    taken 4:8.1 1000\n' $column
		done
		printf '  4:8 count %d\n  4:8.1 count 1000\n  5:9 count 1000\n' $calls
	} | "$PATHFDO" show --from-text - -o got.pfdo
	$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/got.pfdo" -fdump-tree-fixup_cfg3 -c got.c
	made=$(grep -A 1 'if (at.* == 0' got.c*fixup_cfg3 | sed -n 's/.*\[\([0-9.]*\)%\]/\1/p')
	[ "$($CC -dumpversion | cut -d. -f1)" -lt 13 ] || check_within "part of the calls that make, $calls seen" "$made" 0 1
done
