# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Trained on C source at two levels, measured on logs, test scripts and documents; liblzma is in the program.
package=xz-utils version=5.4.1-1+deb12u1 language=c stands_for=557.xz
also=sqlite3=3.40.1-2+deb12u2
EXE=xz

configure() {
	./configure -q CFLAGS=-O1 --disable-shared --disable-nls --disable-doc --disable-scripts --disable-threads \
		--enable-sandbox=no
}

# All of the library is linked: of files that are not in the program there are no counts.
build() {
	make -s -j "$JOBS" -C src/liblzma CC="$CC" CFLAGS="$CFLAGS" &&
		make -s -j "$JOBS" -C src/xz xz CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" &&
		mkdir objects && cp src/xz/*.o objects &&
		link -Wl,--whole-archive src/liblzma/.libs/liblzma.a -Wl,--no-whole-archive
}

data() {
	local sqlite
	sqlite=$(other sqlite3)
	cat "$sqlite"/src/*.c >train
	{ cat "$sqlite"/test/[a-m]*.test && "$GENERATE" text 15 80000 && cat "$sqlite"/www/[m-p]*.html; } >ref
	tail -c 400000 ref >small
}

workload() {
	case $1 in
	train) there_and_back 2 train && there_and_back 5 train ;;
	ref) there_and_back 6 ref ;;
	small) there_and_back 4 small ;;
	esac
}

there_and_back() {
	x -T1 -c -$1 "$D/$2" >o.xz && x -T1 -dc o.xz | cksum
}
