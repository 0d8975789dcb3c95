#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A command in the middle of a recipe's step that fails ends the step, and all; one that does not fail has the recipe's settings
# and functions, and the options of its variant.
set -eu
. "$(dirname "$0")/lib.sh"
mkdir "$T/home" "$T/source"
export XDG_CACHE_HOME=$T/cache
. "$TOP/testsuite/bench/lib.sh"
NAME=work HOME_OF=$T/home EXE="a program" SOURCE=$T/made D=$T/home/data language="it's C"
broken=none
breaks() {
	[ "$broken" != "$1" ]
}
configure() {
	breaks configure
	echo "$NAME, $language" >configured
}
build() {
	(breaks build)
	echo "$(cat configured), $CFLAGS, $(printenv FFLAGS)" >"$EXE"
	chmod +x "$EXE"
}

make_source "$T/source"
compile_in base -g3
check_eq "what the steps know" "$(cat "$T/home/base/a program")" "work, it's C, -O2 -g -g3, -O2 -g -g3"

broken=configure
(make_source "$T/source") 2>"$T/said" && fail "what fails in the middle of configure is passed over"
grep -q 'cannot be configured' "$T/said" || fail "configure: $(cat "$T/said")"
broken=none
make_source "$T/source"
broken=build
(compile_in base "") 2>"$T/said" && fail "what fails in the middle of build is passed over"
grep -q 'does not build' "$T/said" || fail "build: $(cat "$T/said")"
[ ! -e "$T/home/base/a program" ] || fail "there is a program all the same"

# As the source is fetched: what Debian has is asked for once, and not taken for known where that failed.
mkdir -p "$T/cache/pathfdo/apt"
own_apt() {
	echo "$*" >>"$T/asked"
	breaks lists
}
broken=lists
step "$T" fetch_updated true && fail "that the lists cannot be had is passed over"
[ ! -e "$T/cache/pathfdo/apt/updated" ] || fail "lists that could not be had count as had"
broken=none
step "$T" fetch_updated true
step "$T" fetch_updated true
check_eq "what apt was asked" "$(paste -sd, "$T/asked")" update,update
