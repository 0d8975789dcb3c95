# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Splits, counts and rewrites log-like text.
package=mawk version=1.3.4.20200120-3.1 language=c stands_for="text processing (as 400.perlbench)"
EXE=mawk

# The two generators among its files are tools, not the program.
configure() {
	CFLAGS=-O1 ./configure --with-builtin-srand && make scancode.c
}

build() {
	local name files=
	for name in parse scan memory main hash execute code da error init bi_vars cast print bi_funct kw jmp array field \
		split re_cmpl regexp zmalloc fin files scancode matherr fcall version; do
		[ ! -f $name.c ] || files="$files $name.c"
	done
	compile -DHAVE_CONFIG_H -I. -- $files && link -lm
}

data() {
	for seed in 1 11 21 31; do
		"$GENERATE" text $seed 130000 >train$seed
	done
	"$GENERATE" text 2 900000 >ref
	"$GENERATE" text 3 4000 >small
}

workload() {
	local log
	for log in "$D/$1"*; do
		x -f "$WORK/logs.awk" -v mode=$1 "$log" || return 1
	done
}
