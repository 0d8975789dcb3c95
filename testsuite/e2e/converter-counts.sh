#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Counts by source line against hand computation, over an exact recording: each way to write, compress and place the
# debug information must give the same.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs

one() { # NAME FLAG...
	local name=$1
	shift
	# shellcheck disable=SC2068 # flags are words
	"$CC" -O2 "$@" "$P/convert-counts.c" "$P/convert-other.c" -o "$T/$name" || fail "cannot compile with $*"
	exact "$T/$name"
	convert "$T/$name"
	check_lines "$T/$name.txt" "$P/convert-counts.c" "$P/convert-other.c"
}

one plain -g
one dwarf4 -gdwarf-4
one dwarf5 -gdwarf-5
one gz -g -gz
one zdebug -gdwarf-4 -gz=zlib-gnu
one nopie -g -no-pie
one lto -g -flto
# Without the passes that give constants to copies of the code, so that the tests which the sources count vanish.
one O3 -g -O3 -fno-ipa-cp -fno-split-loops
one sections -g -ffunction-sections -Wl,--gc-sections

# Rows at which an epilogue begins, as LLVM marks some: here all are.
for source in counts other; do
	"$CC" -O2 -g -S "$P/convert-$source.c" -o - | sed '/^\t\.loc /s/$/ epilogue_begin/' >"$T/$source.s"
done
"$CC" "$T/counts.s" "$T/other.s" -o "$T/marked"
exact "$T/marked"
convert "$T/marked"
check_lines "$T/marked.txt" "$P/convert-counts.c" "$P/convert-other.c"

# The compiler's own witness that the numbers in the sources are right.
"$CC" -O0 --coverage "$P/convert-counts.c" "$P/convert-other.c" -o "$T/cov" -dumpdir "$T/cov-"
"$T/cov" >/dev/null
(cd "$T" && "$GCOV" -o "$T" cov-convert-counts.gcda >/dev/null 2>&1) || true
[ -f "$T/convert-counts.c.gcov" ] || fail "gcov wrote nothing"
wrong=$(sed -nE 's#^ *([0-9]+|\#+|-)\*?: *[0-9]+:.*=([0-9]+)=.*#\1 \2#p' "$T/convert-counts.c.gcov" |
	sed 's/^#*  *0$/0 0/' | awk '$1 != $2')
[ -z "$wrong" ] || fail "gcov counts other than the sources say: $wrong"

# Two static functions of one name stay apart, by file.
check_eq "functions called helper" "$(grep -cE '^function helper ' "$T/plain.txt")" 2
check_eq "head counts" "$(sed -nE 's/^function helper .*:[0-9]+ head ([0-9]+) .*/\1/p' "$T/plain.txt" | sort -n | paste -sd ' ')" "11 37"

# Recursion counts each call; inlining is three deep, and each instance was entered 640 times.
check_eq "calls of tree" "$(sed -nE 's/^function tree .* head ([0-9]+) .*/\1/p' "$T/plain.txt")" 1023
check_eq "instances" "$(grep -E '^ +inline @[0-9]+ (outer|middle|deepest) ' "$T/plain.txt" |
	awk '{ print $3, $NF }' | paste -sd ' ')" "outer 640 middle 640 deepest 640"

# An indirect call's targets.
check_eq "targets" "$(awk '/^function run_pointers/ { on = 1; next } /^function/ { on = 0 } on && $1 == "call" { print $2, $3 }' \
	"$T/plain.txt" | sort | paste -sd ' ')" "thrice 30 twice 60"
