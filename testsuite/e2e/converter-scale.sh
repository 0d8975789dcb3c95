#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Many libraries and mappings, and many binaries in pre-aggregated text: four times as many cost no more than n log n wants, in
# executed instructions.  Functions that never ran cost next to nothing, and a lambda costs no more in a larger unit.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
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

# unused N: of a program with N functions that never ran, in the unit of one that did: what its conversion executes, and how many
# bytes its line table has.
unused() {
	local size
	awk -v n="$1" 'BEGIN {
		print "__attribute__((noinline)) int used(int x) { int s = 0; for (int i = 0; i < x; i++) s += i % 3; return s; }"
		for (f = 0; f < n; f++) {
			printf "int f%d(int *a)\n{\n", f
			for (k = 0; k < 20; k++)
				printf "\tif (a[%d] > %d)\n\t\ta[%d] = f%d(a + %d);\n", k, k, k + 1, f, k + 1
			print "\treturn a[0];\n}"
		}
		print "int main(void) { return used(10000) == 1; }"
	}' >"$T/unused.c"
	"$CC" -O1 -g -o "$T/unused$1" "$T/unused.c"
	exact "$T/unused$1"
	size=$(readelf -SW "$T/unused$1" | awk '{ for (i = 1; i < NF; i++) if ($i == ".debug_line") print $(i + 4) }')
	echo "$(callgrind "$T/out" "$PATHFDO" convert -q -b "$T/unused$1" "$T/unused$1.data" -o "$T/unused.pfdo") $((16#$size))"
}

few=$(unused 100)
many=$(unused 400)
# A table cannot be entered in its middle, so all its rows are gone over.
per_byte=$(echo "$few $many" | awk '{ printf "%.0f", ($3 - $1) / ($4 - $2) }')
echo "instructions for each byte of the line table of what never ran: $per_byte"
check_within "instructions for each byte of the line table of what never ran" "$per_byte" 0 250

# lambdas N: of a unit with N lambdas, whose line is that of the type around them, and ten types for each.
lambdas() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < 10 * n; i++)
			printf "struct type%d { int a; } *p%d;\n", i, i
		for (i = 0; i < n; i++) {
			printf "__attribute__((noinline)) int f%d(int x)\n{\n", i
			print "\tauto l = [&](int y) __attribute__((noinline)) { return y & 4 ? y * 3 : x + y; };"
			print "\treturn l(x) + l(x + 1);\n}"
		}
		print "int main()\n{\n\tint s = 0;"
		for (i = 0; i < n; i++)
			printf "\ts += f%d(s);\n", i
		print "\treturn s == 1;\n}"
	}' >"$T/lambdas.cc"
	"$CXX" -O1 -g -o "$T/lambdas$1" "$T/lambdas.cc"
	exact "$T/lambdas$1"
	callgrind "$T/out" "$PATHFDO" convert -q -b "$T/lambdas$1" "$T/lambdas$1.data" -o "$T/lambdas.pfdo"
	"$PATHFDO" show --text "$T/lambdas.pfdo" >"$T/lambdas$1.txt"
}

few=$(lambdas 150)
many=$(lambdas 600)
check_eq "lambdas with a line" "$(grep -c '^function _ZZ[^ ]*ENKU[^ ]* [^ ]*:[1-9]' "$T/lambdas600.txt")" 600
echo "instructions with lambdas: $few, four times as much: $many"
check_within "growth with lambdas" "$(awk -v a="$few" -v b="$many" 'BEGIN { printf "%.3f", b / a }')" 1 5
