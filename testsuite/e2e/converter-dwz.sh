#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Debug information that dwz has moved to a supplementary file: the profile is the same as without dwz.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs
command -v dwz >/dev/null || skip "dwz is not installed"

# functions BINARY: converts the recording of $T/prog with it.
functions() {
	"$PATHFDO" convert -q -b "prog=$1" "${@:2}" "$T/prog.data" -o "$T/dwz.pfdo" || fail "$1"
	"$PATHFDO" show --text "$T/dwz.pfdo" | grep -v "^from"
}
for flags in -gdwarf-4 -gdwarf-5; do
	"$CXX" -O2 -fno-unroll-loops "$flags" "$P/convert-classes.cc" -o "$T/prog"
	exact "$T/prog"
	convert "$T/prog"
	check_lines "$T/prog.txt" "$P/convert-classes.cc"
	grep -v "^from" "$T/prog.txt" >"$T/wanted.txt"
	mkdir -p "$T/moved"
	cp "$T/prog" "$T/moved/prog" && cp "$T/prog" "$T/moved/twin"
	(cd "$T/moved" && dwz -m shared.debug prog twin) || fail "dwz $flags"
	readelf -SW "$T/moved/prog" | grep -q gnu_debugaltlink || fail "dwz $flags moved nothing"
	functions "$T/moved/prog" | diff - "$T/wanted.txt" >"$T/diff" || fail "dwz $flags: $(head -n 5 "$T/diff")"
	mv "$T/moved/shared.debug" "$T/shared.debug"
	refused 1 "shared.debug of dwz.* is not there" convert -b "$T/moved/prog" "$T/prog.data" -o "$T/none.pfdo"
	cp "$T/prog" "$T/moved/shared.debug" # another file of the name
	refused 1 "shared.debug of dwz.* is not there" convert -b "$T/moved/prog" "$T/prog.data" -o "$T/none.pfdo"
	rm "$T/moved/shared.debug"
done

# By build-id, below the debug folder; and dwz within one file.
"$CXX" -O2 -fno-unroll-loops -g "$P/convert-classes.cc" -o "$T/prog"
cp "$T/prog" "$T/moved/prog" && cp "$T/prog" "$T/moved/twin" && cp "$T/prog" "$T/moved/alone"
(cd "$T/moved" && dwz -m shared.debug prog twin && dwz alone)
exact "$T/prog"
convert "$T/prog"
grep -v "^from" "$T/prog.txt" >"$T/wanted.txt"
id=$(readelf -n "$T/moved/shared.debug" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p')
mkdir -p "$T/debug/.build-id/${id:0:2}" && mv "$T/moved/shared.debug" "$T/debug/.build-id/${id:0:2}/${id:2}.debug"
functions "$T/moved/prog" --debug-dir "$T/debug" | cmp -s - "$T/wanted.txt" || fail "by build-id the profile is another"
functions "$T/moved/alone" | cmp -s - "$T/wanted.txt" || fail "dwz of one file: the profile is another"

# The form of DWARF 5: .debug_sup, by name and checksum.
cp "$T/prog" "$T/moved/prog" && cp "$T/prog" "$T/moved/twin"
if (cd "$T/moved" && dwz --dwarf-5 -m shared.debug prog twin) && readelf -SW "$T/moved/prog" | grep -q debug_sup; then
	functions "$T/moved/prog" | diff - "$T/wanted.txt" >"$T/diff" || fail "dwz --dwarf-5: $(head -n 5 "$T/diff")"
	mv "$T/moved/shared.debug" "$T/shared.debug"
	refused 1 "shared.debug of dwz.* is not there" convert -b "$T/moved/prog" "$T/prog.data" -o "$T/none.pfdo"
	cp "$T/prog" "$T/moved/shared.debug"
	refused 1 "shared.debug of dwz.* is not there" convert -b "$T/moved/prog" "$T/prog.data" -o "$T/none.pfdo"
else
	echo "skip: this dwz makes no .debug_sup"
fi
