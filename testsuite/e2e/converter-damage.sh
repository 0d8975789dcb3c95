#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A binary whose debug information is damaged, byte by byte, under a build-id that fits: never a crash, never an empty
# profile with exit 0.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs

"$CC" -O2 -gdwarf-5 "$P/convert-counts.c" "$P/convert-other.c" -o "$T/prog"
exact "$T/prog"
cp "$T/prog" "$T/whole"
failures=0
for section in .debug_info .debug_abbrev .debug_line .debug_rnglists .debug_str; do
	# shellcheck disable=SC2046 # three numbers
	set -- $(readelf -SW "$T/whole" | awk -v s="$section" '{ for (i = 1; i < NF; i++) if ($i == s) print $(i + 3), $(i + 4) }')
	offset=$((16#$1)) size=$((16#$2))
	for at in 0 2 4 6 8 11 $((size / 3)) $((size / 2)) $((size - 1)); do
		[ "$at" -lt "$size" ] || continue
		cp "$T/whole" "$T/prog"
		printf '\377' | dd of="$T/prog" bs=1 seek=$((offset + at)) conv=notrunc status=none
		rm -f "$T/none.pfdo"
		got=0
		"$PATHFDO" convert -q -b "$T/prog" "$T/prog.data" -o "$T/none.pfdo" 2>"$T/said" || got=$?
		case $got in
		0) [ "$("$PATHFDO" show --text "$T/none.pfdo" | grep -c '^function')" -gt 0 ] || fail "$section+$at: an empty profile" ;;
		1)
			failures=$((failures + 1))
			grep -q "$T/prog" "$T/said" || fail "$section+$at: the message names no file: $(cat "$T/said")"
			[ ! -e "$T/none.pfdo" ] || fail "$section+$at: a file in spite of the error"
			;;
		*) fail "$section+$at: exit status $got" ;;
		esac
	done
done
[ "$failures" -ge 5 ] || fail "only $failures of the damages were noticed"

# Line tables that can be read and are wrong.  The first unit's first sequence begins a byte further on, so that no row is at a
# function's entry; or ends a byte earlier, in its last function: nothing of that table is used, and the other unit is too little.
objcopy -O binary --only-section=.debug_line --set-section-flags .debug_line=alloc "$T/whole" "$T/line"
place=$(readelf -SW "$T/whole" | awk '{ for (i = 1; i < NF; i++) if ($i == ".debug_line") print $(i + 3) }')
# spoil PATTERN BYTE DIFFERENCE: $T/prog with another byte, so many behind the first match.
spoil() {
	local at byte
	at=$(($(grep -obUaP "$1" "$T/line" | head -n 1 | cut -d: -f1) + $2))
	byte=$(od -An -tu1 -j $at -N 1 "$T/line")
	cp "$T/whole" "$T/prog" && rm -f "$T/none.pfdo"
	# shellcheck disable=SC2059 # a byte
	printf "\\x$(printf %x $(((byte + $3 + 256) % 256)))" |
		dd of="$T/prog" bs=1 seek=$((16#$place + at)) conv=notrunc status=none
	refused 1 "warning: $T/prog: 1 of its 2 units of debug information cannot be read" \
		convert -b "$T/prog" "$T/prog.data" -o "$T/none.pfdo"
	grep -q "$T/prog: only [0-9]* of [0-9]* branches or samples have a source position" "$T/said" ||
		fail "a wrong line table has another reason: $(tail -n 1 "$T/said")"
}
spoil '\x00\x09\x02' 3 1
spoil '\x02.\x00\x01\x01' 1 -1

# What is short of memory or room is not damaged; it is an error of the program, and of a library that was asked for, while
# another library is left out and named.
cp "$T/whole" "$T/prog"
fake death
"$CC" -O2 -g -shared -fPIC "$P/convert-other.c" -o "$T/library.so"
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
"$CC" -O2 -g -no-pie "$P/convert-clock.c" -o "$T/work"
# text FILE: where its code begins in it.
text() {
	echo $((0x$(readelf -SW "$1" | awk '{ for (i = 1; i < NF; i++) if ($i == ".text") print $(i + 3) }')))
}
# The library is read first.
"$T/samples" "$T/two.data" "$T/library.so" "$(text "$T/library.so")" 500 "$T/work" "$(text "$T/work")" 500
(
	export LD_PRELOAD="$T/death.so" FAKE_DEATH=null # /dev/null, which the child opens
	killed='the process that reads its debug information was killed'
	refused 1 "$T/prog: $killed" convert -b "$T/prog" "$T/prog.data" -o "$T/none.pfdo"
	refused 1 "work: $killed" convert "$T/two.data" -o "$T/none.pfdo"
	export FAKE_DEATH_ONCE=$T/once
	: >"$T/once"
	refused 1 "library.so: $killed" convert -b "$T/library.so" "$T/two.data" -o "$T/none.pfdo"
	[ ! -e "$T/once" ] || fail "no process ended"
	: >"$T/once"
	"$PATHFDO" convert -q "$T/two.data" -o "$T/two.pfdo" 2>"$T/said" || fail "a library that cannot be read: $(cat "$T/said")"
	grep -q "warning: left out: $T/library.so: $killed" "$T/said" || fail "it is not named: $(cat "$T/said")"
)
"$PATHFDO" convert -q -b "$T/work" "$T/two.data" -o "$T/work.pfdo"
check_eq "the profile without the library" "$("$PATHFDO" show --text "$T/two.pfdo")" "$("$PATHFDO" show --text "$T/work.pfdo")"
(
	ulimit -f 1
	refused 1 "$T/prog: there is no room for .*ulimit -f" convert -b "$T/prog" "$T/prog.data" -o "$T/none.pfdo"
)
