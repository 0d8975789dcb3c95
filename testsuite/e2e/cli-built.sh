#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a program says of the profile that it was compiled for: all of it, but for a file that was there already, one of an
# older profile, one without optimisation, and assembly; by -flto, split and separate debug information, too.  How much of
# the profile is lost is known from the profile's own counts.
set -eu
. "$(dirname "$0")/lib.sh"
[ -e "$PLUGIN" ] || skip "no plugin: the compiler's plugin headers are not installed"
command -v jq >/dev/null || skip "there is no jq"
cd "$T"
mkdir src && cd src
for name in main hot warm plain slow; do
	printf 'int %s(void)\n{\n\treturn 0;\n}\n' $name >$name.c
done
printf '.globl low\nlow:\n\tret\n.section .note.GNU-stack,""\n' >low.s
# profile NAME HOT: counts by function, 1000 together where HOT is 600.
profile() {
	{
		printf 'pathfdo-profile 1\nunit executions\n'
		printf 'function %s %s:1 head %s total %s\n  2 count %s\n' hot "$PWD/hot.c" "$2" "$2" "$2" inlined "$PWD/in.h" 50 50 50 \
			main "$PWD/main.c" 10 10 10 plain "$PWD/plain.c" 200 200 200 slow "$PWD/slow.c" 40 40 40 \
			warm "$PWD/warm.c" 100 100 100
	} | "$PATHFDO" show --from-text - -o "$1"
}
profile old.pfdo 7
profile app.pfdo 600
flags=$("$PATHFDO" cflags app.pfdo)
# build FLAG...: hot and main are for app.pfdo, warm for old.pfdo, plain for none, slow is not optimised.
build() {
	local name
	for name in main hot; do $CC -O2 -g $flags "$@" -c $name.c; done
	$CC -O2 -g $("$PATHFDO" cflags old.pfdo) "$@" -c warm.c
	$CC -O2 -g "$@" -c plain.c
	$CC -O0 -g $flags "$@" -c slow.c
	$CC -c low.s
	$CC "$@" main.o hot.o warm.o plain.o slow.o low.o -o app 2>/dev/null
}
# By hand: 610 of 1,000 are in main and hot, 340 in warm, plain and slow, 50 in no unit's file.
check_report() { # WHAT PROGRAM [OPTION...]
	local what=$1 status=0
	shift
	"$PATHFDO" report --profile=app.pfdo "$@" >said 2>&1 || status=$?
	check_eq "$what: status where a part is lost" $status 1
	grep -qE '^units +5 compiled by GCC: 2 for .*/app.pfdo \(hash [0-9a-f]{8}\), 1 for another profile, 2 for none' said ||
		fail "$what: $(cat said)"
	grep -q '^profile  *61.0% of its counts are in files that were compiled for it, 5.0% in headers' said ||
		fail "$what: $(cat said)"
	grep -q '^warning: 34.0% of the profile is in files that were not compiled for it' said || fail "$what: $(cat said)"
	check_eq "$what: files by what is lost" "$(sed -nE 's/^ +([0-9.]+)%  .*\/([a-z]+)\.c  (for none|without|for).*/\1 \2 \3/p' said | paste -sd,)" \
		"20.0 plain for none,10.0 warm for,4.0 slow without"
}
build
check_report plain app
grep -q 'warm.c  for .*/old.pfdo (hash ' said || fail "the older profile is not named: $(cat said)"
if readelf --debug-dump=info app | grep -q 'GNU AS'; then
	grep -q '; 1 by other compilers or assembly' said || fail "assembly: $(cat said)"
fi
"$PATHFDO" report --profile=app.pfdo --json app >json || true
check_eq "JSON: what is lost" "$(jq -c '[.total, .missed, .elsewhere, .asked, .profiles]' json)" "[1000,340,50,2,2]"
check_eq "JSON: how warm.c was made" "$(jq -r '.units[] | select(.file | endswith("/warm.c")) | .made + " " + .profile' json)" \
	"profile $PWD/old.pfdo"
"$PATHFDO" report app >said || fail "status $? where no profile is asked for"
grep -q '^units .*: 3 for 2 profiles, 2 for none' said || fail "$(cat said)"
grep -q '^warning: units were compiled for different profiles' said || fail "$(cat said)"
objcopy --only-keep-debug app app.debug
objcopy --strip-debug --add-gnu-debuglink=app.debug app stripped
check_report separate stripped
mv app.debug away.debug
refused 1 'stripped: no debug information .*rebuild it with -g' report stripped
mkdir debug && mv away.debug debug/app.debug
check_report "in another folder" --debug-dir debug stripped
build -gsplit-dwarf
check_report split app
rm -f hot.dwo
"$PATHFDO" report --profile=app.pfdo app >said || true
grep -q '^warning: of 1 units the .dwo file is not here' said || fail "a missing .dwo file: $(cat said)"
rm -f ./*.dwo
refused 1 'app: its debug information names no source files; keep the .dwo files' report app
$CC -O2 -flto -g -c main.c 2>said || lto=no
if [ "${lto:-yes}" = yes ]; then
	build -flto
	check_report "-flto" app
	grep -q '^warning: the link with -flto was without the plugin' said || fail "a link without the plugin: $(cat said)"
	$CC -O2 -g -flto $flags main.o hot.o warm.o plain.o slow.o low.o -o app
	check_report "-flto, with the plugin" app
	! grep -q 'without the plugin' said || fail "a link with the plugin: $(cat said)"
fi

# Seen from another folder, and where all is well.
mkdir "$T/elsewhere" && cp -r "$T/src" "$T/elsewhere"
cd "$T/elsewhere/src"
for name in main hot warm plain slow; do $CC -O2 -g $flags -c $name.c; done
$CC ./*.o -o app
"$PATHFDO" report --profile="$T/src/app.pfdo" app >said || fail "status $? where nothing is lost: $(cat said)"
grep -q '^profile  *95.0% of its counts' said || fail "built in another folder: $(cat said)"
$CC -O2 -g -gno-record-gcc-switches $flags main.c -o silent
"$PATHFDO" report silent >said || fail "status $?"
grep -q ', 1 do not say' said || fail "options that are not written down: $(cat said)"
printf 'int main(void) { return 0; }' >alone.c
$CC -O2 -g $flags alone.c -o alone
"$PATHFDO" report --profile="$T/src/app.pfdo" alone >said || fail "status $?"
grep -q '^warning: the profile has no function of these files' said || fail "another program's profile: $(cat said)"
$CC -O2 -g alone.c -o alone
"$PATHFDO" report alone >said || fail "status $?"
grep -q '^warning: no unit was compiled for a profile' said || fail "$(cat said)"
refused 1 'app.pfdo: --profile and --debug-dir are for programs' report --profile="$T/src/app.pfdo" "$T/src/app.pfdo"
refused 1 'nosuch: cannot ' report --profile="$T/src/app.pfdo" nosuch
refused 1 'main.o: not an x86-64 program' report main.o
head -c 3000 app >cut
refused 1 'cut: ' report cut
