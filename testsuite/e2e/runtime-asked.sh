#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that only asks whether it could have a filter of system calls, or puts off what it never had, as browsers and
# libseccomp do at their start, is recorded for all of its run, sampled or whole, by whatever call it asks.  One that
# puts on a filter, even one that allows everything, is not recorded from there on, and the reason is told.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >asker.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
static struct sock_fprog all = { 1, code };

static long bare(long number, long a, long b, long c)
{
	long result;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
	return result;
}
__attribute__((noinline)) static void work(void)
{
	for (unsigned long i = 0; i < 60000000; i++)
		sum += i % 3;
}
int main(int argc, char **argv)
{
	unsigned int action = SECCOMP_RET_ERRNO;
	const char *what = argv[1];
	(void)argc;
	if (strcmp(what, "filter") == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0)
			return 77;
	} else if (strcmp(what, "call") == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all) != 0)
			return 77;
	} else if (strcmp(what, "prctl") == 0) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0 || errno != EFAULT || prctl(PR_SET_SECCOMP, 99, 0) == 0)
			return 1;
		prctl(59, 0, 0, 0, 0); /* PR_SET_SYSCALL_USER_DISPATCH, off */
		if (prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)
			return 1;
	} else if (strcmp(what, "seccomp") == 0) {
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) == 0 || errno != EFAULT ||
		    syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) == 0)
			return 1;
		syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
	} else if (bare(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0) != -EFAULT ||
		   bare(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, 0) != -EFAULT ||
		   bare(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, (long)&action) == -1) {
		return 1;
	}
	work();
	return 0;
}
END
$CC -D_GNU_SOURCE -O1 -g -o asker asker.c
got=0
./asker filter || got=$?
[ $got != 77 ] || skip "the kernel has no filters of system calls"

hottest() { # RECORDING
	"$PATHFDO" convert -q -b asker "$1" -o asker.pfdo 2>err || fail "$1: $(cat err)"
	"$PATHFDO" show asker.pfdo | awk '$1 ~ /%$/ { print $4; exit }'
}
for what in prctl seccomp bare; do
	./asker $what || fail "$what: the kernel answers otherwise"
	"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o $what.data ./asker $what 2>err || fail "$what: $(cat err)"
	! grep -q filter err || fail "$what: $(cat err)"
	check_eq "$what: the hottest function" "$(hottest $what.data)" work
done
"$PATHFDO" record --all -o all.data ./asker bare 2>err || fail "bare, whole: $(cat err)"
! grep -q filter err || fail "bare, whole: $(cat err)"
check_eq "bare, whole: the hottest function" "$(hottest all.data)" work

for what in filter call; do
	if "$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o none.data ./asker $what 2>err; then
		[ "$("$PATHFDO" convert -q -b asker none.data -o none.pfdo 2>err && "$PATHFDO" show none.pfdo |
			awk '$1 ~ /%$/ { print $4 }' | grep -x work)" = "" ] || fail "$what: it is recorded behind its filter"
	else
		grep -q 'a system-call filter (seccomp) is in force' err || fail "$what: $(cat err)"
	fi
done
