#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The system calls of a warm burst, as a tracer sees them from outside: four looks at the handlers for faults, and the
# return, no other.  A few bursts of all may make more, for what is new to them.
set -eu
. "$(dirname "$0")/lib.sh"
[ -e "$B/libpathfdo-recorder.so" ] || skip "the recorder library is not built"
grep -qw fsgsbase /proc/cpuinfo || skip "the processor has no FSGSBASE"
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
warm=$(grep -cx '13 13 13 13 15 ' bursts) || true # rt_sigaction, rt_sigreturn
[ "$warm" -ge 22 ] || fail "only $warm of 30 bursts make the five calls: $(sort bursts | uniq -c | sort -rn | head -n 5)"
