#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Many libraries and mappings, and many binaries in pre-aggregated text: four times as many cost no more than n log n wants, in
# executed instructions.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"

"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/maps" "$TOP/testsuite/programs/convert-maps.c" "$B/libpathfdo.a" -lz -lzstd
echo "int main(void) { return 0; }" | "$CC" -O2 -g -o "$T/prog" -xc -

# cost N [OPTION]...: of a conversion with N libraries, whose recording says nothing of use.
cost() {
	local n=$1
	shift
	"$T/maps" "$n" "$T/$n.data" "$T/prog"
	callgrind "$T/out" sh -c 'exec 2>"$0"; "$@" || :' "$T/said" "$PATHFDO" convert "$@" "$T/$n.data" -o "$T/none.pfdo"
	[ -s "$T/said" ] || fail "convert says nothing of a recording of $n libraries that are not there"
}

# text N: the same of pre-aggregated text with N build-ids.
text() {
	awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf "F %040x:1130 %040x:1140 2\n", i, n + i }' >"$T/$1.txt"
	callgrind "$T/out" sh -c 'exec 2>"$0"; "$@" || :' "$T/said" "$PATHFDO" convert "$T/$1.txt" -o "$T/none.pfdo"
	[ -s "$T/said" ] || fail "convert says nothing of $1 binaries that are not there"
}

few=$(text 500)
many=$(text 2000)
echo "instructions with pre-aggregated text: $few, four times as much: $many"
check_within "growth with pre-aggregated text" "$(awk -v a="$few" -v b="$many" 'BEGIN { printf "%.3f", b / a }')" 1 5

for options in "" "-b $T/prog"; do
	# shellcheck disable=SC2086 # options are words
	few=$(cost 250 $options)
	# shellcheck disable=SC2086
	many=$(cost 1000 $options)
	echo "instructions with '$options': $few, four times as much: $many"
	# 4 log(10000) / log(2500) = 4.71; reading the file costs 4.
	check_within "growth with '$options'" "$(awk -v a="$few" -v b="$many" 'BEGIN { printf "%.3f", b / a }')" 1 5
done
