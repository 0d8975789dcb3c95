#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program whose paths are known by construction counts them; and a recording of the same program without counting code, held
# against these counts by source lines, has the hot ones, and has not those of a run that did something else.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
line() {
	awk -v what="seen = $1;" 'index($0, what) { print FNR }' "$P/paths-counted.c"
}

# shellcheck disable=SC2046 # a list of options
$CC -O2 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=paths) "$P/paths-counted.c" -o "$T/counting" ||
	fail "it does not compile with counting code"
mkdir "$T/this" "$T/that"
PATHFDO_OUTPUT=$T/this "$T/counting" 7
PATHFDO_OUTPUT=$T/that "$T/counting" 7 other
file=$(ls "$T"/this/*.paths)
refused 1 'is the same file as .* and would count twice' paths --exact "$file" "$file"
# Of each path of the function, its count and the stores on it.
"$PATHFDO" paths --exact --json "$T"/this/*.paths |
	jq -r '.top[] | select(.function == "figure") | "\(.count) \(.lines | map(.line | tostring) | join(" "))"' >"$T/paths"
for i in 1 2 3 4 5 6 7 8; do echo "$i $(line $i)"; done |
	awk 'NR == FNR { store[$2] = $1; next }
		{ printf "%d ", $1; for (i = 2; i <= NF; i++) printf "%s", store[$i]; print "" }' - "$T/paths" >"$T/got"
check_eq "counted paths, by their stores" "$(cat "$T/got")" "7000 568
3500 478
2100 128
7 38"
check_eq "what is not counted" "$("$PATHFDO" paths --exact --json "$T"/this/*.paths | jq '[.lost, (.functions[].unfinished)] | add')" 0

$CC -O2 -g "$P/paths-counted.c" -o "$T/plain"
"$PATHFDO" record --source=soft -F 250 --max-overhead=50 -o "$T/p.data" -- "$T/plain" 80000 >/dev/null 2>"$T/said" ||
	unrecorded "$T/said"
"$PATHFDO" paths -b "$T/plain" --json --against="$(echo "$T"/this/*.paths)" "$T/p.data" >"$T/json"
check_eq "what is compared" "$(jq -r .exact.by "$T/json")" lines
check_within "share of the program that is compared" "$(jq .exact.comparable "$T/json")" 0.99 1
check_within "flow with lines of a counted path" "$(jq .exact.equal "$T/json")" 0.9 1
check_within "accuracy" "$(jq .accuracy "$T/json")" 0.99 1
check_within "overlap" "$(jq .overlap "$T/json")" 0.85 1
"$PATHFDO" paths -b "$T/plain" --json --against="$(echo "$T"/that/*.paths)" "$T/p.data" >"$T/json"
# The loop in main has half of all paths of either run, and nothing else is alike.
check_within "accuracy against another run" "$(jq .accuracy "$T/json")" 0.45 0.55
check_within "overlap with another run" "$(jq .overlap "$T/json")" 0.45 0.55
