#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make install` puts the three products and the manual where they are looked for, and `make uninstall` leaves nothing.
set -eu
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

cd "$TOP"
make B="$B" install DESTDIR="$T/root" PREFIX=/opt/pf >"$T/log" 2>&1 || fail "make install: $(tail -n 3 "$T/log")"
check_eq "version" "$("$T/root/opt/pf/bin/pathfdo" --version)" "$("$PATHFDO" --version)"
[ -f "$T/root/opt/pf/lib/pathfdo/libpathfdo-recorder.so" ] || fail "there is no recorder library"
[ -f "$T/root$($CC -print-file-name=plugin)/pathfdo.so" ] || fail "there is no plugin"
[ -f "$T/root/opt/pf/share/man/man1/pathfdo-record.1" ] || fail "there is no manual page"

"$T/root/opt/pf/bin/pathfdo" record --source=soft -o "$T/data" -- /bin/sh -c : 2>"$T/log" ||
	grep -q 'libpathfdo-recorder' "$T/log" && fail "the installed command does not find its library: $(cat "$T/log")"

make B="$B" uninstall DESTDIR="$T/root" PREFIX=/opt/pf >"$T/log" 2>&1 || fail "make uninstall: $(tail -n 3 "$T/log")"
check_eq "files left by make uninstall" "$(find "$T/root" -type f)" ""
