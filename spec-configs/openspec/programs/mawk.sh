# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086
# Splits, counts and rewrites log-like text.
package=mawk version=1.3.4.20200120-3.1 language=c
EXE=mawk

# configure and the two generators among its files are built plain: they are tools, not the program.
build() {
	CC="$CC" CFLAGS="-O1" ./configure --with-builtin-srand >/dev/null && make -s scancode.c >/dev/null &&
		for f in parse scan memory main hash execute code da error init bi_vars cast print bi_funct kw jmp array field \
			split re_cmpl regexp zmalloc fin files scancode matherr fcall version; do
			[ ! -f $f.c ] || $CC $OPT -DHAVE_CONFIG_H -I. -c $f.c || return 1
		done
	$CC $OPT -o $EXE parse.o scan.o memory.o main.o hash.o execute.o code.o da.o error.o init.o bi_vars.o cast.o print.o \
		bi_funct.o kw.o jmp.o array.o field.o split.o re_cmpl.o regexp.o zmalloc.o fin.o files.o scancode.o matherr.o \
		fcall.o version.o -lm
}

data() {
	for seed in 1 11 21 31; do
		"$GENERATE" text $seed 130000 >train$seed
	done
	"$GENERATE" text 2 330000 >ref
	"$GENERATE" text 3 4000 >small
}

workload() {
	local log
	for log in "$D/$1"*; do
		x -f "$BENCH/work/logs.awk" -v mode=$1 "$log" || return 1
	done
}
