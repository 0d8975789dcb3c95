# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Linear and integer programmes.  Trained on small transport problems and puzzles, measured on larger and other ones.
package=glpk version=5.0-1 language=c stands_for="450.soplex, 429.mcf"
build_seconds=35
EXE=glpsol

configure() {
	./configure -q CFLAGS=-O1 --disable-shared --without-gmp
}

# All of the library is linked: of files that are not in the program there are no counts.
build() {
	make -s -j "$JOBS" -C src CC="$CC" CFLAGS="$CFLAGS" && compile -Isrc -- examples/glpsol.c &&
		link -Wl,--whole-archive src/.libs/libglpk.a -Wl,--no-whole-archive -lm
}

data() {
	cp "$(source_of "$package" "$version")"/examples/*.mod .
	"$GENERATE" transport 3 26 180 >train.lp
	"$GENERATE" transport 8 34 210 >ref.lp
	"$GENERATE" transport 1 14 60 >small.lp
}

# Times, memory and the progress of long runs are no results.
solve() {
	x "$@" -o answer >/dev/null && cat answer
}

workload() {
	case $1 in
	train) solve --lp "$D/train.lp" && solve -m "$D/numbrix.mod" && solve -m "$D/jssp.mod" ;;
	ref) solve --lp "$D/ref.lp" && solve -m "$D/tsp.mod" && solve -m "$D/shikaku.mod" && solve -m "$D/pentomino.mod" ;;
	small) solve --lp "$D/small.lp" && solve -m "$D/sudoku.mod" ;;
	esac
}
