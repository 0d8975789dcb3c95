#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Many libraries and mappings: four times as many cost no more than n log n wants, in executed instructions.
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

for options in "" "-b $T/prog"; do
	# shellcheck disable=SC2086 # options are words
	few=$(cost 250 $options)
	# shellcheck disable=SC2086
	many=$(cost 1000 $options)
	echo "instructions with '$options': $few, four times as much: $many"
	# 4 log(10000) / log(2500) = 4.71; reading the file costs 4.
	check_within "growth with '$options'" "$(awk -v a="$few" -v b="$many" 'BEGIN { printf "%.3f", b / a }')" 1 5
done
