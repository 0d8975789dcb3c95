#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings that cannot serve an analysis: each says what the recording has instead, and what to do about it.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
cd "$T"
"$CC" -O2 -g -w "$P/agent-sort.c" -o sort
"$CC" -O2 -g -no-pie -o prog "$P/convert-clock.c"
offset=$((0x$(nm prog | awk '$3 == "main" { print $1 }') - 0x400000))

# By the clock, in the kernel, where nothing is mapped, of another program, and of one that is gone since.
./samples clock.data "$T/prog" $offset 200
./samples kernel.data kernel 0 150
./samples jit.data //anon 0 150
./samples other.data "$T/sort" 0x1100 120 /usr/bin/true 0x1100 30
./samples gone.data "/elsewhere/prog (deleted)" $offset 200
./samples nothing.data kernel 0 0
"$PATHFDO" record -q --source=soft --raw -o raw.data -- ./sort 60 >/dev/null 2>said || unrecorded said
"$PATHFDO" record -q --all -o all.data -- ./sort 2 >/dev/null 2>said || unrecorded said

refused 1 "prog: what was recorded are plain samples, .*--source=soft, or" paths -b prog clock.data
refused 1 "sort: what was recorded of it is how often each branch was taken.*without --all" paths -b sort all.data
for command in coverage paths; do
	refused 1 "only 0 of the 150 .* 150 are in the kernel: record user code" $command -b prog kernel.data
	refused 1 "only 0 of the 150 .* 150 are in code without a file" $command -b prog jit.data
	refused 1 "prog: nothing that was recorded ran in it; .*most was in .*/sort" $command -b prog raw.data
	refused 1 "nothing.data: holds no samples; record a longer run" $command -b prog nothing.data
done
refused 1 "prog: nothing that was recorded ran in it; .*most was in .*/sort, /usr/bin/true$" coverage -b prog other.data
"$PATHFDO" coverage -b sort all.data >said || fail "coverage by exact counts: $?"
grep -q '^read [1-9][0-9]* branches that were only counted$' said || fail "coverage by exact counts says: $(cat said)"
for recording in clock gone; do
	"$PATHFDO" coverage -b prog $recording.data >said || fail "coverage by $recording.data: $?"
	check_eq "what $recording.data has" "$(sed -n 2p said)" "read 200 plain samples, used 200: each saw a single block"
done

for command in hotspots "engine -p branch_edges"; do
	refused 1 "clock.data: there are no branch vectors in it, but plain samples; record with .*--source=soft'$" $command clock.data
	refused 1 "raw.data: there are no branch vectors in it, but branch stacks; .* without --raw$" $command raw.data
	refused 1 "all.data: it has how often each branch was taken, not in which order; record without --all" $command all.data
done

# Code without debug information beside some that has it.
"$CC" -O2 -w -c "$P/agent-sort.c" -o bare.o
echo 'int other(int n) { return n + 1; }' >other.c
"$CC" -O2 -g bare.o other.c -o mixed
"$PATHFDO" record -q --source=soft -o mixed.data -- ./mixed 60 >/dev/null 2>said || unrecorded said
for command in coverage paths; do
	refused 1 "mixed: none of the [1-9][0-9]* branches or samples in it is in a function with debug" $command -b mixed mixed.data
done
