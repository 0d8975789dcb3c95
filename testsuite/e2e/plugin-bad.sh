#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Profiles that do not fit and arguments that are wrong: one warning for each file, the same program, under -Werror too
# unless that is asked for; or an error that says what to write.
set -eu
. "$(dirname "$0")/lib.sh"
cp "$TOP/testsuite/programs/plugin-loop.c" "$T/loop.c"
cd "$T"
$CC -O2 -g loop.c -o old
W=$(grep -n -m1 '^int work' loop.c | cut -d: -f1)
printf 'pathfdo-profile 1\nunit executions\nfunction work loop.c:%s head 100 total 6500\n  6 count 6400\n  4 count 100\n' \
	"$W" >good.txt
printf 'pathfdo-profile 1\nunit executions\nfunction strange x.c:5 head 100 total 6500\n  6 count 6400\n' >foreign.txt
printf 'pathfdo-profile 1\nunit executions\nfunction work loop.c:%s head 100 total 6500\n  906 count 6400\n' "$W" >stale.txt
for p in good foreign stale; do
	"$PATHFDO" show --from-text $p.txt -o $p.pfdo
done
printf 'not a profile at all, but long enough to be looked at in earnest, twice over\n' >text.pfdo
head -c 40 good.pfdo >short.pfdo
cp good.pfdo corrupt.pfdo
printf '\377\377\377\377' | dd of=corrupt.pfdo bs=1 seek=$(($(stat -c %s good.pfdo) / 2)) conv=notrunc status=none
: >empty.pfdo

# check NAME WANTED-TEXT KIND [FLAG...]: compiles with NAME.pfdo, which is a warning of this KIND.
check() {
	local name=$1 text=$2 kind=$3 strict
	shift 3
	set -- -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$name.pfdo" -fplugin-arg-pathfdo-warn=unmatched "$@"
	for strict in "" -Werror; do
		rm -f new
		# shellcheck disable=SC2086 # no word if it is empty
		$CC "$@" $strict loop.c -o new 2>messages || fail "$name: the compile $strict fails: $(cat messages)"
		check_eq "$name: warnings" "$(grep -c 'warning: pathfdo: ' messages)" 1
		grep -q "warning: pathfdo: .*$text.* \[-fplugin-arg-pathfdo-no-warn=$kind\]" messages || fail "$name: $(cat messages)"
		check_eq "$name: output" "$(./new 5000)" "$(./old 5000)"
	done
	rm -f new
	if $CC "$@" -Werror -fplugin-arg-pathfdo-werror loop.c -o new 2>messages; then
		fail "$name: -Werror makes no error of the warning when it is asked to"
	fi
	grep -q "error: pathfdo: .*$text.*\[-Werror\]" messages || fail "$name with -Werror: $(cat messages)"
	for kind in "$kind" all; do
		$CC "$@" -Werror -fplugin-arg-pathfdo-werror -fplugin-arg-pathfdo-no-warn="$kind" loop.c -o new 2>messages ||
			fail "$name: not silenced: $(cat messages)"
		check_eq "$name: messages when silenced" "$(cat messages)" ""
	done
}
check missing "missing.pfdo" missing
check text "text.pfdo" missing
check short "short.pfdo" missing
check corrupt "corrupt.pfdo" missing
check empty "empty.pfdo" missing
check foreign "none of the" unmatched
check stale ".work. has changed too much since it was profiled" stale
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/stale.pfdo" -c loop.c 2>messages
grep -q "^loop.c:$W:[0-9]*: warning: " messages || fail "stale: the place is not that of the function: $(cat messages)"
check good "is not the profile that the flags were made for" changed -fplugin-arg-pathfdo-hash=1234abcd

# Our warnings leave -Werror as it was for the compiler's own.
printf 'int f(void) { int unused; return 0; }\n' | cat - loop.c >unused.c
if $CC -O2 -g -Wall -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/stale.pfdo" -c unused.c 2>messages; then
	fail "-Werror does nothing beside a warning of the plugin"
fi
grep -q 'error: unused variable' messages || fail "the compiler's own warning: $(cat messages)"

# Nothing is changed where nothing fits: no flag, no count.  A good profile is the control.
sections() { objdump -d -r -s -j .text -j .text.unlikely -j .text.startup -j .rodata "$1.o" 2>&1 | tail -n +4; }
attributes='__attribute__((optimize("O3"))) int sum(int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }'
{ cat loop.c && echo "$attributes"; } >attributed.c
for source in loop attributed; do
	for flags in -O2 -O3 -Os "-O2 -fpic -march=x86-64-v3"; do
		$CC $flags -g -c $source.c -o plain.o
		sections plain >wanted
		for p in missing corrupt foreign stale good; do
			$CC $flags -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$p.pfdo" -c $source.c -o $p.o
			sections $p >got
			if [ $p != good ]; then
				cmp wanted got || fail "$source.c with $flags: the $p profile changes the code"
			elif [ "$flags" != -Os ] && cmp -s wanted got; then
				fail "$source.c with $flags: the good profile changes nothing"
			fi
		done
	done
done

# What is on record about a file that is left alone.
$CC -O2 -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/stale.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c loop.c
grep -q '"function":"work".*"found":"stale"' report || fail "work is not reported as stale: $(cat report)"
tail -n 1 report | grep -q '"unit":"loop.c","matched":0,"stale":1,' || fail "totals of a stale file: $(tail -n 1 report)"

$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/good.pfdo" -c loop.c 2>messages
check_eq "a good profile's messages" "$(cat messages)" ""
$CC -O2 -g --coverage -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/good.pfdo" -c loop.c 2>messages
check_eq "warnings beside --coverage" "$(grep -c 'warning: pathfdo: .*is not used' messages)" 1
for flag in -fcondition-coverage -fpath-coverage; do
	$CC -O2 $flag -c loop.c 2>messages || continue # GCC 14, 15
	$CC -O2 -g $flag -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/good.pfdo" -c loop.c 2>messages
	check_eq "warnings beside $flag" "$(grep -c "warning: pathfdo: .*is not used, because .$flag. is given" messages)" 1
done

# refuse TEXT ARGUMENT...: an error with TEXT
refuse() {
	local text=$1
	shift
	if $CC -O2 -fplugin="$PLUGIN" "$@" -c loop.c 2>messages; then
		fail "accepted: $*"
	fi
	grep -q -- "error: .*$text" messages || fail "$*: $(cat messages)"
}
refuse "add .-fplugin-arg-pathfdo-profile=FILE"
refuse "write .-fplugin-arg-pathfdo-profile=FILE" -fplugin-arg-pathfdo-profile
refuse "unknown argument .-fplugin-arg-pathfdo-profil" -fplugin-arg-pathfdo-profil=x
refuse "takes no value, write .-fplugin-arg-pathfdo-oracle" -fplugin-arg-pathfdo-oracle=1
refuse "add .-fplugin-arg-pathfdo-truth=DIR" -fplugin-arg-pathfdo-profile=x -fplugin-arg-pathfdo-oracle
refuse "write one of .missing" -fplugin-arg-pathfdo-no-warn=everything

"$PATHFDO" cflags --cc "$CC" good.pfdo >flags
check_eq "cflags" "$(sed 's/-hash=[0-9a-f]\{8\}$/-hash=HASH/' flags)" \
	"-fplugin=$(realpath "$B")/pathfdo.so -fplugin-arg-pathfdo-profile=$(realpath .)/good.pfdo -fplugin-arg-pathfdo-hash=HASH"
# shellcheck disable=SC2046
$CC -O2 -g $(cat flags) loop.c -o new
check_eq "output with cflags" "$(./new 5000)" "$(./old 5000)"
for bad in text short empty missing; do
	"$PATHFDO" cflags "$bad.pfdo" >out 2>messages && fail "cflags took $bad"
	check_eq "cflags prints for $bad" "$(cat out)" ""
	grep -q "$bad.pfdo" messages || fail "cflags $bad: $(cat messages)"
done
