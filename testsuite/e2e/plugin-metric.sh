#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What paths and calls take of an event of the processor, by a stand-in for counter and kernel that counts what the program says:
# each path has its own, what is called has the rest, in threads and children too; a machine without the counter is told in one
# line, and executions are counted all the same; and what does not fit together is refused or left out, and said.
set -eu
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "jq is not installed"
[ "$(cat /sys/bus/event_source/devices/cpu*/rdpmc 2>/dev/null | sort | tail -n 1)" != 2 ] || skip "here every program may read counters"
fake rdpmc
P=$TOP/testsuite/programs

# build WHAT OUT OPTION...: $T/OUT, which counts WHAT.
build() {
	local what=$1 out=$2
	shift 2
	# shellcheck disable=SC2046 # a list of options
	$CC "$@" -g -pthread $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument="$what") "$P/metric-shapes.c" \
		"$T/rdpmc.so" -Wl,-rpath,"$T" -o "$T/$out" || fail "$what: does not compile"
}

# run [NAME=VALUE...] OUT [ARGUMENT...]: its files are in $T/out.
run() {
	local settings=()
	while [[ $1 == *=* ]]; do
		settings+=("$1")
		shift
	done
	rm -rf "$T/out"
	mkdir "$T/out"
	(cd "$T/out" && exec env "${settings[@]}" "$T/$@" >"$T/said" 2>&1) || fail "$*: the program fails: $(cat "$T/said")"
}

# paths FUNCTION: how often each of its paths ran and what it took, the most frequent first.
paths() {
	"$PATHFDO" paths --exact --top=1000 --json "$T"/out/* >"$T/json" || fail "no paths"
	jq -r --arg name "$1" --arg event "${2:-instructions}" '[.top[] | select(.function == $name) | "\(.count):\(.[$event])"] |
		sort_by(split(":") | map(tonumber)) | reverse | join(" ")' "$T/json"
}

# A turn of the loop of steps ends a path: with entry and end these are three kinds, which took 1 each and 10 at the end.
for level in -O0 -O2; do
	for what in paths paths,context; do
		build "$what,counter" shapes $level
		run shapes
		check_eq "$level, $what: nothing is said" "$(cat "$T/said")" ""
		check_eq "$level, $what: paths of step" "$(paths step)" "30:210 10:1000"
		check_eq "$level, $what: what steps took" "$(jq '.functions[] | select(.function == "steps").instructions' "$T/json")" 50
		check_eq "$level, $what: what all took" "$(jq -c '.classes | [.by, .metric]' "$T/json")" '["instructions",1260]'
		check_eq "$level, $what: descriptors" "$(ls -A "$T/out" | wc -l)" 1
		run shapes threads
		check_eq "$level, $what: paths of step, five threads" "$(paths step)" "150:1050 50:5000"
		check_eq "$level, $what: what all took, five threads" "$(jq .classes.metric "$T/json")" 6300
		# The parent has its 300, which are the child's too, since paths end in it that began before.
		run shapes fork
		for file in "$T"/out/*; do "$PATHFDO" paths --exact --json "$file" | jq .classes.metric; done | sort -n | paste -sd' ' >"$T/got"
		check_eq "$level, $what: what a parent and its child took" "$(cat "$T/got")" "300 1560"
	done
	build context,counter shapes $level
	run shapes
	"$PATHFDO" context --json "$T"/out/* >"$T/json"
	check_eq "$level: own parts of contexts" "$(jq -c '[.metric, (.contexts[] | "\(.function) \(.calls) \(.own) \(.instructions)")]' "$T/json")" \
		'["instructions","main 1 0 1260","steps 1 50 1260","step 40 1210 1210"]'
	"$PATHFDO" context "$T"/out/* | grep -q '^  below .* own instructions  context$' || fail "the event is not named"
	"$PATHFDO" context --html "$T/page.html" "$T"/out/*
	legible "$T/page.html"
	grep -q '1210 own instructions' "$T/page.html" || fail "the page does not name the event"
done

# Which event it is, is asked when the program runs: by name or by code.
for asked in "instructions 0 1" "branch-misses 0 5" "L1-dcache-load-misses 3 10000" "r1A2 4 1a2"; do
	rm -f "$T/opened"
	run PATHFDO_COUNTER="${asked%% *}" FAKE_RDPMC_OPENED="$T/opened" shapes
	check_eq "event of ${asked%% *}" "$(cat "$T/opened")" "${asked#* }"
	check_eq "its name" "$("$PATHFDO" context --json "$T"/out/* | jq -r .metric)" "${asked%% *}"
done
cp "$T"/out/* "$T/raw.context"
run shapes
refused 1 "it has instructions, and files before it have r1A2" context "$T/raw.context" "$T"/out/*

# No counter: one line, in all of five threads, and executions.
build paths,context,counter shapes -O2
for why in "2:this machine has no counter of it" "13:kernel.perf_event_paranoid" "refused:lets no program read it"; do
	run FAKE_RDPMC="${why%%:*}" shapes threads
	check_eq "$why: lines" "$(wc -l <"$T/said")" 1
	grep -q "^pathfdo: PATHFDO_COUNTER=instructions is not counted, only executions are: .*${why#*:}" "$T/said" ||
		fail "$why: $(cat "$T/said")"
	check_eq "$why: what is counted" "$(paths step cycles)" "150:0 50:0"
	check_eq "$why: metric" "$(jq -r .classes.by "$T/json")" executions
done
for name in "no-event" r r12x; do
	run PATHFDO_COUNTER="$name" shapes
	grep -q "^pathfdo: PATHFDO_COUNTER=$name is not counted.* names an event as perf does" "$T/said" || fail "$name: $(cat "$T/said")"
done

# Cycles without contexts: a function that waits has them, and who calls it has not.
# shellcheck disable=SC2046 # a list of options
$CC -O2 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=paths,cycles) "$P/context-cycles.c" -o "$T/waits"
run waits
[ -n "$(paths spin cycles)" ] || fail "spin has no paths"
check_within "cycles of spin" "$(jq '.functions[] | select(.function == "spin").cycles' "$T/json")" 10000000 1e18
check_within "share of spin" "$(jq '(.functions[] | select(.function == "spin").cycles) / .classes.metric' "$T/json")" 0.5 1
