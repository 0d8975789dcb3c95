#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How often inlined instances were entered.  Reading a file of 200,000 characters by std::istreambuf_iterator calls its
# `++` once a character, whatever the compiler made of them; what is called once has no entries to speak of, also
# where a recording never saw the call and all its code is in loops.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
CHARACTERS=200000 TURNS=600000 STEPS=97

# entries PROFILE-TEXT NAME: the sum over all instances of NAME.
entries() {
	awk -v name="$2" '$1 == "inline" && $3 == name { sum += $NF; found = 1 } END { print found ? sum : "none" }' "$1"
}

g++ -O2 -g "$TOP/testsuite/programs/convert-entries.cc" -o "$T/prog" || fail "g++"
head -c "$CHARACTERS" /dev/zero >"$T/file"
exact "$T/prog" 10 "$T/file"
convert "$T/prog"
for call in _ZNSt19istreambuf_iteratorIcSt11char_traitsIcEEppEv _ZNSt15basic_streambufIcSt11char_traitsIcEE6sbumpcEv; do
	found=$(entries "$T/prog.txt" $call)
	awk -v n="$found" -v want=$CHARACTERS 'BEGIN { exit !(n >= want * .99 && n <= want * 1.01) }' ||
		fail "$call was called $CHARACTERS times, $found entries"
done

for debug in -g -g1; do
	g++ -O2 $debug "$TOP/testsuite/programs/convert-entries.cc" -o "$T/long" || fail "g++ $debug"
	"$PATHFDO" record -q -o "$T/long.data" -- "$T/long" $TURNS >/dev/null 2>"$T/said" || fail "record: $(cat "$T/said")"
	convert "$T/long"
	steps=$(awk '$1 == "inline" { on = $3 == "serve" } on && $2 == "count" && $3 > most { most = $3 } END { print most + 0 }' "$T/long.txt")
	[ "$steps" -gt 1000 ] || fail "$debug: $steps steps were seen"
	for call in start serve; do
		found=$(entries "$T/long.txt" $call)
		# The compiler leaves something of main in the outer loop, whose turns may pass for entries; the steps must not.
		[ $((found * STEPS / 2)) -le "$steps" ] || fail "$debug: $call was called once, $found entries, $steps steps"
	done
done
