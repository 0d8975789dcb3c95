#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Debug information from a server: the profile is what it is with the debug information in the program; what the server
# does not have, or has of another build, is told, with its name.  The server is a folder (file://).
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs
ldconfig -p 2>/dev/null | grep -q 'libdebuginfod\.so\.1' || skip "libdebuginfod is not installed"

# serve FILE ID: the server has FILE for what has this build-id.
serve() {
	mkdir -p "$T/server/buildid/$2"
	cp "$1" "$T/server/buildid/$2/debuginfo"
}

# asking ARGUMENT...: pathfdo, with a server and a cache that has nothing yet.
asking() {
	rm -rf "$T/cache"
	DEBUGINFOD_URLS=file://$T/server DEBUGINFOD_CACHE_PATH=$T/cache "$PATHFDO" "$@"
}

# told RE ARGUMENT...: the server is asked in vain, and this is said.
told() {
	rm -rf "$T/cache"
	DEBUGINFOD_URLS=file://$T/server DEBUGINFOD_CACHE_PATH=$T/cache refused 1 "$@"
}

id_of() {
	readelf -n "$1" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p'
}

"$CXX" -O2 -fno-unroll-loops -g "$P/convert-classes.cc" -o "$T/prog"
exact "$T/prog"
convert "$T/prog"
check_lines "$T/prog.txt" "$P/convert-classes.cc"
cp "$T/prog" "$T/whole"
objcopy --only-keep-debug "$T/prog" "$T/prog.debug"
strip "$T/prog"
id=$(id_of "$T/prog")

# Nobody is asked where no server is named, and for what the user did not name.
refused 1 "prog: no debug information \(no .debug_info in it, and no separate debug file\).*DEBUGINFOD_URLS" \
	convert -b "$T/prog" "$T/prog.data" -o "$T/none.pfdo"
serve "$T/prog.debug" "$id"
told "and no separate debug file; debuginfod is asked for what -b names" convert "$T/prog.data" -o "$T/none.pfdo"
[ ! -e "$T/cache" ] || fail "a server was asked for what was not named"

asking convert -q -b "$T/prog" "$T/prog.data" -o "$T/fetched.pfdo" || fail "debug information of a server is not used"
"$PATHFDO" show --text "$T/fetched.pfdo" | diff - "$T/prog.txt" >"$T/diff" ||
	fail "by debuginfod the profile is another: $(head -n 5 "$T/diff")"
asking coverage -b "$T/prog" "$T/prog.data" >"$T/coverage" || fail "coverage has no debug information"
grep -q "vectors  *[1-9]" "$T/coverage" || fail "coverage has nothing of it: $(head -n 5 "$T/coverage")"

# Another build's, none at all.
"$CXX" -O1 -g "$P/convert-classes.cc" -o "$T/other"
serve "$T/other" "$id"
told "debuginfo has another build-id" convert -b "$T/prog" "$T/prog.data" -o "$T/none.pfdo"
rm -r "$T/server/buildid"
told "and debuginfod has none \(No such file or directory\)" convert -b "$T/prog" "$T/prog.data" -o "$T/none.pfdo"

# What dwz has moved comes from there, too.
if command -v dwz >/dev/null; then
	cp "$T/whole" "$T/prog" && cp "$T/whole" "$T/twin"
	(cd "$T" && dwz -m shared.debug prog twin) || fail "dwz"
	serve "$T/shared.debug" "$(id_of "$T/shared.debug")"
	rm "$T/shared.debug"
	told "shared.debug of dwz.* is not there" convert "$T/prog.data" -o "$T/none.pfdo"
	asking convert -q -b "$T/prog" "$T/prog.data" -o "$T/moved.pfdo" || fail "a supplementary file of a server is not used"
	"$PATHFDO" show --text "$T/moved.pfdo" | diff - "$T/prog.txt" >"$T/diff" ||
		fail "with what dwz moved the profile is another: $(head -n 5 "$T/diff")"
fi
