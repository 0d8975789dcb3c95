/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in's constructor starts a thread that is the first in the program to call sigaction, signal, sigwait and their
 * like, and waits for it.  Hard because the dynamic loader's lock is held meanwhile: whoever looks a symbol up in one
 * of these calls waits for the constructor, which waits for him. */
/* part: plugin.so gcc -shared -fPIC -lpthread */
#include "nasty.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <threads.h>

#ifdef PART
static void handler(int signal)
{
}

static int c11(void *argument)
{
	return work(1000) == work(1000);
}

static void *thread(void *argument)
{
	struct sigaction action = { .sa_handler = handler };
	struct timespec none = { 0, 0 };
	stack_t stack;
	sigset_t set, old;
	siginfo_t info;
	thrd_t other;
	int number, result;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	signal(SIGUSR2, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	sigtimedwait(&set, &info, &none);
	pthread_kill(pthread_self(), SIGALRM);
	sigwait(&set, &number);
	pthread_kill(pthread_self(), SIGALRM);
	sigwaitinfo(&set, &info);
	ppoll(NULL, 0, &none, &old);
	pselect(0, NULL, NULL, NULL, &none, &old);
	result = epoll_create1(0);
	epoll_pwait(result, &(struct epoll_event) { 0 }, 1, 0, &old);
	close(result);
	close(signalfd(-1, &set, 0));
	pthread_kill(pthread_self(), SIGUSR1);
	sigaltstack(NULL, &stack);
	prctl(PR_GET_DUMPABLE);
	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	thrd_create(&other, c11, NULL);
	thrd_join(other, &result);
	pid_t pid = fork();
	if (pid == 0)
		_exit(3);
	waitpid(pid, &result, 0);
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t id;
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
}

int answer(void)
{
	return 42;
}
#else
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
	pthread_create(&id, NULL, worker, NULL);
	snprintf(path, sizeof path, "%s.plugin.so", argv[0]);
	for (int i = 0; i < 40; i++) {
		void *handle = dlopen(path, RTLD_NOW);
		CHECK(handle);
		int (*answer)(void) = (int (*)(void))dlsym(handle, "answer");
		CHECK(answer() == 42);
		CHECK(dlclose(handle) == 0);
		busy(3);
	}
	stop = 1;
	pthread_join(id, NULL);
	printf("opened and closed\n");
	return 0;
}
#endif
