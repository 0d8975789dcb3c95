#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What cannot be attached to is told with its reason and a cure, and is not touched; what must not be killed for it is not:
# a recorder that is killed itself is noticed in the program, which goes on without it, and can be attached to again.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"

cat >spin.c <<'SOURCE'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
static volatile char caught;
static void ignore(int signal)
{
	(void)signal;
}
/* As getppid would: no system call of the program's gets through, and none of anybody else's.  It is seldom, so that
 * nobody sees its signal under way. */
static void catch(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	caught = 0;
	if (info->si_syscall != SYS_getppid)
		_exit(1);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4242;
}
static void spin_catching(void)
{
	for (unsigned i = 1;; i++) {
		caught = 1;
		if (i % 50000000 == 0 && getppid() != 4242)
			_exit(1);
	}
}
/* The kernel shows nothing of a process whose first thread has ended: when that has come, the thread is up. */
static int has_first(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int any = fgetc(maps) != EOF;
	fclose(maps);
	return any;
}
static void *spin(void *x)
{
	while (has_first())
		usleep(1000);
	puts("up");
	fflush(stdout);
	for (;;)
		++*(volatile unsigned *)x;
	return NULL;
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	volatile unsigned x = 1;
	if (strcmp(how, "signal") == 0)
		signal(SIGRTMAX - 3, ignore);
	if (strcmp(how, "filter") == 0) {
		struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
		struct sock_fprog program = { 1, &allow };
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	}
	if (strcmp(how, "locked") == 0)
		mlockall(MCL_CURRENT | MCL_FUTURE);
	if (strcmp(how, "first") == 0) {
		static unsigned count;
		pthread_t thread;
		pthread_create(&thread, NULL, spin, &count);
		pthread_exit(NULL);
	}
	if (strcmp(how, "stamp") == 0)
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (strcmp(how, "gain") == 0 && prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0)
		return 77;
	if (strcmp(how, "dispatch") == 0) {
		struct sigaction action = { .sa_sigaction = catch, .sa_flags = SA_SIGINFO };
		sigaction(SIGSYS, &action, NULL);
		if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &caught) != 0)
			return 77;
	}
	if (argc > 2) /* is only asked whether it can */
		return 0;
	puts("up");
	fflush(stdout);
	if (strcmp(how, "dispatch") == 0)
		spin_catching();
	for (;;)
		x = x * 3 + 1;
}
SOURCE
$CC -O2 -o spin spin.c
$CC -O2 -static -o spin-static spin.c
$CC -O2 -o spin-musl spin.c -Wl,--dynamic-linker="$T/ld-musl-x86_64.so.1"
cp "$(readlink -f /lib64/ld-linux-x86-64.so.2)" ld-musl-x86_64.so.1

is_up() {
	[ "$(cat up)" = up ]
}

start() { # COMMAND...
	rm -f up
	"$@" >up &
	pid=$!
	once 10 is_up || fail "'$*' does not start"
}

unfit() { # PATTERN COMMAND...
	local pattern=$1 got=0
	shift
	start "$@"
	traces $pid >before
	"$PATHFDO" record --source=soft -p $pid --duration=2 -o none.data 2>err || got=$?
	check_eq "status for '$*' ($(cat err))" $got 1
	grep -qE "$pattern" err || fail "'$*' is refused by: $(cat err)"
	[ ! -e none.data ] || fail "'$*' left a file"
	traces $pid >after
	cmp -s before after || fail "'$*' was touched: $(diff before after)"
	kill $pid
	wait $pid || true
}

unfit "statically linked.*--source=clock" ./spin-static
unfit "not glibc.*--source=clock" ./spin-musl
unfit "SIGRTMAX-3, itself.*--source=clock" ./spin signal
unfit "seccomp.*--source=clock" ./spin filter
unfit "first thread has ended.*--source=clock" ./spin first
unfit "forbids itself the processor's time stamp.*--source=clock" ./spin stamp
# What older kernels do not have.
! ./spin dispatch ask || unfit "catches its own system calls.*--source=clock" ./spin dispatch
! ./spin gain ask || unfit "may not make memory executable.*--source=clock" ./spin gain
[ "$(ulimit -l)" != unlimited ] && [ "$(id -u)" != 0 ] || unfit "mlockall.*--source=clock" ./spin locked

# A debugger is there already: our own stand-in for one.
cat >trace.c <<'SOURCE'
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argc;
	ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0);
	write(1, "up\n", 3);
	pause();
}
SOURCE
$CC -w -O2 -o trace trace.c
start ./spin
target=$pid
start ./trace $target
got=0
"$PATHFDO" record --source=soft -p $target --duration=2 -o none.data 2>err || got=$?
check_eq "status for a traced one" $got 1
grep -q "process $pid traces it already.*; end that first" err || fail "a traced one is refused by: $(cat err)"
kill $pid
wait $pid || true

if [ "$(id -u)" = 0 ]; then
	# In a folder that others can reach, as the build folder of root's may not be.
	got=0
	mkdir -m 755 others
	install -m 755 "$PATHFDO" "$B/libpathfdo-recorder.so" others
	setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR=/tmp others/pathfdo record --source=soft -p $target \
		--duration=2 -o /tmp/none.$$.data 2>err || got=$?
	check_eq "status for somebody else's" $got 1
	grep -qE "be its user, or root" err || fail "somebody else's is refused by: $(cat err)"
	[ ! -e /tmp/none.$$.data ] || fail "somebody else's left a file"
fi

got=0
"$PATHFDO" record -p 4194303 --duration=1 -o none.data 2>err || got=$?
check_eq "status for nobody" $got 1
grep -q "4194303: there is no such process" err || fail "nobody is refused by: $(cat err)"
for source in soft $(! samples_by_clock || echo clock); do
	"$PATHFDO" record --source=$source -p 4194303,$target,4194302 --duration=1 -o some.data 2>err || fail "$(cat err)"
	grep -q "4194303 and 1 more: there are no such processes; the others are recorded" err ||
		fail "$source: of two missing is said: $(cat err)"
done
refused 2 'give the numbers of processes' record -p $target, -o none.data
refused 2 'give the numbers of processes' record -p 0 -o none.data
refused 2 'give a control group' record --cgroup= -o none.data
refused 2 'give the names of programs' record --name= -o none.data

# Killed as nothing else can be.  What was told to the program's kernel goes; what was written to disk and memory stays.
cp "$B/pathfdo" recorder
grep -E '^Sig(Cgt|Ign|Blk)' /proc/$target/status >before
./recorder record --source=soft -F 1000 --max-overhead=50 -p $target --duration=100 -o none.data 2>/dev/null &
recorder=$!
once 20 grep -q /recording /proc/$target/maps || fail "the recorder does not come"
sleep 1
kill -KILL $recorder
wait $recorder || true
has_left() {
	grep -E '^Sig(Cgt|Ign|Blk)' /proc/$target/status | cmp -s before - && [ -z "$(cat /proc/$target/timers)" ]
}
once 60 has_left || fail "a killed recorder is not noticed: $(cat /proc/$target/timers /proc/$target/status)"
"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -p $target --duration=1 -o again.data 2>err ||
	fail "it cannot be attached to again: $(cat err)"
kill -TERM $target
got=0
wait $target || got=$?
check_eq "how it ends" $got 143
