#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plain program-counter samples of perf record: perf report is the witness of how many there are.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs/convert-clock.c

. "$TOP/testsuite/tools/perf-lib.sh"
"$CC" -O2 -g "$P" -o "$T/clock"
perf_clock "$T/clock.data" -F 999 "$T/clock"
samples=$(perf script -i "$T/clock.data" -F ip 2>/dev/null | wc -l)
[ "$samples" -ge 50 ] || skip "only $samples samples in this run"
"$PATHFDO" convert -b "$T/clock" "$T/clock.data" -o "$T/clock.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
"$PATHFDO" show --text "$T/clock.pfdo" >"$T/text"
check_eq "unit" "$(sed -n 2p "$T/text")" "unit samples"
check_eq "samples read" "$(sed -nE 's/.*read ([0-9]+) plain samples.*/\1/p' "$T/said")" "$samples"
total=$(awk '/^function / { for (i = 1; i < NF; i++) if ($i == "total") sum += $(i + 1) } END { print sum }' "$T/text")
hot=$(awk '/^function hot / { for (i = 1; i < NF; i++) if ($i == "total") print $(i + 1) }' "$T/text")
check_within "share of hot" "$(awk -v h="$hot" -v t="$total" 'BEGIN { print h / t }')" 0.95 1
# The statement that runs each round has more than the one that runs each eighth.
line=$(grep -n '/\* hot \*/' "$P" | cut -d: -f1)
awk -f "$TOP/testsuite/tools/line-counts.awk" "$T/text" >"$T/counts"
each=$(awk -v key="convert-clock.c:$line" '$1 == key { print $2 }' "$T/counts")
eighth=$(awk -v key="convert-clock.c:$((line + 2))" '$1 == key { print $2 }' "$T/counts")
check_within "rounds to eighths" "$(awk -v a="$each" -v b="${eighth:-0}" 'BEGIN { print (a > 2 * b) }')" 1 1

# As a stream, and a file of it.
perf record -q -e cpu-clock:u,page-faults:u -F 999 -o - "$T/clock" 2>/dev/null | tee "$T/stream" |
	"$PATHFDO" convert -b "$T/clock" - -o "$T/pipe.pfdo" 2>"$T/said" || fail "a stream: $(cat "$T/said")"
samples=$(perf script -i "$T/stream" -F event 2>/dev/null | grep -c cpu-clock)
check_eq "samples of the stream" "$(sed -nE 's/.*read [0-9]+ plain samples, used ([0-9]+).*/\1/p' "$T/said")" "$samples"
"$PATHFDO" convert -q -b "$T/clock" "$T/stream" -o "$T/file.pfdo" || fail "the file of a stream"
"$PATHFDO" show --text "$T/pipe.pfdo" >"$T/pipe.txt"
"$PATHFDO" show --text "$T/file.pfdo" | cmp -s - "$T/pipe.txt" || fail "a stream and its file differ"
