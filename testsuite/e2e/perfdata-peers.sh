#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tools of others read what soft (--raw) and lbr write: perf report, create_gcov, llvm-profgen and perf2bolt find in it the
# counts that pathfdo finds.  lbr's rings are served by a stand-in for the kernel with the branches that the software
# recorder saw, 32 in a stack, as a processor would have recorded them.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed (apt-get install linux-perf)"
tried=
P=$TOP/testsuite/programs
cd "$T"

# heads: "FUNCTION COUNT" of how often each function was entered by a branch from anywhere, of an fdata file.
heads() {
	awk '$4 == 1 && $6 == "0" { sub(/\/[0-9]+$/, "", $5); count[$5] += $8 } END { for (f in count) print f, count[f] }' "$1" | sort
}

# same WHAT WANT GOT SHARE: of the lines "NAME... COUNT" of both files the counts are the same to this share: the smaller ones
# over the larger ones.
same() {
	awk -v share="$4" '
		{ key = $0; sub(/ [^ ]*$/, "", key); keys[key] }
		NR == FNR { want[key] = $NF; next }
		{ got[key] = $NF }
		END {
			for (key in keys) {
				small += want[key] < got[key] ? want[key] : got[key]
				large += want[key] > got[key] ? want[key] : got[key]
				if (want[key] != got[key])
					odd = odd "; " key ": " want[key] + 0 ", they have " got[key] + 0
			}
			if (length(want) < 2 || small < share * large)
				print length(want) " lines, " small " of " large substr(odd, 1, 400)
		}' "$2" "$3" >differ
	[ ! -s differ ] || fail "$1: $(cat differ)"
}

# Branches between functions, and how often: all of them, exactly.
report() {
	perf report --stdio --no-demangle -b -n --sort symbol_from,symbol_to -t';' -i "$2" 2>/dev/null |
		awk -F';' -v own="$(awk '$1 == 1 { print $2 } $4 == 1 { print $5 }' "$1.fdata" | sort -u | tr '\n' ' ')" '
			BEGIN { n = split(own, names, " "); for (i = 1; i <= n; i++) { sub(/\/[0-9]+$/, "", names[i]); known[names[i]] = 1 } }
			NF >= 4 { gsub(/^\[.\] | *$/, "", $3); gsub(/^\[.\] | *$/, "", $4); if ($3 != $4 && $3 in known && $4 in known) print $3, $4, $2 + 0 }' |
		sort >report.got
	awk '$1 == 1 && $4 == 1 { sub(/\/[0-9]+$/, "", $2); sub(/\/[0-9]+$/, "", $5); if ($2 != $5) n[$2 " " $5] += $8 }
		END { for (p in n) print p, n[p] }' "$1.fdata" | sort >report.want
	[ "$(wc -l <report.want)" -ge 3 ] || fail "$2: only $(wc -l <report.want) pairs of functions"
	diff report.want report.got >differ || fail "$2: perf report's branches differ: $(head -n 5 differ)"
	tried="$tried perf-report"
}

# create_gcov's strings are those of version 1; it knows DWARF 4 and no later one.
gcov() {
	command -v create_gcov >/dev/null || return 0
	create_gcov --binary="./$1" --profile="$2" --gcov=their.gcov -gcov_version=2 >gcov.log 2>&1 ||
		fail "$2: create_gcov ends with $?: $(tail -n 2 gcov.log)"
	dump_gcov -gcov_version=2 their.gcov >dump
	awk '/^[^ ].* head:/ { sub(/head:/, "", $3); if ($3 > 0) print $1, $3 }' dump | sort >got
	same "$2, create_gcov's entries" want.heads got 0.99
	# A line's count is the highest of its discriminators.
	awk -v dump=1 -f "$TOP/testsuite/tools/afdo-lines.awk" dump |
		awk '{ sub(/\..*/, "", $2); key = $1 " " $2; if (!(key in m) || m[key] < $3) m[key] = $3 } END { for (k in m) print k, m[k] }' >got
	same "$2, create_gcov's lines" want.lines got 0.95
	tried="$tried create_gcov"
}

# It cuts stacks at branches from and to other files.
profgen() {
	local profgen
	profgen=$(command -v llvm-profgen-14) || return 0
	perf script --show-mmap-events -F ip,brstack -i "$2" >script 2>/dev/null
	"$profgen" --binary="./$1" --perfscript=script --format=text -o their.prof >profgen.log 2>&1 ||
		fail "$2: llvm-profgen ends with $?: $(tail -n 2 profgen.log)"
	awk -F: '/^[^ ]/ && $3 > 0 { print $1, $3 }' their.prof | sort >got
	same "$2, llvm-profgen's entries" want.heads got 0.9
	tried="$tried llvm-profgen"
}

bolt() {
	local bolt
	bolt=$(command -v perf2bolt-16) || return 0
	"$bolt" -aggregate-only -p "$2" -o their.fdata "$1" >bolt.log 2>&1 || fail "$2: perf2bolt: $(tail -n 3 bolt.log)"
	awk -f "$TOP/testsuite/tools/fdata-lines.awk" their.fdata | sort >got
	awk -f "$TOP/testsuite/tools/fdata-lines.awk" "$1.fdata" | sort >want
	[ "$(wc -l <want)" -ge 15 ] || fail "$2: only $(wc -l <want) lines"
	diff want got >differ || fail "$2: perf2bolt's lines differ: $(head -n 5 differ)"
	tried="$tried perf2bolt"
}

# peers PROGRAM RECORDING
peers() {
	"$PATHFDO" convert --fdata -b "./$1" "$2" -o "$1.fdata" 2>said || fail "$2: $(cat said)"
	"$PATHFDO" convert -b "./$1" "$2" -o "$1.pfdo" 2>said || fail "$2: $(cat said)"
	heads "$1.fdata" >want.heads
	"$PATHFDO" show --text "$1.pfdo" | awk -f "$TOP/testsuite/tools/afdo-lines.awk" >want.lines
	tried=
	report "$1" "$2"
	gcov "$1" "$2"
	profgen "$1" "$2"
	bolt "$1" "$2"
	echo "$2:$tried"
}

fake perf
served=yes
case $("$PATHFDO" record --source=lbr true 2>&1 || true) in
*AddressSanitizer*) served= ;;
esac

# peer NAME ARGUMENT: both recordings of one program.
peer() {
	"$PATHFDO" record --source=soft --raw -F 250 --max-overhead=20 -o "$1.raw.data" -- "./$1" "$2" >/dev/null 2>said ||
		fail "$(cat said)"
	peers "$1" "$1.raw.data"
	[ "$served" ] || return 0
	"$PATHFDO" record --source=soft -F 250 --max-overhead=20 -o "$1.soft.data" -- "./$1" "$2" >/dev/null 2>said ||
		fail "$(cat said)"
	"$B/tools/vector-stacks" "$1.soft.data" "$1.stacks.data"
	perf script -i "$1.stacks.data" -F brstack 2>/dev/null |
		sed -E 's|(0x[0-9a-f]+/0x[0-9a-f]+)/([MP-])[^ ]*|\1\2|g; s|[P-]( \|$)|\1|g' >stacks
	perf script -i "$1.stacks.data" --show-mmap-events 2>/dev/null |
		sed -nE 's|.*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ ([0-9a-fx]+) .*r-xp (/.*)|\1 \2 \3 \4|p' >maps
	[ "$(wc -l <maps)" -ge 3 ] || fail "the recording has only $(wc -l <maps) mappings"
	rm -f "$T/served"
	LD_PRELOAD=$T/perf.so FAKE_PERF=cpus=3,samples=100000000 FAKE_PERF_LOG=$T/served FAKE_PERF_STACKS=$T/stacks \
		FAKE_PERF_MAPS=$T/maps LIBPFM_FORCE_PMU=skl "$PATHFDO" record --source=lbr -o "$1.lbr.data" \
		sh -c "until [ \"\$(cat '$T/served' 2>/dev/null | wc -l)\" -ge $(($(wc -l <stacks) / 2)) ]; do sleep 0.1; done" 2>said ||
		fail "$(cat said)"
	check_within "stacks of $1 that were served" "$(wc -l <served)" $(($(wc -l <stacks) / 2)) "$(wc -l <stacks)"
	perf script -i "$1.lbr.data" -F ip,brstack 2>/dev/null |
		sed 's|/[MP]/-/-[^ ]*||g; s/^ *//; s/  */ /g; s/ $//' | sort >read
	sort served >wanted
	cmp -s read wanted || fail "perf script reads other stacks than were served: $(diff read wanted | head -n 4)"
	peers "$1" "$1.lbr.data"
}

# Bound at once: what goes through the head of the table of calls at the first call of a function, if a burst is just there,
# perf2bolt lists and pathfdo does not.
options="-O2 -gdwarf-4 -w -Wl,--emit-relocs,-z,now -fno-reorder-blocks-and-partition"
# shellcheck disable=SC2086 # options are words
$CC $options -no-pie -o jumps "$P/road-jumps.c"
# shellcheck disable=SC2086
$CXX $options -fno-devirtualize-speculatively -o shapes "$P/road-shapes.cc"
peer jumps 2000000
peer shapes 9000
for tool in create_gcov llvm-profgen-14 perf2bolt-16; do
	command -v $tool >/dev/null || echo "without $tool, which is not installed (autofdo, llvm-14, bolt-16)"
done
