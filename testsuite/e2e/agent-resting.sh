#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A whole run does not step through the recorder's own functions that lead nowhere else: so many calls of each take the
# processor a step or two each, which the recorder counts, and a thread's start or a program's some, not an instruction each;
# and what they are asked for is done, with SIGTRAP blocked, which a whole run itself needs open.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

cat >calls.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#define CHECK(condition) ((condition) ? (void)0 : (printf("line %d: not %s\n", __LINE__, #condition), exit(3)))

static ucontext_t here, there;

static void other(void)
{
	for (;;)
		swapcontext(&there, &here);
}

static void *thread(void *argument)
{
	return argument;
}

static int blocks(int signal)
{
	sigset_t now;
	CHECK(sigprocmask(SIG_SETMASK, NULL, &now) == 0);
	return sigismember(&now, signal);
}

static void masks(void)
{
	sigset_t trap, both, old;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	both = trap;
	sigaddset(&both, SIGUSR1);
	CHECK(!blocks(SIGTRAP) && pthread_sigmask(SIG_BLOCK, &both, &old) == 0 && !sigismember(&old, SIGTRAP));
	CHECK(blocks(SIGTRAP) && pthread_sigmask(SIG_UNBLOCK, &trap, &old) == 0 && sigismember(&old, SIGTRAP));
	CHECK(!blocks(SIGTRAP) && blocks(SIGUSR1) && sighold(SIGTRAP) == 0 && blocks(SIGTRAP));
	CHECK(pthread_sigmask(99, &both, NULL) != 0 && blocks(SIGTRAP) && sighold(99) == -1);
	sigemptyset(&old);
	CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0 && !blocks(SIGTRAP) && !blocks(SIGUSR1));
}

int main(int argc, char **argv)
{
	static char *page, stack[65536];
	long count = atol(argv[1]), threads = atol(argv[2]), programs = atol(argv[3]);
	stack_t old;
	struct sigaction action = { .sa_handler = SIG_IGN };
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	makecontext(&there, other, 0);
	for (long i = 0; i < count; i++) {
		masks();
		swapcontext(&here, &there);
		CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
		CHECK(mprotect(page, 4096, i % 2 ? PROT_READ : PROT_NONE) == 0);
		CHECK(sigaltstack(NULL, &old) == 0);
	}
	for (long i = 0; i < threads; i++) {
		pthread_t id;
		CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
	}
	for (long i = 0; i < programs; i++) {
		char *list[] = { "true", "a", "few", "arguments", NULL };
		pid_t pid;
		int status;
		CHECK(posix_spawnp(&pid, *list, NULL, NULL, list, environ) == 0);
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	}
	puts("done");
	return 0;
}
END
$CC -D_GNU_SOURCE -O1 -w -pthread calls.c -o calls

# steps CALLS THREADS PROGRAMS: what the processor ran by itself.
steps() {
	"$PATHFDO" record --all -o c.data -- ./calls "$@" >out 2>log || fail "calls $*: $(cat log)"
	check_eq "what the program prints" "$(cat out)" "done"
	sed -n 's/.* \([0-9]*\) instructions between them were the processor.s.*/\1/p' log
}

none=$(steps 0 0 0)
some=$(steps 200 0 0)
threads=$(steps 0 200 0)
programs=$(steps 0 0 20)
# A round is 19 calls: an instruction behind each, and twice as much again for what may come between.
rounds=$((some - none))
echo "200 rounds of 19 calls: $rounds steps; 200 threads: $((threads - none)) steps; 20 programs: $((programs - none)) steps"
check_within "steps of 200 rounds of 19 calls" "$rounds" 1000 11400
check_within "steps of 200 threads" $((threads - none)) 200 40000
check_within "steps of 20 programs" $((programs - none)) 20 60000
