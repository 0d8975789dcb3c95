# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Trained on C source and on web pages, measured on test scripts and prose-like logs.
package=bzip2 version=1.0.8-5 language=c stands_for=401.bzip2
also=sqlite3=3.40.1-2+deb12u2
EXE=bzip2

build() {
	compile -D_FILE_OFFSET_BITS=64 -- {blocksort,huffman,crctable,randtable,compress,decompress,bzlib,bzip2}.c && link
}

data() {
	local sqlite
	sqlite=$(other sqlite3)
	cat "$sqlite"/src/*.c >train1
	cat "$sqlite"/www/[c-l]*.html | head -c 10000000 >train2
	{ cat "$sqlite"/test/*.test && "$GENERATE" text 5 200000; } >ref
	{ tail -c 400000 ref && head -c 500000 ref; } >small
}

workload() {
	case $1 in
	train) there_and_back -1 train1 && there_and_back -9 train1 && there_and_back -9 train2 ;;
	*) there_and_back -9 $1 ;;
	esac
}

there_and_back() {
	x ${1}c "$D/$2" >o.bz2 && x -dc o.bz2 | cksum
}
