/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads by the thousand that live for microseconds, joined, detached and from two creators, on the smallest stacks,
 * with thread-local storage and destructors; some end by pthread_exit, some by a bare exit call, some are bare clones.
 * Hard because each may get and lose a timer, whose last signal may come when the thread is gone or another has its
 * memory. */
#include "nasty.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static _Atomic int ended, destroyed, bare;
static pthread_key_t key;
static __thread int local = 5;

static void destroy(void *argument)
{
	atomic_fetch_add(&destroyed, 1);
}

static void *brief(void *argument)
{
	local += (int)(intptr_t)argument;
	CHECK(local == 5 + (int)(intptr_t)argument);
	pthread_setspecific(key, &local);
	work((uint64_t)(intptr_t)argument * 3);
	atomic_fetch_add(&ended, 1);
	if ((intptr_t)argument % 7 == 3)
		pthread_exit(argument);
	return argument;
}

static int bare_thread(void *argument)
{
	if (work(NASTY_ROUNDS) == NASTY_RESULT)
		atomic_fetch_add(&bare, 1);
	return 0;
}

/* A thread that libc does not know, with its own copy of the thread pointer's block. */
static void clone_bare(char *stack)
{
	static char block[4096] __attribute__((aligned(64)));
	pid_t tid = 1;
	*(void **)(void *)block = block;
	CHECK(clone(bare_thread, stack + 65536,
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
			CLONE_CHILD_CLEARTID,
		    NULL, NULL, block, &tid) > 0);
	for (pid_t now; (now = *(volatile pid_t *)&tid) != 0;)
		syscall(SYS_futex, &tid, FUTEX_WAIT, now, NULL, NULL, 0);
}

static void *creator(void *argument)
{
	pthread_attr_t small, detached;
	int turns = *(int *)argument;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < turns; i++) {
		pthread_t ids[4];
		void *result;
		for (intptr_t k = 0; k < 4; k++)
			CHECK(pthread_create(&ids[k],
					     k == 3   ? &detached
					     : k == 2 ? &small
						      : NULL,
					     brief, (void *)(i % 50 + k)) == 0);
		for (intptr_t k = 0; k < 3; k++)
			CHECK(pthread_join(ids[k], &result) == 0 && result == (void *)(i % 50 + k));
	}
	return NULL;
}

int main(void)
{
	pthread_t ids[2];
	int turns = 600;
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_key_create(&key, destroy);
	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, creator, &turns);
	for (int i = 0; i < 200; i++)
		clone_bare(stack);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	while (ended < 2 * 4 * turns || destroyed < 2 * 4 * turns)
		usleep(1000);
	busy(100);
	printf("ended %d, destroyed %d, bare %d\n", ended, destroyed, bare);
	return 0;
}
