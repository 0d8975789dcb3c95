#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Profiles that do not fit and arguments that are wrong: one warning for each file, the same program; or an error that
# says what to write.
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

# check NAME WANTED-TEXT SWITCH: compiles with NAME.pfdo
check() {
	rm -f new
	$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1.pfdo" loop.c -o new 2>messages ||
		fail "$1: the compile fails: $(cat messages)"
	check_eq "$1: warnings" "$(grep -c 'warning: pathfdo: ' messages)" 1
	grep -q "warning: pathfdo: .*$2" messages || fail "$1: $(cat messages)"
	check_eq "$1: output" "$(./new 5000)" "$(./old 5000)"
	$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1.pfdo" \
		-fplugin-arg-pathfdo-no-warn="$3" loop.c -o new 2>messages || fail "$1: not silenced: $(cat messages)"
	check_eq "$1: messages when silenced" "$(cat messages)" ""
}
check missing "missing.pfdo" missing
check text "text.pfdo" missing
check short "short.pfdo" missing
check corrupt "corrupt.pfdo" all
check empty "empty.pfdo" missing
check foreign "none of the" unmatched
check stale "changed too much" stale

$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/good.pfdo" -c loop.c 2>messages
check_eq "a good profile's messages" "$(cat messages)" ""
$CC -O2 -g --coverage -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/good.pfdo" -c loop.c 2>messages
check_eq "warnings beside --coverage" "$(grep -c 'warning: pathfdo: .*is not used' messages)" 1

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
check_eq "cflags" "$(cat flags)" "-fplugin=$(realpath "$B")/pathfdo.so -fplugin-arg-pathfdo-profile=$(realpath .)/good.pfdo"
# shellcheck disable=SC2046
$CC -O2 -g $(cat flags) loop.c -o new
check_eq "output with cflags" "$(./new 5000)" "$(./old 5000)"
for bad in text short empty missing; do
	"$PATHFDO" cflags "$bad.pfdo" >out 2>messages && fail "cflags took $bad"
	check_eq "cflags prints for $bad" "$(cat out)" ""
	grep -q "$bad.pfdo" messages || fail "cflags $bad: $(cat messages)"
done
