#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole road for C++: virtual calls, inlining three deep, macros, recursion, exceptions.
set -eu
. "$(dirname "$0")/lib.sh"

road "$CXX" "" 9000 60 testsuite/programs/road-shapes.cc
check_fewer 2
# The likely target of the virtual call, and the inlining, are in the profile.
"$PATHFDO" show --text "$T/p.pfdo" >"$T/p.txt"
grep -q 'square' "$T/p.txt" || fail "the profile knows no call of square::area"
for name in deeper deepest; do
	grep -q "$name" "$T/p.txt" || fail "the profile has no inlined $name"
done
