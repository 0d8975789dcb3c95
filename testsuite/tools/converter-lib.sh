# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For the converter's end-to-end tests, after e2e/lib.sh: exact recordings by callgrind, and the counts that programs
# of testsuite/programs/ name in their own lines ("=640=").
VECTORS=$B/tools/callgrind-vectors

# exact BINARY [ARGUMENT]...: runs it under callgrind; leaves BINARY.data and what it printed in BINARY.out.
exact() {
	command -v valgrind >/dev/null || skip "valgrind is not installed"
	[ -x "$VECTORS" ] || fail "$VECTORS is not built: run make tools"
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
		--compress-pos=no --callgrind-out-file="$1.callgrind" "$@" >"$1.out" || fail "$1 under callgrind: $?"
	"$VECTORS" "$1.callgrind" "$1.data" || fail "no recording of $1"
}

# wanted SOURCE...: "FILE:LINE COUNT" of each line that names a count.
wanted() {
	grep -nE '=[0-9]+=' "$@" /dev/null | sed -E 's#^([^:]*/)?([^:/]+:[0-9]+):.*=([0-9]+)=.*$#\2 \3#' | sort
}

# Programs with such counts are compiled with -fno-unroll-loops: from GCC 13 on, -O2 unrolls small loops, and copies that
# stand in one machine block count once (doc/counts.md).
# check_lines TEXT SOURCE...: the profile TEXT (of pathfdo show) has the counts that SOURCE names, all of them.
check_lines() {
	local text=$1 wrong
	shift
	wanted "$@" >"$T/wanted"
	[ "$(wc -l <"$T/wanted")" -ge 5 ] || fail "the sources name too few counts"
	awk -f "$TOP/testsuite/tools/line-counts.awk" "$text" | sort >"$T/counts"
	wrong=$(join -a 1 -e none -o 0,1.2,2.2 "$T/wanted" "$T/counts" | awk '$2 != $3 { print $1 ": want " $2 ", got " $3 }')
	[ -z "$wrong" ] || fail "$text:
$wrong"
}

# convert BINARY: its profile as text in BINARY.txt, what convert said in BINARY.said.
convert() {
	local binary=$1
	shift
	"$PATHFDO" convert -b "$binary" "$@" "$binary.data" -o "$binary.pfdo" 2>"$binary.said" ||
		fail "convert $binary: $(cat "$binary.said")"
	"$PATHFDO" show --text "$binary.pfdo" >"$binary.txt" || fail "show $binary.pfdo"
}
