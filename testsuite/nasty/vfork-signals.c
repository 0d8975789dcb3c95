/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child of vfork resets signals before exec, as shells, interpreters and servers do: handlers to their default, the
 * mask empty, the alternate stack off, for the recorder's number, too; the parent's are what they were.  Hard because
 * the child has its parent's memory: what a recorder notes down of the child's wishes is then its parent's. */
/* unattached: it takes the recorder's signal for itself while it is recorded */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

static volatile int handled, stop;

static void handler(int signal)
{
	handled++;
}

static void other(int signal)
{
	handled += 1000;
}

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static void child(int kind, char *path)
{
	static char stack[65536];
	stack_t none = { NULL, SS_DISABLE, 0 }, some = { stack, 0, sizeof stack };
	struct sigaction action = { .sa_handler = other }, old;
	sigset_t set;
	sigfillset(&action.sa_mask);
	sigemptyset(&set);
	if (kind % 2)
		sigfillset(&set);
	for (int number = 1; number <= 64; number++)
		signal(number, kind % 3 == 0 ? SIG_DFL : kind % 3 == 1 ? SIG_IGN : other);
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0 && sigaction(SIGUSR2, NULL, &old) == 0);
	CHECK(sigismember(&old.sa_mask, 61));
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigaltstack(kind % 2 ? &some : &none, NULL);
	mprotect(stack, 4096, PROT_READ | PROT_WRITE);
	work(NASTY_ROUNDS);
	signal(SIGCHLD, SIG_DFL);
	execl(path, path, "child", NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	static char stack[65536];
	stack_t own = { stack, 0, sizeof stack }, now;
	static const int numbers[] = { SIGUSR1, SIGSEGV, SIGFPE, 61, 62 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART }, old;
	sigset_t blocked, mask;
	pthread_t id;
	if (argc > 1)
		return 23;
	busy(50);
	CHECK(sigaltstack(&own, NULL) == 0);
	sigfillset(&action.sa_mask);
	for (int i = 0; i < 5; i++)
		sigaction(numbers[i], &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, 61);
	sigaddset(&blocked, SIGUSR2);
	pthread_create(&id, NULL, worker, NULL);
	for (int round = 0; round < 36; round++) {
		int status;
		pthread_sigmask(SIG_SETMASK, &blocked, NULL);
		pid_t pid = vfork();
		if (pid == 0)
			child(round, argv[0]);
		CHECK(waitpid(pid, &status, 0) == pid && status == 23 << 8);
		CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
		CHECK(*(uint64_t *)(void *)&mask == *(uint64_t *)(void *)&blocked);
		CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == stack && now.ss_size == sizeof stack);
		handled = 0;
		for (int i = 0; i < 5; i++) {
			CHECK(sigaction(numbers[i], NULL, &old) == 0);
			CHECK(old.sa_handler == handler && (old.sa_flags & ~0x04000000) == (SA_ONSTACK | SA_RESTART));
			CHECK(sigismember(&old.sa_mask, 61) && sigismember(&old.sa_mask, SIGUSR2));
			raise(numbers[i]);
		}
		CHECK(handled == 4);
		sigemptyset(&mask);
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
		CHECK(handled == 5);
	}
	stop = 1;
	pthread_join(id, NULL);
	printf("the parent's own\n");
	return 0;
}
