#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole road for threads, fork and exec, a linked shared library, and objects that are opened and closed.
set -eu
. "$(dirname "$0")/lib.sh"

for flavour in 1 2; do
	$CC -O2 -g -fPIC -shared -DFLAVOUR=$flavour "$TOP/testsuite/programs/road-module.c" -o "$T/opened$flavour.so"
done
$CC -O2 -g -fPIC -shared "$TOP/testsuite/programs/road-module.c" -o "$T/libmodule.so"
road "$CC" "-L$T -lmodule -Wl,-rpath,$T -lpthread -ldl" "20000 $T" "200 $T" testsuite/programs/road-processes.c
check_fewer 1
# The program's profile has its own functions only; the library's are had by naming the library.
"$PATHFDO" show --text "$T/p.pfdo" >"$T/p.txt"
grep -q 'own_work' "$T/p.txt" || fail "the profile does not know own_work"
"$PATHFDO" convert -b "$T/libmodule.so" "$T/p.data" -o "$T/library.pfdo" >"$T/log" 2>&1 || fail "$(cat "$T/log")"
"$PATHFDO" show --text "$T/library.pfdo" | grep -q 'module_work' || fail "the library's profile does not know module_work"
