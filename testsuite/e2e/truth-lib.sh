# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For tests of the plugin's counts against gcov's, after lib.sh.

# truth NAME FUNCTION ERROR: the ERROR (block_error, branch_error) of FUNCTION in NAME.c, by a recording of the program
# with the argument 200000, against what it counts by itself with 2000.
truth() {
	$CC -O2 -g -fprofile-generate="$T/gcda" -c "$1.c"
	$CC -fprofile-generate "$1.o" -o counted
	./counted 2000 >counted.out
	$CC -O2 -g "$1.c" -o plain
	"$PATHFDO" record -F 1000 -o "$1.data" -- ./plain 200000 >plain.out 2>recorded || fail "not recorded: $(cat recorded)"
	"$PATHFDO" convert -b plain "$1.data" -o "$1.pfdo" >converted 2>&1 || fail "not converted: $(cat converted)"
	$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1.pfdo" -fplugin-arg-pathfdo-truth="$T/gcda" \
		-fplugin-arg-pathfdo-report="$T/report" -c "$1.c" 2>messages || fail "not compiled: $(cat messages)"
	sed -n "s/^{\"truth\":\"$2\".*\"$3\":\([0-9.]*\).*/\1/p" report
}
