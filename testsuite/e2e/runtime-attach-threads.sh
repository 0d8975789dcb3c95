#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The number of a thread, given for a process's, stands for the process, with all of its threads, and that is said; the
# recording goes on when the thread has ended.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"
cat >two.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int ends;
static void *waits(void *x)
{
	printf("%ld\n", syscall(SYS_gettid));
	fflush(stdout);
	while (!ends)
		usleep(1000);
	return x;
}
__attribute__((noipa)) static unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}
int main(void)
{
	pthread_t thread;
	unsigned x = 1;

	alarm(600);
	pthread_create(&thread, NULL, waits, NULL);
	for (;;) {
		x = heat(x);
		ends = access("ends", F_OK) == 0;
	}
}
END
$CC -O2 -g -w -pthread two.c -o two
./two >number &
pid=$!
trap 'kill $pid 2>/dev/null || true; rm -rf "$T"' EXIT
once 30 test -s number || fail "it does not start"
thread=$(cat number)

# records SOURCE COMMAND...: beside the command, by the thread's number.
records() {
	local source=$1
	shift
	rm -f data
	"$PATHFDO" record "--source=$source" -p "$thread" -o data -- "$@" 2>said || fail "$source: $(cat said)"
	grep -q "^pathfdo record: $thread is a thread of process $pid, all of which is recorded\$" said || fail "$source: $(cat said)"
	"$PATHFDO" convert -b two data -o p.pfdo >converted 2>&1 || fail "$source: $(cat converted)"
	check_eq "$source: the hottest function" "$("$PATHFDO" show p.pfdo | awk '$1 ~ /%$/ { print $4; exit }')" heat
}
records soft sleep 2
! samples_by_clock || records clock sleep 1
"$PATHFDO" record -q -p "$thread,$pid" --source=soft --duration=1 -o data 2>said || fail "both numbers: $(cat said)"
! grep -q thread said || fail "it is said all the same: $(cat said)"
# The thread ends first.
source=$(samples_by_clock && echo clock || echo soft)
records "$source" sh -c 'sleep 1; touch ends; sleep 2; touch late'
[ -e late ] || fail "the recording ended with the thread"
[ ! -e "/proc/$pid/task/$thread" ] || fail "the thread has not ended"
kill -0 $pid || fail "the program has ended"
