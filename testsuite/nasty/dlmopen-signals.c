/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library in a link namespace of its own, whose libc is another: it sets handlers, faults, blocks signals and waits
 * for them, changes protections, through functions that no preloaded library stands in front of.  Hard because for a
 * recorder that counts on being asked this is a program that goes behind its back. */
/* part: library.so gcc -shared -fPIC */
/* modes: default 2000 [a bare call beside a burst can see the burst's handler: doc/recorder-safety.md] */
#include "nasty.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#ifdef PART
static sigjmp_buf back;
static volatile int faults, usr;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	faults += info->si_addr == (void *)24;
	siglongjmp(back, 1);
}

static void on_usr1(int signal)
{
	usr++;
}

/* 0 if all is as it should be, else what is not. */
int library_run(int round)
{
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO }, before, now;
	struct timespec none = { 0, 0 };
	sigset_t all, pending, old;
	siginfo_t info;
	faults = usr = 0;
	if (sigaction(SIGSEGV, &action, &before) != 0)
		return 1;
	for (int i = 0; i < 20; i++) {
		work(NASTY_ROUNDS);
		if (sigsetjmp(back, 1) == 0)
			*(volatile int *)24 = 1;
	}
	if (faults != 20)
		return 2;
	if (sigaction(SIGSEGV, &before, &now) != 0)
		return 3;
	signal(SIGUSR1, on_usr1);
	sigfillset(&all);
	sigdelset(&all, SIGRTMAX - 3); /* doc/recorder-safety.md says why a second libc can see it */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (int i = 0; i < 200; i++)
		work(NASTY_ROUNDS);
	raise(SIGUSR1);
	if (sigpending(&pending) != 0 || *(uint64_t *)(void *)&pending != 1ull << (SIGUSR1 - 1))
		return 4;
	if (sigtimedwait(&all, &info, &none) != SIGUSR1)
		return 5;
	if (sigtimedwait(&all, &info, &none) != -1)
		return 6;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	raise(SIGUSR1);
	return usr == 1 ? 0 : 7;
}
#else
#include <dlfcn.h>

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

int main(int argc, char **argv)
{
	char path[4096];
	pthread_t id;
	int wrong[8] = { 0 };
	snprintf(path, sizeof path, "%s.library.so", argv[0]);
	void *handle = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	CHECK(handle);
	int (*run)(int) = (int (*)(int))dlsym(handle, "library_run");
	CHECK(run);
	pthread_create(&id, NULL, worker, NULL);
	for (int i = 0; i < 40; i++)
		wrong[run(i)]++;
	stop = 1;
	pthread_join(id, NULL);
	for (int i = 0; i < 8; i++)
		printf("%d: %d\n", i, wrong[i]);
	return 0;
}
#endif
