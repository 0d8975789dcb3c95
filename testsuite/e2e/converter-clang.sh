#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A binary of Clang, which gives code that it made up line 0: that is no position, nothing is charged to it, and what
# runs within a block of the source is mapped all the same.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs
command -v clang++ >/dev/null || skip "clang++ is not installed"
DUMP=$(command -v llvm-dwarfdump llvm-dwarfdump-14 | head -n 1) || true
[ "$DUMP" ] || skip "llvm-dwarfdump is not installed"

clang++ -O2 -gdwarf-4 -Wl,--build-id=none "$P/road-shapes.cc" -o "$T/whole"
# The test is about these.
"$DUMP" --debug-line "$T/whole" | awk '/^0x/ && $2 == 0 { zeroes++ } END { exit !(zeroes >= 5) }' ||
	skip "this clang gives no code line 0"
strip -o "$T/prog" "$T/whole" # valgrind cannot read all debug information
exact "$T/prog"
"$PATHFDO" convert -b "prog=$T/whole" "$T/prog.data" -o "$T/p.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
mapped=$(sed -nE 's/.*prog: .* ([0-9.]+)% of it mapped.*/\1/p' "$T/said")
stubs=$(sed -nE 's/.*prog: .* ([0-9.]+)% in stubs.*/\1/p' "$T/said")
check_within "mapped, or in stubs" "$(awk "BEGIN { print $mapped + ${stubs:-0} }")" 96 100
if grep -q "built without -g" "$T/said"; then
	fail "$(cat "$T/said")"
fi

# A record's line counts from the one that its function is declared in: line 0 would lie that far in front.
"$PATHFDO" show --text "$T/p.pfdo" | awk '
	/^function/ { split($3, at, ":"); declared = at[2] }
	/^  [-0-9]+:/ { split($1, position, ":"); if (position[1] + declared == 0) exit 1 }' || fail "a count at line 0"
