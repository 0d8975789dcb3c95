# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Sourced by the end-to-end tests: `. "$(dirname "$0")/lib.sh"`.  Gives
#   $TOP        the source folder              $B       the build folder, absolute
#   $PATHFDO    the command under test         $PLUGIN  the plugin under test
#   $CC $CXX    the compilers, with $GCOV      $T       a fresh folder, removed at exit
# The compilers are words without blanks: `ccache gcc` is called by a script.
#   fail MSG                    the test fails here           skip REASON        it cannot run here, and why
#   check_eq WHAT GOT WANT      both are the same text        check_within WHAT GOT LOW HIGH   LOW <= GOT <= HIGH
#   refused STATUS RE ARG...    pathfdo with these arguments fails so, says so, prints and writes ($T/none.pfdo) nothing
#   taken NAME ARGUMENT...      the branches that a run of ./NAME takes; what it prints goes to NAME.out
#   unrecorded LOG              fails: the software recorder left nothing
#   fake NAME                   builds testsuite/fakes/fake-NAME.c, a library to preload, as $T/NAME.so
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
# Root records in folders that other users can reach only, and what they run they must be able to read.
chmod 711 "$T"
umask 022
trap 'rm -rf "$T"' EXIT
unset PYTHONOPTIMIZE # its asserts are checks
unset DEBUGINFOD_URLS # what is not here is asked of nobody
export LC_ALL=C
export TOP B PATHFDO PLUGIN CC CXX T

fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# one_word VARIABLE: what it holds is a command of one word from now on.
one_word() {
	case ${!1} in
	*' '*)
		mkdir -p "$T/.words"
		printf '#!/bin/sh\nexec %s "$@"\n' "${!1}" >"$T/.words/$1"
		chmod 755 "$T/.words/$1"
		printf -v "$1" %s "$T/.words/$1"
		;;
	esac
}
one_word CC
one_word CXX

skip() {
	echo "skip: $*"
	exit 77
}

# samples_by_clock: does the kernel do that here?  Not in most containers; perf is the witness, if there is one.
samples_by_clock() {
	! command -v perf >/dev/null || perf record -q -e cpu-clock:u -o "$T/samples-by-clock" true >/dev/null 2>&1
}

# The gcov of this compiler.
GCOV=$($CC -print-prog-name=gcov 2>/dev/null)
[ "$GCOV" != gcov ] || GCOV=gcov-$($CC -dumpversion 2>/dev/null | cut -d. -f1)

unrecorded() {
	fail "nothing is recorded: $(tail -n 1 "$1")"
}

command -v "${CXX%% *}" >/dev/null || skip "there is no $CXX, the C++ compiler that goes with $CC"

check_eq() {
	[ "$2" = "$3" ] || fail "$1: got '$2', want '$3'"
}

check_within() {
	awk -v got="$2" -v low="$3" -v high="$4" \
		'BEGIN { exit !(got ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && got + 0 >= low + 0 && got + 0 <= high + 0) }' ||
		fail "$1: got '$2', want $3 to $4"
}

refused() {
	local want=$1 pattern=$2 got=0
	shift 2
	"$PATHFDO" "$@" >"$T/printed" 2>"$T/said" || got=$?
	check_eq "status of '$*', which says '$(cat "$T/said")'" "$got" "$want"
	grep -qE -e "$pattern" "$T/said" || fail "'$*' says '$(cat "$T/said")', want /$pattern/"
	[ ! -s "$T/printed" ] || fail "'$*' prints '$(cat "$T/printed")'"
	[ ! -e "$T/none.pfdo" ] || fail "'$*' wrote a file"
}

fake() {
	local name=$1
	shift
	$CC -O1 -shared -fPIC -D_GNU_SOURCE -I"$TOP" "$@" -o "$T/$name.so" "$TOP/testsuite/fakes/fake-$name.c" -ldl ||
		fail "fake-$name.c does not compile"
}

callgrind() {
	local out=$1
	shift
	rm -f "$T"/callgrind.*
	valgrind -q --tool=callgrind --trace-children=yes --callgrind-out-file="$T/callgrind.%p" "$@" >"$out" ||
		fail "under callgrind, '$*' ended with $?"
	awk '/^summary:/ { sum += $2 } END { printf "%d\n", sum }' "$T"/callgrind.*
}

# The whole road for one program, in $T:
#   road COMPILER "LINK OPTIONS" "TRAINING ARGUMENTS" "MEASURED ARGUMENTS" SOURCE...
# builds it -O2 -g, records the training run, converts, rebuilds with the profile, and checks that the output of both runs
# is the same with and without recorder and profile.  Leaves $T/base, $T/fast and $T/p.pfdo, and the instructions of
# the measured run in BASE_INSTRUCTIONS and FAST_INSTRUCTIONS.
road() {
	local compiler=$1 link=$2 train=$3 measured=$4 source flags
	shift 4
	road_build base ""  "$compiler" "$link" "$@"
	# shellcheck disable=SC2086 # arguments are words
	{
		"$T/base" $train >"$T/train.plain" || fail "the plain program ends with $?"
		"$PATHFDO" record --source=soft -F 400 --max-overhead=20 -o "$T/p.data" -- "$T/base" $train >"$T/train.recorded" \
			2>"$T/record.log" || fail "the recorded program ends with $?: $(tail -n 2 "$T/record.log")"
	}
	cmp -s "$T/train.plain" "$T/train.recorded" || fail "recording changed the output"
	"$PATHFDO" convert -b "$T/base" "$T/p.data" -o "$T/p.pfdo" 2>"$T/convert.log" >&2 ||
		fail "convert: $(tail -n 1 "$T/convert.log")"
	flags=$("$PATHFDO" cflags "$T/p.pfdo") || fail "cflags ends with $?"
	road_build fast "$flags" "$compiler" "$link" "$@"
	# shellcheck disable=SC2086
	{
		BASE_INSTRUCTIONS=$(callgrind "$T/measured.base" "$T/base" $measured)
		FAST_INSTRUCTIONS=$(callgrind "$T/measured.fast" "$T/fast" $measured)
	}
	cmp -s "$T/measured.base" "$T/measured.fast" || fail "the profile changed what the program prints"
	export BASE_INSTRUCTIONS FAST_INSTRUCTIONS
	echo "instructions: $BASE_INSTRUCTIONS, with the profile $FAST_INSTRUCTIONS"
}

# road_build NAME FLAGS COMPILER LINK SOURCE...: both builds in one folder, as a real one would be.
road_build() {
	local name=$1 flags=$2 compiler=$3 link=$4 source objects=
	shift 4
	for source; do
		# shellcheck disable=SC2086 # options are words
		(cd "$T" && $compiler -O2 -g -w $flags -c "$TOP/$source" -o "$(basename "$source").o") >"$T/$name.log" 2>&1 ||
			fail "$source does not compile: $(head -n 3 "$T/$name.log")"
		objects="$objects $T/$(basename "$source").o"
	done
	# shellcheck disable=SC2086
	$compiler -O2 -g -o "$T/$name" $objects $link || fail "$name does not link"
}

# check_fewer PERCENT: the profile must save at least that much.
check_fewer() {
	awk -v base="$BASE_INSTRUCTIONS" -v fast="$FAST_INSTRUCTIONS" -v percent="$1" \
		'BEGIN { exit !(fast > 0 && fast <= base * (1 - percent / 100)) }' ||
		fail "instructions: $FAST_INSTRUCTIONS with the profile, $BASE_INSTRUCTIONS without: wanted $1% fewer"
}

# taken NAME ARGUMENT...: branches that a run takes; what it prints goes to NAME.out.
taken() {
	local name=$1
	valgrind -q --tool=callgrind --collect-jumps=yes --callgrind-out-file="$name.jumps" "./$@" >"$name.out" ||
		fail "$name fails under callgrind"
	awk '/^jcnd=/ { split($1, part, "[=/]"); sum += part[2] } /^jump=/ { split($1, part, "="); sum += part[2] }
		END { print sum }' "$name.jumps"
}

# browser OPTION... URL: a browser without a screen; what it says of itself is in $T/browser.log.
browser() {
	timeout 100 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$T/chromium" "$@" 2>"$T/browser.log"
}

# legible PAGE: however narrow the window, no picture in PAGE is shown so small that its letters are below 9 pixels; it is
# scrolled instead.
legible() {
	python3 - "$1" <<'END' || fail "letters of a picture in $1 shrink below 9 pixels"
import re, sys
page = open(sys.argv[1]).read()
least = 16 * float(re.search(r"min-width:([0-9.]+)rem;width:100%;height:auto;font:[0-9]+px", page)[1])
letters = float(re.search(r"height:auto;font:([0-9]+)px", page)[1])
wide = [float(box) for box in re.findall(r'viewBox="0 0 ([0-9.]+) ', page)]
assert wide and all(letters * least / box >= 9 for box in wide), (letters, least, wide)
END
}
