/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children that are not made by fork: _Fork, clone with and without shared memory, by libc, syscall() and inline,
 * beside busy threads; each sets a handler for SIGSEGV, faults, sends itself SIGFPE, and ends.  Hard because such a
 * child runs no handler of pthread_atfork: whatever lock was held and whatever handler was in place for a moment stays
 * so in it. */
#include "nasty.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

struct expected {
	sigjmp_buf back;
	volatile int got;
};
static struct expected *child_state;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	child_state->got += signal == SIGSEGV ? info->si_code == SEGV_MAPERR && info->si_addr == (void *)16 : 100;
	if (signal == SIGSEGV)
		siglongjmp(child_state->back, 1);
}

static int child(void *argument)
{
	struct expected state = { .got = 0 };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	child_state = &state;
	if (sigaction(SIGSEGV, &action, NULL) != 0 || sigaction(SIGFPE, &action, NULL) != 0)
		_exit(9);
	if (sigsetjmp(state.back, 1) == 0)
		*(volatile int *)16 = 1;
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGFPE);
	if (work(NASTY_ROUNDS) != NASTY_RESULT)
		_exit(8);
	_exit(state.got == 101 ? 42 : 7);
}

static pid_t inline_clone(void)
{
	return (pid_t)inline_call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static pid_t make(int kind, char *stack)
{
	pid_t pid;
	switch (kind) {
	case 0:
		pid = _Fork();
		break;
	case 1:
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		break;
	case 2:
		pid = inline_clone();
		break;
	case 3:
		return clone(child, stack + 262144, SIGCHLD, NULL);
	case 4:
		return clone(child, stack + 262144, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	default:
		return clone(child, stack + 262144, CLONE_VM | SIGCHLD, NULL);
	}
	if (pid == 0)
		child(NULL);
	return pid;
}

int main(void)
{
	pthread_t threads[2];
	int good[6] = { 0 };
	char *stack = mmap(NULL, 262144, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 300; i++) {
		int status;
		pid_t pid = make(i % 6, stack);
		CHECK(pid > 0);
		CHECK(waitpid(pid, &status, 0) == pid);
		if (status == 42 << 8)
			good[i % 6]++;
		else
			fprintf(stderr, "kind %d: status %x\n", i % 6, status);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 6; i++)
		printf("kind %d: %d\n", i, good[i]);
	return 0;
}
