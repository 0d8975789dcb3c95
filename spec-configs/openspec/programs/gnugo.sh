# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# The game of Go, by patterns and reading.  The tools that make C out of its pattern files run once.
package=gnugo version=3.8-11 original=yes language=c stands_for=445.gobmk
build_seconds=30
EXE=gnugo

configure() {
	./configure -q CFLAGS="-O1 -fcommon -w" --without-curses --without-readline && make -s -j "$JOBS" &&
		rm -f sgf/sgfgen.c patterns/{mk*,joseki,dfa,*_fuseki}.c && find . -name '*.[oa]' -delete
}

build() {
	compile -fcommon -DHAVE_CONFIG_H -DGTP_ENABLED -I. -Iutils -Isgf -Iengine -Ipatterns -- utils/*.c sgf/*.c engine/*.c \
		interface/*.c patterns/*.c && link -lm
}

# game SIZE MOVES: the program plays against itself.
game() {
	local i
	printf 'boardsize %d\nclear_board\n' $1
	for ((i = 1; i <= $2; i++)); do
		[ $((i % 2)) = 0 ] && echo genmove white || echo genmove black
	done
	echo showboard
}

data() {
	game 9 21 >train
	game 13 20 >ref
	game 5 3 >small
}

# Trained and measured on boards of different sizes, with different seeds.
workload() {
	local seed=5
	[ $1 = train ] || seed=7
	x --quiet --seed $seed --mode gtp --gtp-input "$D/$1"
}
