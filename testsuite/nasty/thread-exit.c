/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of threads in every order: the first thread leaves by pthread_exit and another ends the process, destructors
 * of thread-specific data that set it again, work and send signals, all the keys that there are, exec and exit_group
 * out of a thread while others work and start.  Hard because a recorder's own end of a thread is one more of these. */
#include "nasty.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static _Atomic int rounds, handled;
static pthread_key_t keys[4];
static volatile int stop;

static void handler(int signal)
{
	atomic_fetch_add(&handled, 1);
}

static void again(void *argument)
{
	int count = atomic_fetch_add(&rounds, 1);
	CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	pthread_kill(pthread_self(), SIGUSR1);
	if (argument == (void *)1)
		pthread_setspecific(keys[count % 4], (void *)2);
}

static void *with_keys(void *argument)
{
	for (int i = 0; i < 4; i++)
		pthread_setspecific(keys[i], (void *)3);
	return argument;
}

static void *worker(void *argument)
{
	for (;;)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static void *ender(void *argument)
{
	char *const arguments[] = { argument, "child", NULL };
	pthread_t id;
	busy(2);
	for (int i = 0; i < 3; i++)
		pthread_create(&id, NULL, worker, NULL);
	busy(2);
	if (argument)
		execv(argument, arguments);
	syscall(SYS_exit_group, 8);
	return NULL;
}

static void *last(void *argument)
{
	pthread_join(*(pthread_t *)argument, NULL);
	busy(3);
	_exit(6);
}

static void child(int kind, char *path)
{
	pthread_t id, self = pthread_self();
	if (kind == 0) {
		pthread_create(&id, NULL, last, &self);
	} else {
		pthread_create(&id, NULL, ender, kind == 1 ? path : NULL);
		if (kind == 1)
			worker(NULL);
	}
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	pthread_key_t key;
	pthread_t id;
	int count = 0;
	if (argc > 1)
		return 7;
	while (pthread_key_create(&key, NULL) == 0)
		count++;
	CHECK(count <= PTHREAD_KEYS_MAX);
	printf("keys %d\n", count);
	for (int i = 0; i < count; i++)
		pthread_key_delete(key - (unsigned int)i);
	signal(SIGUSR1, handler);
	for (int i = 0; i < 4; i++)
		pthread_key_create(&keys[i], again);
	for (int i = 0; i < 200; i++) {
		pthread_create(&id, NULL, with_keys, NULL);
		pthread_join(id, NULL);
	}
	busy(50);
	printf("destructors %d, handled %d\n", rounds, handled);
	for (int i = 0; i < 24; i++) {
		int status;
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0)
			child(i % 3, argv[0]);
		CHECK(waitpid(pid, &status, 0) == pid);
		if (status != (6 + i % 3) << 8)
			fprintf(stderr, "child of kind %d: %x\n", i % 3, status);
	}
	return 0;
}
