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

refused 1 "$T/absent" convert "$T/absent" $into
echo "no recording" >"$T/text"
refused 1 "$T/text" convert "$T/text" $into
size=$(stat -c %s "$T/prog.data")
for part in 10 100 500 2000 $((size / 2)) $((size - 1)); do
	head -c "$part" "$T/prog.data" >"$T/cut"
	refused 1 "$T/cut" convert -b "$T/prog" "$T/cut" $into
done

# Another program of the same name, another program altogether, no program.
mkdir "$T/other"
"$CC" -O1 -g "$P/convert-counts.c" "$P/convert-other.c" -o "$T/other/prog"
recorded=$(readelf -n "$T/prog" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p')
found=$(readelf -n "$T/other/prog" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p')
refused 1 "$found.*$recorded" convert -b "$T/other/prog" "$T/prog.data" $into
refused 1 "/bin/true.*not recorded" convert -b /bin/true "$T/prog.data" $into
refused 1 "$T/text.*ELF" convert -b "$T/text" "$T/prog.data" $into
head -c 3000 "$T/prog" >"$T/other/cut"
refused 1 "$T/other/cut.*truncated" convert -b "$T/other/cut" "$T/prog.data" $into
cp "$T/other/prog" "$T/moved" && mv "$T/prog" "$T/kept" && cp "$T/moved" "$T/prog"
refused 1 "$found.*$recorded" convert "$T/prog.data" $into
mv "$T/kept" "$T/prog"

# One recording twice, by whatever name.
cp "$T/prog.data" "$T/copy.data" && ln -s prog.data "$T/link.data"
refused 1 "$T/prog.data: is the same" convert -b "$T/prog" "$T/prog.data" "$T/prog.data" $into
refused 1 "$T/link.data: is the same recording as $T/prog.data" convert -b "$T/prog" "$T/prog.data" "$T/link.data" $into
refused 1 "$T/copy.data: is the same recording as $T/prog.data" convert -b "$T/prog" "$T/prog.data" "$T/copy.data" $into

# Output that cannot be written.
refused 1 "/nowhere/x.pfdo" convert -b "$T/prog" "$T/prog.data" -o /nowhere/x.pfdo
refused 1 "/dev/full" convert -b "$T/prog" "$T/prog.data" -o /dev/full

# Wrong usage exits 2.
refused 2 "no recording" convert
refused 2 "standard input is one" convert - - $into
refused 1 "is empty; here goes what" convert - $into </dev/null
refused 2 "no -o" convert "$T/prog.data"
refused 2 "unrecognized option" convert --no-such-option
refused 2 "rate, period or none" convert --weight=heavy "$T/prog.data" $into
refused 2 "number of branches" convert --skip-first=x "$T/prog.data" $into
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
