#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paths of a function whose paths and counts are known by construction; exact profiles, whose sums are callgrind's counts
# of each block; and recordings, of which the hot paths are the exact ones.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
P=$TOP/testsuite/programs
"$TOP/testsuite/tools/valgrind/build" "$T/valgrind" >"$T/said" 2>&1 || skip "$(tail -n 1 "$T/said")"

# exact BINARY ARGUMENT...: writes the exact path profile of a run to $T/exact; $T/said tells of it.  Valgrind must neither join
# blocks nor unroll loops.
exact() {
	local binary=$1
	mkfifo "$T/stream"
	"$B/tools/exact-paths" "$binary" "$T/exact" <"$T/stream" 2>"$T/said" &
	VALGRIND_LIB=$T/valgrind valgrind -q --tool=blocks --vex-guest-chase=no --vex-iropt-unroll-thresh=0 --blocks-out="$T/stream" \
		--object="${binary##*/}" "$@" >/dev/null || fail "no stream of $binary"
	wait $! || fail "no exact profile of $binary: $(cat "$T/said")"
	rm "$T/stream"
	grep -q " 0 transfers not in the flow graph" "$T/said" || fail "$binary: $(cat "$T/said")"
}

# labels: the paths of `figure` in the JSON of standard input, by their blocks' labels, with their counts.
labels() {
	jq -r '.top[] | select(.function == "figure") | "\(.count) \(.blocks | map(tostring) | join(" "))"' |
		awk 'NR == FNR { if ($2 ~ /^[tT]$/ && $3 ~ /^[A-S]$/) label[sprintf("%d", strtonum("0x" $1))] = $3; next }
			{ printf "%d ", $1; for (i = 2; i <= NF; i++) printf "%s", label[$i]; print "" }' <(nm "$T/figure") -
}

$CC -O1 -g -w "$P/paths-figure.c" -o "$T/figure"
exact "$T/figure" 3
check_eq "the number of the function's paths" "$(awk '$4 == "figure" { print $3 }' "$T/exact")" 11
"$PATHFDO" paths -b "$T/figure" --exact --json "$T/exact" | labels >"$T/got"
check_eq "exact paths" "$(cat "$T/got")" "3000 ABDEGIJLNPS
1500 ABDFGHJMNPS
900 ACOPS
3 ABRS"
"$PATHFDO" record --source=soft -F 250 --max-overhead=50 -o "$T/p.data" -- "$T/figure" 80000 >/dev/null 2>"$T/said" ||
	unrecorded "$T/said"
for credit in likely none; do
	"$PATHFDO" paths -b "$T/figure" --against="$T/exact" --credit=$credit --json "$T/p.data" >"$T/json"
	check_eq "strays" "$(jq .strays "$T/json")" 0
	check_within "overlap with the exact paths, credit $credit" "$(jq .overlap "$T/json")" 0.9 1
	labels <"$T/json" | head -n 3 | cut -d' ' -f2 >"$T/got"
	check_eq "the hottest paths, credit $credit" "$(tr '\n' ' ' <"$T/got")" "ABDEGIJLNPS ABDFGHJMNPS ACOPS "
done
# Every path of the function but those at a vector's start ran behind the call in `main`, which the cut between both loses.
"$PATHFDO" paths -b "$T/figure" --links=1000 --credit=none --json "$T/p.data" >"$T/json"
address=$((0x$(nm "$T/figure" | awk '$3 == "figure" { print $1 }')))
check_within "calls of the paths, of their number" "$(jq --argjson figure $address '([.links[] | select(.kind == "call" and .to == $figure)
	| .count] | add) / ([.top[] | select(.address == $figure) | .count] | add)' "$T/json")" 0.95 1.0001
check_eq "where they are called" "$(jq -r '.links[] | select(.kind == "call") | .from' "$T/json" | sort -u)" \
	"$((0x$(nm "$T/figure" | awk '$3 == "main" { print $1 }')))"
# A vector counts one, or its time, which is random, or what ran in it.
"$PATHFDO" paths -b "$T/figure" --weight=none --credit=none --json "$T/p.data" >"$T/json"
check_eq "whole counts, a vector being one" "$(jq '[.top[].count | . == floor] | all and length >= 3' "$T/json")" true
"$PATHFDO" paths -b "$T/figure" --weight=period --credit=none --json "$T/p.data" >"$T/json"
check_eq "whole counts, a vector being its time" "$(jq '[.top[:3][].count | . == floor] | all' "$T/json")" false
"$PATHFDO" paths -b "$T/figure" --weight=rate --credit=none --json "$T/p.data" >"$T/json"
"$PATHFDO" paths -b "$T/figure" --credit=none --json "$T/p.data" | cmp - "$T/json" || fail "a vector is not what ran in its time by default"
# Vectors too short to hold any of the long paths whole.
"$PATHFDO" paths -b "$T/figure" --against="$T/exact" --length=4 --json "$T/p.data" >"$T/json"
check_within "accuracy of vectors of four branches" "$(jq .accuracy "$T/json")" 0.9 1

# A real program: paths add up to callgrind's counts, and the recording finds the hot ones.
$CC -O2 -g -w "$P/agent-sort.c" -o "$T/sort"
exact "$T/sort" 6
valgrind -q --tool=callgrind --dump-instr=yes --compress-strings=no --compress-pos=no --callgrind-out-file="$T/cg" "$T/sort" 6 >/dev/null
"$PATHFDO" paths -b "$T/sort" --exact --top=1000000 --json "$T/exact" |
	jq -r '.top[] | .count as $n | .blocks[] | "\(.) \($n)"' |
	awk '{ sum[$1] += $2 } END { for (a in sum) printf "%d %d\n", a, sum[a] }' | sort >"$T/got"
awk '/^ob=/ { inside = /\/sort$/ } /^calls=/ { skip = 1; next } /^0x/ { if (!skip && inside) sum[$1] += $3; skip = 0 }
	END { for (a in sum) printf "%d %d\n", strtonum(a), sum[a] }' "$T/cg" | sort >"$T/all"
join -a 1 "$T/got" "$T/all" | awk '$2 != $3 { print; bad = 1 } END { exit bad || NR < 60 }' >"$T/differ" ||
	fail "blocks whose paths do not add up to callgrind's count: $(head -n 3 "$T/differ"), of $(wc -l <"$T/got")"
"$PATHFDO" record --source=soft -F 250 --max-overhead=50 -o "$T/s.data" -- "$T/sort" 100 >/dev/null 2>"$T/said"
"$PATHFDO" paths -b "$T/sort" --against="$T/exact" -o "$T/sampled" --json "$T/s.data" >"$T/json"
check_eq "strays in sort" "$(jq .strays "$T/json")" 0
check_within "accuracy of the hot paths" "$(jq .accuracy "$T/json")" 0.9 1
"$PATHFDO" paths -b "$T/sort" --exact --against="$T/sampled" --json "$T/sampled" >"$T/json"
check_within "a profile against itself" "$(jq .overlap "$T/json")" 0.999 1.0001
check_within "its accuracy" "$(jq .accuracy "$T/json")" 0.999 1.0001

refused 1 "exact: is of another binary \(build-id" paths -b "$T/figure" --exact "$T/exact"
sed 's/^\(function [0-9a-f]*\) [0-9]*/\1 99999/' "$T/exact" >"$T/renumbered"
refused 1 "renumbered:[0-9]*: the function has [0-9]* paths in" paths -b "$T/sort" --exact "$T/renumbered"
refused 1 "figure: nothing that was recorded ran in it; name the binary that ran: most was in .*sort" paths -b "$T/figure" "$T/s.data"
refused 2 "must be likely, equal or none" paths -b "$T/figure" --credit=some "$T/p.data"
refused 2 "no binary named" paths "$T/p.data"
