# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Sourced by the end-to-end tests: `. "$(dirname "$0")/lib.sh"`.  Gives
#   $TOP        the source folder              $B       the build folder, absolute
#   $PATHFDO    the command under test         $PLUGIN  the plugin under test
#   $CC $CXX    the compilers                  $T       a fresh folder, removed at exit
#   fail MSG                    the test fails here           skip REASON        it cannot run here, and why
#   check_eq WHAT GOT WANT      both are the same text        check_within WHAT GOT LOW HIGH   LOW <= GOT <= HIGH
#   callgrind OUT CMD...        instructions that CMD executes, children included; CMD's output goes to OUT
# A test runs by itself too: `bash testsuite/e2e/NAME.sh` after `make`.
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
B=$(cd "${B:-$TOP/build}" 2>/dev/null && pwd) || {
	echo "there is no build folder: run make first" >&2
	exit 1
}
PATHFDO=${PATHFDO:-$B/pathfdo}
PLUGIN=${PLUGIN:-$B/pathfdo.so}
CC=${CC:-gcc}
CXX=${CXX:-g++}
T=$(mktemp -d "${TMPDIR:-/tmp}/pathfdo-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
export LC_ALL=C
export TOP B PATHFDO PLUGIN CC CXX T

fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

skip() {
	echo "skip: $*"
	exit 77
}

check_eq() {
	[ "$2" = "$3" ] || fail "$1: got '$2', want '$3'"
}

check_within() {
	awk -v got="$2" -v low="$3" -v high="$4" \
		'BEGIN { exit !(got ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && got + 0 >= low + 0 && got + 0 <= high + 0) }' ||
		fail "$1: got '$2', want $3 to $4"
}

callgrind() {
	local out=$1
	shift
	rm -f "$T"/callgrind.*
	valgrind -q --tool=callgrind --trace-children=yes --callgrind-out-file="$T/callgrind.%p" "$@" >"$out" ||
		fail "under callgrind, '$*' ended with $?"
	awk '/^summary:/ { sum += $2 } END { printf "%d\n", sum }' "$T"/callgrind.*
}
