#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that announces a filter of system calls, as those do that shut themselves in by Landlock: a machine with
# FSGSBASE records it all the same, one without says why not.  Both on any machine, as far as it has FSGSBASE.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >shut-in.c <<'END'
#include <sys/prctl.h>
#include <time.h>
static volatile unsigned long sum;
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
$CC -D_GNU_SOURCE -O2 -shared -fPIC "$TOP/testsuite/programs/no-fsgsbase.c" -o no-fsgsbase.so -ldl

got=0
LD_PRELOAD=$T/no-fsgsbase.so "$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o none.data ./shut-in 2>err || got=$?
check_eq "exit status without FSGSBASE" $got 1
grep -q 'announces a system-call filter (PR_SET_NO_NEW_PRIVS) where there is no FSGSBASE.*--source=clock' err || fail "the reason: $(cat err)"
[ ! -e none.data ] || fail "there is a recording"

grep -qw fsgsbase /proc/cpuinfo || exit 0
"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o some.data ./shut-in 2>err || fail "with FSGSBASE: $(cat err)"
"$PATHFDO" convert -q -b shut-in some.data -o some.pfdo 2>err || fail "with FSGSBASE: $(cat err)"
"$PATHFDO" show some.pfdo | awk '$1 ~ /%$/ { print $4; exit }' >hottest
check_eq "hottest function" "$(cat hottest)" main
