#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# doc/results.md is what the measurements in doc/results.json give, byte by byte: no number in it was written by hand.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
refused 2 "only one thing at a time" compare --report doc/results.json --markdown - --html=-
"$PATHFDO" compare --report doc/results.json --markdown "$T/results.md" >"$T/table" || fail "the report failed"
cmp "$T/results.md" doc/results.md ||
	fail "not the same; write it anew: build/pathfdo compare --report doc/results.json --markdown doc/results.md"
