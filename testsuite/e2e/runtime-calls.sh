#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The system calls of a warm burst, as a tracer sees them from outside: four looks at the handlers for faults, and the
# return; where there is no FSGSBASE also a look at GS, and GS set twice.  No other; a few bursts of all may make more, for
# what is new to them.
set -eu
. "$(dirname "$0")/lib.sh"
[ -e "$B/libpathfdo-recorder.so" ] || skip "the recorder library is not built"
cd "$T"
$CC -D_GNU_SOURCE -O2 -o calls "$TOP/testsuite/programs/runtime-calls.c"
"$PATHFDO" record -q --source=soft -F 500 --max-overhead=100 -o p.data ./calls work >number 2>err &
recorder=$!
for _ in $(seq 600); do
	[ ! -s number ] || break
	sleep 0.1
done
sleep 1
status=0
timeout 300 ./calls watch "$(cat number)" 30 >bursts || status=$?
kill "$(cat number)"
wait $recorder || true
[ $status != 1 ] || skip "no process can be traced here"
check_eq "bursts seen" "$(wc -l <bursts)" 30
calls='13 13 13 13 15 ' # rt_sigaction, rt_sigreturn
grep -qw fsgsbase /proc/cpuinfo || calls='158 13 13 13 13 158 158 15 ' # arch_prctl
warm=$(grep -cx "$calls" bursts) || true
[ "$warm" -ge 22 ] || fail "only $warm of 30 bursts make the calls $calls: $(sort bursts | uniq -c | sort -rn | head -n 5)"
