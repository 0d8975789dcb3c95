#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Binaries that are not those that ran: without build-ids, the code tells, whichever command reads it; one that nobody
# asked for is left out and named; one that was renamed is given as RECORDED=FILE.  And: the order of recordings does
# not matter.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs
into="-o $T/none.pfdo"

# Rebuilt after a one-line edit, and another program altogether.
build() {
	"$CC" -O2 -g -Wl,--build-id=none "$1" "$P/convert-other.c" -o "$T/prog"
}
build "$P/convert-counts.c"
exact "$T/prog"
convert "$T/prog"
cp "$T/prog" "$T/kept"
if grep -q "impossible" "$T/prog.said"; then
	fail "the right binary has impossible branches: $(cat "$T/prog.said")"
fi
awk '!done && /^{/ { print; print "\tstatic volatile int edited;\n\tedited += edited * 3;"; done = 1; next } 1' \
	"$P/convert-counts.c" >"$T/edited.c"
build "$T/edited.c"
for asked in "" "-b $T/prog"; do
	# shellcheck disable=SC2086 # options are words
	refused 1 "prog: [0-9.]+% of the branches recorded in it are at no branch instruction.*no build-id was recorded" \
		convert $asked "$T/prog.data" $into
	check_within "percent" "$(sed -nE 's/.*prog: ([0-9.]+)% of the branches.*/\1/p' "$T/said" | tail -n 1)" 3 100
done
for command in coverage paths; do
	refused 1 "prog: [0-9.]+% of the branches recorded in it are at no branch instruction.*it is not the binary that ran" \
		$command -b "$T/prog" "$T/prog.data"
done
"$CC" -O2 -g -Wl,--build-id=none "$P/convert-clock.c" -o "$T/prog"
refused 1 "at no branch instruction" convert -b "$T/prog" "$T/prog.data" $into

# Plain samples: those that are within an instruction are of another binary.
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
"$CC" -O2 -g -no-pie -Wl,--build-id=none "$P/convert-clock.c" -o "$T/clock"
long=$(objdump -d --disassemble=main "$T/clock" |
	awk -F'\t' '/^ +[0-9a-f]+:/ && split($2, bytes, " ") > 1 { gsub(/[ :]/, "", $1); print $1; exit }')
long=$((16#$long - 0x400000))
"$T/samples" "$T/clock.data" "$T/clock" "$long" 98 "$T/clock" $((long + 1)) 2
"$PATHFDO" convert -q -b "$T/clock" "$T/clock.data" -o "$T/clock.pfdo" || fail "two odd samples prove nothing"
"$T/samples" "$T/clock.data" "$T/clock" "$long" 90 "$T/clock" $((long + 1)) 10
refused 1 "clock: 10.0% of the samples recorded in its functions are within an instruction" \
	convert -b "$T/clock" "$T/clock.data" $into
refused 1 "clock: 10.0% of the samples .* are within an instruction" coverage -b "$T/clock" "$T/clock.data"

# Renamed: -b RECORDED=FILE, by the whole path or its last part; a file whose name has a '=' is a file.
rm "$T/prog"
cp "$T/kept" "$T/a=b"
refused 1 "was not recorded.*-b RECORDED=$T/kept" convert -b "$T/kept" "$T/prog.data" $into
for way in "prog=$T/kept" "$T/prog=$T/kept" "prog=$T/a=b"; do
	"$PATHFDO" convert -q -b "$way" "$T/prog.data" -o "$T/renamed.pfdo" || fail "-b $way"
	"$PATHFDO" show --text "$T/renamed.pfdo" | cmp -s - "$T/prog.txt" || fail "-b $way: another profile"
done
refused 1 "was not recorded" convert -b "$T/a=b" "$T/prog.data" $into
refused 1 "was not recorded" convert -b "og=$T/kept" "$T/prog.data" $into

# Two programs; the second is not what it was.
"$CC" -O2 -g "$P/convert-counts.c" "$P/convert-other.c" -o "$T/mine"
"$CXX" -O2 -g "$P/convert-classes.cc" -o "$T/theirs"
exact "$T/mine"
exact "$T/theirs"
"$PATHFDO" convert -q "$T/mine.data" "$T/theirs.data" -o "$T/both.pfdo"
"$PATHFDO" convert -q "$T/theirs.data" "$T/mine.data" -o "$T/turned.pfdo"
"$PATHFDO" show --text "$T/both.pfdo" >"$T/both.txt"
"$PATHFDO" show --text "$T/turned.pfdo" | cmp -s - "$T/both.txt" || fail "the order of recordings matters"
for name in mine theirs; do
	check_eq "recordings of $name" "$(grep -c "^from .*$T/$name " "$T/both.txt")" 1
done
"$PATHFDO" convert -q -b "$T/mine" "$T/mine.data" -o "$T/mine.pfdo" && "$PATHFDO" show --text "$T/mine.pfdo" >"$T/mine.txt"
mv "$T/theirs" "$T/right"
spoil() {
	case $1 in
	rebuilt) "$CXX" -O1 -g "$P/convert-classes.cc" -o "$T/theirs" ;;
	text) echo "no program" >"$T/theirs" ;;
	cut) head -c 3000 "$T/right" >"$T/theirs" ;;
	damaged) objcopy --dump-section .debug_info="$T/info" "$T/right" "$T/theirs" && tr '\000-\377' '\377' <"$T/info" >"$T/bad" &&
		objcopy --update-section .debug_info="$T/bad" "$T/right" "$T/theirs" ;;
	esac
}
for how in rebuilt text cut damaged; do
	spoil "$how" 2>/dev/null
	"$PATHFDO" convert "$T/mine.data" "$T/theirs.data" -o "$T/left.pfdo" 2>"$T/said" ||
		fail "$how: another program's fault is ours: $(cat "$T/said")"
	"$PATHFDO" show --text "$T/left.pfdo" | grep '^function.*convert-\(counts\|other\).c' >"$T/left.functions"
	grep '^function.*convert-\(counts\|other\).c' "$T/mine.txt" | cmp -s - "$T/left.functions" || fail "$how: my functions differ"
	grep -q "$T/theirs" "$T/said" || fail "$how: it is not named: $(cat "$T/said")"
	if "$PATHFDO" show --text "$T/left.pfdo" | grep '^function.*convert-classes'; then
		fail "$how: it is in the profile"
	fi
	refused 1 "$T/theirs" convert -b "$T/mine" -b "theirs=$T/theirs" "$T/mine.data" "$T/theirs.data" $into
	refused 1 "$T/theirs" convert "$T/theirs.data" $into # nothing else to go on
done
