#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeout: 900
# Two recordings of one run make nearly the same program, and the same recording makes the same objects.  The recordings are drawn
# by lot from all that the run executed, which Valgrind tells: so they are the same on every machine, however busy it is.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
"$TOP/testsuite/tools/valgrind/build" "$T/valgrind" >"$T/said" 2>&1 || skip "$(tail -n 1 "$T/said")"
GRAPHS=24

# build PROGRAM OPTION...: the objects have one place each time, so that they can be compared; then they are in PROGRAM.objects.
build() {
	local program=$1 file
	shift
	mkdir "$T/work"
	for file in "$TOP/testsuite/programs/near-inference.c" "$TOP"/flow/*.c "$TOP/support/error.c"; do
		(cd "$T/work" && "$CC" -O2 -g -I"$TOP" "$@" -c "$file") || fail "$file does not compile with $*"
	done
	"$CC" "$T"/work/*.o -o "$T/$program" -lm
	mv "$T/work" "$T/$program.objects"
}

# with NAME SEED: the program with the profile of a recording of some 300 vectors of 1,024 branches each, out of ten million.
with() {
	"$B/tools/drawn-vectors" "$T/base" "$T/$1.data" "$2" 1024 30000 <"$T/stream" 2>"$T/said" || fail "$(cat "$T/said")"
	"$PATHFDO" convert -b "$T/base" "$T/$1.data" -o "$T/p.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
	# shellcheck disable=SC2046 # flags are words
	build "$1" $("$PATHFDO" cflags "$T/p.pfdo")
}

# executed NAME
executed() {
	callgrind "$T/$1.out" "$T/$1" $GRAPHS
	cmp "$T/base.out" "$T/$1.out" >&2 || fail "$1 prints something else than base"
}

build base
VALGRIND_LIB=$T/valgrind valgrind -q --tool=blocks --vex-guest-chase=no --vex-iropt-unroll-thresh=0 --blocks-out="$T/stream" \
	--object=base "$T/base" $GRAPHS >"$T/base.out" || fail "no stream of the run"
with one 1
with two 2
with again 1
cmp "$T/one.data" "$T/again.data" || fail "two recordings of the same lot"
! cmp -s "$T/one.data" "$T/two.data" || fail "one recording of two lots"
for object in "$T/one.objects"/*.o; do
	cmp "$object" "$T/again.objects/${object##*/}" || fail "two objects of the same recording"
done

# Of 21 programs most vary by an eighth of their gain at most (the standard deviation of five recordings' gains,
# doc/measurements.md).  Two that vary so differ by three times the square root of two times that, half of the gain, in one of
# some hundred cases: what differs by more does not vary by chance alone.
base=$(executed base)
one=$(executed one)
two=$(executed two)
echo "instructions: $base, with the profiles $one and $two"
check_within "what the recordings save, in percent" "$(awk "BEGIN { print 100 * (1 - ($one + $two) / 2 / $base) }")" 4 100
check_within "by how much they differ, in percent of that" \
	"$(awk "BEGIN { d = $one - $two; print 100 * (d < 0 ? -d : d) / ($base - ($one + $two) / 2) }")" 0 50
