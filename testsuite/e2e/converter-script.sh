#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The text of `perf script`, with whichever columns: its profile is that of the perf.data file that perf printed.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
STACKS=$B/tools/vector-stacks
command -v perf >/dev/null || skip "perf is not installed"
[ -x "$STACKS" ] || fail "$STACKS is not built: run make tools"

# profile RECORDING [OPTION]...: $T/shown is its profile without provenance and what depends on exact times; $T/said is what convert said.
profile() {
	"$PATHFDO" convert "${@:2}" "$1" -o "$T/p.pfdo" 2>"$T/said" || fail "convert $1: $(cat "$T/said")"
	"$PATHFDO" show --text "$T/p.pfdo" | grep -vE "^(from|agreement)" >"$T/shown"
	grep -q "^function" "$T/shown" || fail "$1: an empty profile"
}

# same WHAT: the profile of $T/text is $T/wanted.
same() {
	profile "$T/text" -b "$T/prog"
	diff "$T/shown" "$T/wanted" >"$T/diff" || fail "$1: $(head -n 5 "$T/diff")"
}

"$CXX" -O2 -g "$P/road-shapes.cc" -o "$T/prog"
"$PATHFDO" record --source=soft -F 250 --max-overhead=20 -o "$T/soft.data" -- "$T/prog" 3000 >"$T/out" 2>"$T/said" ||
	fail "record: $(cat "$T/said")"
"$STACKS" "$T/soft.data" "$T/stacks.data" || fail "no stacks of the recording"
profile "$T/stacks.data" -b "$T/prog"
cp "$T/shown" "$T/wanted"
grep "read " "$T/said" >"$T/read"

for columns in "-F pid,time,event,ip,brstack" "-F +brstack" "-F comm,tid,pid,time,event,ip,sym,dso,brstack --ns" \
	"-F pid,ip,brstack" "-F pid,ip,sym,dso,brstack"; do
	# shellcheck disable=SC2086 # options are words
	perf script --show-mmap-events $columns -i "$T/stacks.data" >"$T/text" 2>/dev/null || fail "perf script $columns"
	same "$columns"
	grep "read " "$T/said" | cmp -s - "$T/read" || fail "$columns: $(grep "read " "$T/said")"
done

# Lines that end as Windows has it.
sed -i 's/$/\r/' "$T/text"
same "lines that end in a carriage return"

# Files beside the addresses of branches, close (as perf 6.1 prints them) and with a blank (as 6.12 does).
perf script --show-mmap-events -F pid,time,event,ip,brstack -i "$T/stacks.data" >"$T/bare" 2>/dev/null
for blank in '' ' '; do
	sed -E "/PERF_RECORD/!s@(0x[0-9a-f]+)/@\1$blank(/a folder/prog)/@g" "$T/bare" >"$T/text"
	grep -q "$blank(/a folder/prog)/0x" "$T/text" || fail "no file beside a branch's address"
	same "files of branches, behind '$blank'"
done

# Build-ids in place of inodes, as perf record --buildid-mmap has them: each mapping's binary is known by its own.
id=$(file -b "$T/prog" | sed -nE 's/.*BuildID\[[a-z0-9]*\]=([0-9a-f]+).*/\1/p')
[ -n "$id" ] || fail "no build-id in prog"
sed -E "/PERF_RECORD_MMAP2.*prog$/s/( @ (0x)?[0-9a-f]+) [^]]*\]:/\1 <$id>]:/" "$T/bare" >"$T/text"
grep -q "<$id>" "$T/text" || fail "no mapping of prog: $(grep -m 1 MMAP2 "$T/bare")"
same "build-ids"
sed -i "s/<$id>/<${id%??}00>/" "$T/text"
refused 1 "prog was recorded with build-id ${id%??}00" convert -b "$T/prog" "$T/text" -o "$T/none.pfdo"

# Without a process, where there is only one; and where there are two.
perf script --show-mmap-events -F ip,brstack -i "$T/stacks.data" >"$T/text" 2>/dev/null
same "-F ip,brstack"
sed -n '/PERF_RECORD_MMAP2/s# [0-9]*/[0-9]*: # 77/77: #p' "$T/text" >"$T/other"
cat "$T/other" "$T/text" >"$T/both"
refused 1 "both: does not say of which process each sample is; .*-F pid,time" convert -b "$T/prog" "$T/both" -o "$T/none.pfdo"
grep -v PERF_RECORD "$T/text" >"$T/unmapped"
refused 1 "unmapped: does not say which files were mapped where" convert -b "$T/prog" "$T/unmapped" -o "$T/none.pfdo"
echo "this is no recording" >"$T/unknown"
refused 1 "unknown: is neither a perf.data file nor the text of one" convert -b "$T/prog" "$T/unknown" -o "$T/none.pfdo"
# Cut within its last line, of which a part would pass for the whole.
head -c -9 "$T/text" >"$T/cut"
refused 1 "cut: the line at offset [0-9]+ has no end: the text was cut short" convert -b "$T/prog" "$T/cut" -o "$T/none.pfdo"
printf 'B 4b196f 4b19e0 2 0\nF 41be50 41be90 3' >"$T/cut"
refused 1 "cut: the line at offset 20 has no end: the text was cut short" convert -b "$T/prog" "$T/cut" -o "$T/none.pfdo"

# Plain samples of two events, of which one counts.
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
main=$((0x$(nm "$T/prog" | awk '$3 == "main" { print $1 }')))
"$T/samples" "$T/plain.data" "$T/prog" "$main" 220
profile "$T/plain.data" -b "$T/prog"
cp "$T/shown" "$T/wanted"
perf script --show-mmap-events -i "$T/plain.data" >"$T/text" 2>/dev/null || fail "perf script"
same "plain samples"
sed -n '/PERF_RECORD/!s/cpu-clock/page-faults/p' "$T/text" >"$T/more"
cat "$T/more" >>"$T/text"
same "plain samples, two events"
grep -q "used the samples of cpu-clock.*left out 220 of page-faults" "$T/said" || fail "two events: $(cat "$T/said")"

# Recordings of real processors: as many branches are read, and dropped for each reason.
for data in "${PATHFDO_LBR_DATA:-$TOP/../shared/lbr-data}"/*.perf.data; do
	[ -e "$data" ] || continue
	"$PATHFDO" convert "$data" -o "$T/p.pfdo" 2>&1 | grep -E "^  (read|dropped)" >"$T/read" || true
	perf script --show-mmap-events -F pid,time,event,ip,brstack -i "$data" >"$T/text" 2>/dev/null
	"$PATHFDO" convert "$T/text" -o "$T/p.pfdo" 2>&1 | grep -E "^  (read|dropped)" | diff - "$T/read" >"$T/diff" ||
		fail "$data: $(cat "$T/diff")"
done
