#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# convert --fdata: each line, with its counts, is what perf2bolt makes of the same branch stacks, and llvm-bolt takes all of
# it for the binary: no function of it is stale, and what it makes of the binary prints the same.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
# Other versions divide functions into blocks by other rules.
BOLT=$(command -v llvm-bolt-16) && PERF2BOLT=$(command -v perf2bolt-16) || skip "Debian's package bolt-16 is not installed"
command -v perf >/dev/null || skip "perf is not installed"
STACKS=$B/tools/vector-stacks
[ -x "$STACKS" ] || fail "$STACKS is not built: run make tools"
cd "$T"

lines() {
	awk -f "$TOP/testsuite/tools/fdata-lines.awk" "$1" | sort
}

# same PROG RECORDING: perf2bolt and we agree on every line.
same() {
	"$PATHFDO" convert --fdata -b "$1" "$2" -o "$1.fdata" 2>said || fail "$1: $(cat said)"
	"$PERF2BOLT" -aggregate-only -p "$2" -o "$1.theirs" "$1" >perf2bolt.log 2>&1 || fail "perf2bolt: $(tail -n 3 perf2bolt.log)"
	lines "$1.fdata" >ours
	lines "$1.theirs" >theirs
	diff theirs ours >differ || fail "$1, $2: $(grep -c '^[<>]' differ) of $(wc -l <theirs) lines: $(head -n 6 differ)"
	[ "$(wc -l <ours)" -ge 15 ] || fail "$1 has only $(wc -l <ours) lines"
	awk '$7 > 0 { missed++ } END { exit !missed }' ours || [ "${3:-}" ] || fail "$1: no misprediction"
	echo "$1, $2: $(wc -l <ours) lines"
}

# bolted PROG ARGUMENT: BOLT takes the fdata whole.
bolted() {
	"$BOLT" "$1" -o "$1.bolted" -data "$1.fdata" -reorder-blocks=ext-tsp -reorder-functions=hfsort >bolt.log 2>&1 ||
		fail "llvm-bolt: $(tail -n 3 bolt.log)"
	grep -qE "BOLT-INFO: [1-9][0-9]* out of [0-9]+ functions in the binary .* have non-empty execution profile" bolt.log ||
		fail "llvm-bolt takes no profile: $(head -n 9 bolt.log)"
	# The one object without functions is what is outside of the binary.
	! grep -iE "stale|ignored|invalid|not (found|match)" bolt.log | grep -v "profile for 1 objects was ignored" >wrong ||
		fail "llvm-bolt says: $(head -n 3 wrong)"
	"./$1" "$2" >want
	"./$1.bolted" "$2" >got || fail "$1.bolted ends with $?"
	cmp want got || fail "BOLT changed what $1 prints"
}

"$CC" -O2 -g -Wl,--emit-relocs "$P"/convert-bolt.c "$P"/convert-bolt-other.c -o steps
nm steps | grep -q ' mostly\.cold$' || fail "no function of steps has a cold part"
"$CXX" -O2 -fno-reorder-blocks-and-partition -no-pie -Wl,--emit-relocs "$P/road-shapes.cc" -o shapes
for run in "steps 3000000" "shapes 6000"; do
	set -- $run
	"$PATHFDO" record --source=soft -F 250 --max-overhead=20 -o soft.data -- "./$1" "$2" >/dev/null 2>said || fail "$(cat said)"
	"$STACKS" soft.data "$1.data"
	same "$1" "$1.data"
	bolted "$1" 1000
	"$PATHFDO" record --source=soft --raw -F 250 --max-overhead=20 -o raw.data -- "./$1" "$2" >/dev/null 2>said ||
		fail "$(cat said)"
	same "$1" raw.data soft
	# Vectors, whose bursts are weighed, and the text of the stacks.
	"$PATHFDO" convert --fdata -b "$1" soft.data -o "$1.fdata" 2>/dev/null
	bolted "$1" 1000
	perf script --show-mmap-events -F pid,time,event,ip,brstack -i "$1.data" >text 2>/dev/null
	"$PATHFDO" convert --fdata -b "$1" text -o text.fdata 2>/dev/null
	"$PATHFDO" convert --fdata "$1.data" -o data.fdata 2>/dev/null
	cmp text.fdata data.fdata || fail "$1: text and perf.data differ"
done
# Two functions of one name, and data of it.
check_eq "functions called step" "$(awk '$2 ~ /^step/ { print $2 }' steps.theirs | sort -u | tr '\n' ' ')" "step/1 step/2 "

# Plain samples.
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o samples "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
main=$(readelf -sW steps | awk '$8 == "main" { print "0x" $2 }')
./samples plain.data "$PWD/steps" $((main + 4)) 220 "$PWD/steps" $((main)) 7
"$PATHFDO" convert --fdata plain.data -o plain.fdata 2>/dev/null
check_eq "plain samples" "$(cat plain.fdata)" "no_lbr cpu-clock
1 main 0 7
1 main 4 220"
"$BOLT" steps -o steps.bolted -data plain.fdata -reorder-blocks=ext-tsp >bolt.log 2>&1 || fail "$(tail -n 3 bolt.log)"
grep -q "BOLT-INFO: 1 out of .* functions in the binary .* have non-empty execution profile" bolt.log || fail "$(head bolt.log)"

strip -o bare steps
refused 1 "bare: has no symbols, by which BOLT knows functions; do not strip it" convert --fdata -b "steps=bare" steps.data -o none.pfdo
refused 2 "fdata is of one binary" convert --fdata -b steps -b shapes steps.data -o none.pfdo
