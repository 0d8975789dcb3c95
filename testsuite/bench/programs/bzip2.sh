# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086
# Trained on C source, measured on test scripts, prose-like logs and binary pages.
package=bzip2 version=1.0.8-5 language=c
also=sqlite3=3.40.1-2+deb12u2
EXE=bzip2

build() {
	for f in blocksort huffman crctable randtable compress decompress bzlib bzip2; do
		$CC $OPT -D_FILE_OFFSET_BITS=64 -c $f.c || return 1
	done
	$CC $OPT -o $EXE ./*.o
}

data() {
	local sqlite
	sqlite=$(source_of sqlite3 3.40.1-2+deb12u2)
	cat "$sqlite"/src/*.c | head -c 9000000 >train
	{ cat "$sqlite"/test/*.test | head -c 14000000 && "$GENERATE" text 5 60000; } >ref
	{ tail -c 400000 ref && head -c 500000 ref; } >small
}

workload() {
	if [ $1 = train ]; then x -1c "$D/$1" >o.bz2 && x -dc o.bz2 | cksum; fi
	x -9c "$D/$1" >o.bz2 && x -dc o.bz2 | cksum
}
