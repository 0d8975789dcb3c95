#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An interrupted comparison leaves nothing running, and goes on where it was.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare-lib.sh"
run() {
	exec "$PATHFDO" compare --source="$T/src" --work="$T/work" --json="$T/out.json" --program=prog --pairs=4 --build="$BUILD" \
		--variants=base,flags --train='"$PROGRAM" 500' --ref='"$PROGRAM" 1000; ! grep -q "round 3" '"$T"'/progress || sleep $(cat '"$T"'/slow)' \
		2>"$T/progress" >"$T/table"
}
hangs() {
	pgrep -f "sleep 601.$$" >/dev/null
}
nothing_left() {
	for ((i = 0; i < 300; i++)); do
		hangs || return 0
		sleep 0.1
	done
	fail "after $1 something still runs: $(pgrep -af "sleep 601.$$")"
}

# Interrupted, and killed, in the third round, the first run of which takes long.
for signal in INT KILL; do
	rm -rf "$T/work" "$T/builds"
	echo 601.$$ >"$T/slow"
	(run) &
	while kill -0 $! 2>/dev/null && ! hangs; do
		sleep 0.1
	done
	kill -$signal $!
	status=0
	{ wait $!; } 2>/dev/null || status=$?
	[ $signal = KILL ] || check_eq "status after SIG$signal" $status 130
	[ $signal = KILL ] || grep -q 'interrupted; the same command goes on from here' "$T/progress" || fail "says $(tail -n 1 "$T/progress")"
	nothing_left "SIG$signal"
	[ ! -e "$T/out.json" ] || fail "an interrupted comparison wrote its JSON"
	check_eq "rounds that are kept" "$("$B/tools/jsonget" "$T/work/steps/times-1.json" result length)" 2
	"$B/tools/jsonget" "$T/work/steps/times-1.json" result 1 base seconds >"$T/second"
	echo 0.01 >"$T/slow"
	(run)
	check_eq "builds" "$(wc -l <"$T/builds")" 2
	check_eq "rounds after SIG$signal" "$(found noise length)" 4
	check_eq "the second round" "$(found noise 1 0)" "$(cat "$T/second")"
	! grep -q 'building\|round [12] ' "$T/progress" || fail "was done again: $(cat "$T/progress")"
	rm "$T/out.json"
done

# What a step depends on changes: it is done again, and only it.
: >"$T/builds"
sed -i 's/64/65/' "$T/src/main.c"
(run)
check_eq "builds after a change of the sources" "$(wc -l <"$T/builds")" 2
: >"$T/builds"
"$PATHFDO" compare --source="$T/src" --work="$T/work" --program=prog --pairs=1 --build="$BUILD" --variants=base,flags \
	--train='"$PROGRAM" 501' --ref='"$PROGRAM" 100' --json="$T/out.json" 2>"$T/progress" >"$T/table"
check_eq "builds after another training" "$(wc -l <"$T/builds")" 0
grep -q 'training run of flags' "$T/progress" || fail "another training command was not run"
"$PATHFDO" compare --again --source="$T/src" --work="$T/work" --program=prog --pairs=1 --build="$BUILD" --variants=base,flags \
	--train='"$PROGRAM" 501' --ref='"$PROGRAM" 100' 2>"$T/progress" >"$T/table"
check_eq "builds with --again" "$(wc -l <"$T/builds")" 2

# A variant that was in place when the machine went down is found again.
mv "$T/work/variants/flags" "$T/work/build"
printf flags >"$T/work/build/.pathfdo-variant"
"$PATHFDO" compare --source="$T/src" --work="$T/work" --program=prog --pairs=1 --build="$BUILD" --variants=base,flags \
	--train='"$PROGRAM" 501' --ref='"$PROGRAM" 100' 2>"$T/progress" >"$T/table"
check_eq "builds after a lost place" "$(wc -l <"$T/builds")" 2
# A journal that is damaged counts as none.
echo '{' >"$T/work/steps/build-flags.json"
"$PATHFDO" compare --source="$T/src" --work="$T/work" --program=prog --pairs=1 --build="$BUILD" --variants=base,flags \
	--train='"$PROGRAM" 501' --ref='"$PROGRAM" 100' 2>"$T/progress" >"$T/table"
check_eq "builds after damage" "$(wc -l <"$T/builds")" 3

# Two at a time in one folder are refused.
flock "$T/work/lock" -c "! '$PATHFDO' compare --source='$T/src' --work='$T/work' --program=prog --build=true --train=true \
	--ref=true 2>'$T/said'" || fail "two comparisons work in one folder"
grep -q 'another comparison is at work' "$T/said" || fail "says $(cat "$T/said")"
