# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# The game of Go, by patterns and reading.  Positions of its own regression tests; the tools that make C out of its
# pattern files run once.
package=gnugo version=3.8-11 original=yes language=c stands_for=445.gobmk
EXE=gnugo

configure() {
	./configure -q CFLAGS="-O1 -fcommon -w" --without-curses --without-readline && make -s -j "$JOBS" &&
		rm -f sgf/sgfgen.c patterns/{mk*,joseki,dfa,*_fuseki}.c && find . -name '*.[oa]' -delete
}

build() {
	compile -fcommon -DHAVE_CONFIG_H -DGTP_ENABLED -I. -Iutils -Isgf -Iengine -Ipatterns -- utils/*.c sgf/*.c engine/*.c \
		interface/*.c patterns/*.c && link -lm
}

data() {
	cp -r "$(source_of "$package" "$version" "$original")/regression" .
}

tests() {
	local name
	for name; do
		x --quiet --seed 1 --mode gtp --gtp-input $name.tst
	done
}

workload() {
	cd "$D/regression" || return 1
	case $1 in
	train) tests connect capture ;;
	ref) tests arion tactics1 ego ;;
	small) tests capture ;;
	esac
}
