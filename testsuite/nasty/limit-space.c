/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program limits its address space to 384 MB and takes all that it can get, in itself, in forked children, which may
 * do so themselves by prlimit, and in a program started under the limit: most of it must be there, and malloc must say
 * so properly at the end.  Hard because what a recorder reserves counts in full, used or not. */
/* unattached: what the recorder has reserved counts against its limit */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define BLOCK ((size_t)16 << 20)

/* At least 20 blocks of 16 MB: 64 MB are left for what was there before. */
static int take(void)
{
	static void *blocks[64];
	int count = 0;
	while (count < 64 && (blocks[count] = malloc(BLOCK)) != NULL) {
		*(volatile char *)blocks[count] = 1;
		count++;
	}
	CHECK(count < 64 && errno == ENOMEM);
	busy(20);
	for (int i = 0; i < count; i++)
		free(blocks[i]);
	return count >= 20;
}

static void *thread(void *argument)
{
	busy(5);
	return argument;
}

static int child(void)
{
	pthread_t id;
	int good = take();
	CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
	busy(10);
	return good ? 20 : 21;
}

static const struct rlimit limit = { 384 << 20, 384 << 20 };

/* Of its own process, which has two names. */
static void limit_children(void)
{
	for (int i = 0; i < 2; i++) {
		int status;
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			busy(100);
			CHECK(prlimit(i ? getpid() : 0, RLIMIT_AS, &limit, NULL) == 0);
			_exit(child());
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("child by prlimit %d: %x\n", i, status);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return child();
	busy(100);
	limit_children();
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	for (int i = 0; i < 3; i++) {
		int status;
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0 && i == 2)
			execl(argv[0], argv[0], "child", NULL);
		if (pid == 0)
			_exit(child());
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("child %d: %x\n", i, status);
	}
	printf("itself: %d\n", child());
	return 0;
}
