#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that announces a filter of system calls, as those do that shut themselves in by Landlock: a machine with
# FSGSBASE records it all the same, one without says why not, and has what ran before that.  Both on any machine, as far
# as it has FSGSBASE.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >shut-in.c <<'END'
#include <sys/prctl.h>
#include <time.h>
static volatile unsigned long sum;
#ifdef AT_FIRST
__attribute__((constructor)) static void at_first(void)
{
	while (clock() < CLOCKS_PER_SEC / 4)
		for (unsigned long i = 0; i < 10000; i++)
			sum += i;
}
#endif
int main(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 1;
	while (clock() < CLOCKS_PER_SEC / 2)
		for (unsigned long i = 0; i < 10000; i++)
			sum += i;
	return 0;
}
END
$CC -O1 -g -o shut-in shut-in.c
$CC -O1 -g -DAT_FIRST -o later shut-in.c
$CC -D_GNU_SOURCE -O2 -shared -fPIC "$TOP/testsuite/programs/no-fsgsbase.c" -o no-fsgsbase.so -ldl

# without PROGRAM: records it as on a machine without FSGSBASE; its functions that were seen, if any were.
without() {
	local got=0
	rm -f none.data
	LD_PRELOAD=$T/no-fsgsbase.so "$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o none.data "./$1" 2>err || got=$?
	grep -q 'announces a system-call filter (PR_SET_NO_NEW_PRIVS) where there is no FSGSBASE' err || fail "the reason: $(cat err)"
	if [ $got -ne 0 ]; then
		check_eq "exit status without FSGSBASE" $got 1
		grep -q -e '--source=clock' err || fail "the cure: $(cat err)"
		[ ! -e none.data ] || fail "there is a recording"
	elif "$PATHFDO" convert -q -b "$1" none.data -o none.pfdo 2>err; then
		"$PATHFDO" show none.pfdo | awk '$1 ~ /%$/ { print $4 }'
	fi
}
# It may have been looked at on the way to main().
without shut-in >seen
! grep -qx main seen || fail "main was recorded where it announces a filter at once: $(cat seen)"
without later >seen
check_eq "what was recorded before the announcement" "$(cat seen)" at_first

grep -qw fsgsbase /proc/cpuinfo || exit 0
"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o some.data ./shut-in 2>err || fail "with FSGSBASE: $(cat err)"
"$PATHFDO" convert -q -b shut-in some.data -o some.pfdo 2>err || fail "with FSGSBASE: $(cat err)"
"$PATHFDO" show some.pfdo | awk '$1 ~ /%$/ { print $4; exit }' >hottest
check_eq "hottest function" "$(cat hottest)" main
