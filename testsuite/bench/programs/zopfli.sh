# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A compressor in C that searches long, beside those of openspec: trained on text, measured on XML.
package=zopfli version=1.0.3-1 language=c stands_for="compression (as 401.bzip2)"
EXE=zopfli

build() {
	compile -- src/zopfli/*.c && link -lm
}

data() {
	"$GENERATE" text 7 9000 >train
	"$GENERATE" xml 8 9000 >ref
	"$GENERATE" xml 10 100 >small
}

workload() {
	x -c --i5 "$D/$1" | cksum
}
