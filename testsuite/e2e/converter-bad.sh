#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Input that cannot be converted: one message that names the file, what is wrong and what to do, exit 1, no file.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs

"$CC" -O2 -g "$P/convert-counts.c" "$P/convert-other.c" -o "$T/prog"
exact "$T/prog"
convert "$T/prog"
into="-o $T/none.pfdo"

must_fail 1 "$T/absent" "$PATHFDO" convert "$T/absent" $into
echo "no recording" >"$T/text"
must_fail 1 "$T/text" "$PATHFDO" convert "$T/text" $into
size=$(stat -c %s "$T/prog.data")
for part in 10 100 500 2000 $((size / 2)) $((size - 1)); do
	head -c "$part" "$T/prog.data" >"$T/cut"
	must_fail 1 "$T/cut" "$PATHFDO" convert -b "$T/prog" "$T/cut" $into
done

# Another program of the same name, another program altogether, no program.
mkdir "$T/other"
"$CC" -O1 -g "$P/convert-counts.c" "$P/convert-other.c" -o "$T/other/prog"
recorded=$(readelf -n "$T/prog" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p')
found=$(readelf -n "$T/other/prog" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p')
must_fail 1 "$found.*$recorded" "$PATHFDO" convert -b "$T/other/prog" "$T/prog.data" $into
must_fail 1 "/bin/true.*not recorded" "$PATHFDO" convert -b /bin/true "$T/prog.data" $into
must_fail 1 "$T/text.*ELF" "$PATHFDO" convert -b "$T/text" "$T/prog.data" $into
head -c 3000 "$T/prog" >"$T/other/cut"
must_fail 1 "$T/other/cut.*truncated" "$PATHFDO" convert -b "$T/other/cut" "$T/prog.data" $into
cp "$T/other/prog" "$T/moved" && mv "$T/prog" "$T/kept" && cp "$T/moved" "$T/prog"
must_fail 1 "$found.*$recorded" "$PATHFDO" convert "$T/prog.data" $into
mv "$T/kept" "$T/prog"

# Output that cannot be written.
must_fail 1 "/nowhere/x.pfdo" "$PATHFDO" convert -b "$T/prog" "$T/prog.data" -o /nowhere/x.pfdo
must_fail 1 "/dev/full" "$PATHFDO" convert -b "$T/prog" "$T/prog.data" -o /dev/full

# Wrong usage exits 2.
must_fail 2 "usage" "$PATHFDO" convert
must_fail 2 "no -o" "$PATHFDO" convert "$T/prog.data"
must_fail 2 "usage" "$PATHFDO" convert --no-such-option
must_fail 2 "period, none or rate" "$PATHFDO" convert --weight=heavy "$T/prog.data" $into
must_fail 2 "number of branches" "$PATHFDO" convert --skip-first=x "$T/prog.data" $into
"$PATHFDO" convert --help | grep -q "debug-dir" || fail "--help says nothing"

# Half of the code without debug information: a warning names it.
"$CC" -O2 -c "$P/convert-counts.c" -o "$T/bare.o"
"$CC" -O2 -g "$T/bare.o" "$P/convert-other.c" -o "$T/half"
exact "$T/half"
got=0
"$PATHFDO" convert -q -b "$T/half" "$T/half.data" -o "$T/none.pfdo" 2>"$T/said" || got=$?
case $got in
0) grep -q "warning: .*half.*-g" "$T/said" || fail "no warning about the unmapped half: $(cat "$T/said")" ;;
1) grep -q "half.*-g" "$T/said" || fail "the error does not name the cure: $(cat "$T/said")" ;;
*) fail "exit status $got" ;;
esac
