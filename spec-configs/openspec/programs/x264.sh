# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A video encoder in plain C, without its assembly.  Trained on one clip and setting, measured on another.
package=x264 version=2:0.164.3095+gitbaee400-3 language=c stands_for="464.h264ref, 525.x264"
build_seconds=25
EXE=x264

# Its own -O3 and -O4 would come after ours.
configure() {
	CC=gcc ./configure --disable-asm --disable-avs --disable-lavf --disable-swscale --disable-ffms --disable-gpac \
		--disable-lsmash --disable-opencl --disable-thread --bit-depth=8 && sed -i 's/-O[34] //' config.mak
}

build() {
	local own
	own=$(sed -n 's/^CFLAGS=//p' config.mak)
	make -s -j "$JOBS" x264 CC="$CC" LD="$CC $CFLAGS $LDFLAGS -o " CFLAGS="$own $CFLAGS"
}

data() {
	"$GENERATE" video 1 140 >train
	"$GENERATE" video 7 160 >ref
	"$GENERATE" video 3 2 >small
}

workload() {
	local settings="--preset medium --crf 23"
	[ $1 != train ] || settings="--preset fast --crf 26"
	x --quiet --no-progress --threads 1 --demuxer raw --input-res 352x288 --fps 25 $settings -o o.264 "$D/$1" && cksum <o.264
}
