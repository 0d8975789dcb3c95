#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that a library cannot be preloaded into: soft says why and what to do before anything runs, auto takes clock
# and says so in one line.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

fake agent
export PATHFDO_RECORDER=$T/agent.so
cd "$T"
cat >spin.c <<'SOURCE'
#include <stdio.h>
int main(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 60000000; i++)
		sum += i;
	puts("spun");
	return 5;
}
SOURCE
$CC -O1 -g -static -o spin spin.c || skip "no static libc"

got=0
"$PATHFDO" record --source=soft ./spin >out 2>err || got=$?
check_eq "exit status of soft" $got 1
grep -q 'statically linked.*--source=clock' err || fail "soft does not say why: $(cat err)"
check_eq "the program ran" "$(cat out)" ""
[ ! -e perf.data ] || fail "soft left a recording"

"$PATHFDO" doctor >doctor || true
if ! grep -q '^clock *works' doctor || grep -q '^lbr *works' doctor; then
	skip "clock does not work here, or lbr does"
fi
got=0
"$PATHFDO" record ./spin >out 2>err || got=$?
check_eq "exit status of auto" $got 5
check_eq "the program's output" "$(cat out)" spun
grep -q '^pathfdo record: source clock: soft does not work: .*statically linked' err || fail "auto does not say why: $(cat err)"
check_eq "lines that auto says" "$(wc -l <err)" 2
perf script -i perf.data -F comm,ip,sym 2>/dev/null >samples
grep -q 'spin.*main' samples || fail "main is not in the recording"

# The same for a set-user-id program; root may not be able to run another user's here, so this is only about what is said.
if [ "$(id -u)" = 0 ]; then
	cp /bin/true other
	chown 1:1 other
	chmod 4755 other
	got=0
	"$PATHFDO" record --source=soft ./other 2>err || got=$?
	check_eq "exit status for set-user-id" $got 1
	grep -q 'set-user-id' err || fail "not said: $(cat err)"
fi
