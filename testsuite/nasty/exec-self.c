/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that executes itself, over and over, in the ways that package managers and containers' tools do:
 * /proc/self/exe, a sealed copy in memory, an open file without a name, with no arguments at all, under a name that is
 * not its own, from a thread while others work.  Hard for whoever looks at what is executed before it is. */
#include "nasty.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LAST 8

extern char **environ;
static char number[8];

static void *worker(void *argument)
{
	for (;;)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
}

/* The program in a file that has no name. */
static int copy(int sealed)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = sealed ? memfd_create("nasty-exec-self", MFD_CLOEXEC | MFD_ALLOW_SEALING)
			 : open(".", O_TMPFILE | O_RDWR, 0700);
	char block[65536], path[64];
	ssize_t size;
	CHECK(in >= 0 && out >= 0);
	while ((size = read(in, block, sizeof block)) > 0)
		CHECK(write(out, block, (size_t)size) == size);
	close(in);
	if (sealed) {
		CHECK(fcntl(out, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
		return out;
	}
	/* One that is open for writing cannot be executed. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", out);
	in = open(path, O_RDONLY | O_CLOEXEC);
	close(out);
	return in;
}

static void *next(void *argument)
{
	char *arguments[] = { "another name", number, NULL }, *none[] = { NULL };
	int turn = atoi(number);
	snprintf(number, sizeof number, "%d", turn + 1);
	setenv("NASTY_TURN", number, 1);
	switch (turn % 5) {
	case 0:
		execv("/proc/self/exe", arguments);
		break;
	case 1:
		fexecve(copy(1), arguments, environ);
		break;
	case 2:
		syscall(SYS_execveat, copy(0), "", arguments, environ, 0x1000 /* AT_EMPTY_PATH */);
		break;
	case 3:
		execve("/proc/self/exe", none, environ);
		break;
	default:
		execveat(copy(1), "", arguments, environ, 0x1000);
	}
	CHECK(!"executed");
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t ids[3];
	const char *turn = getenv("NASTY_TURN");
	strcpy(number, turn ? turn : "0");
	busy(10);
	printf("%d %s\n", argc, number);
	fflush(stdout);
	if (atoi(number) == LAST)
		return 0;
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(20);
	if (atoi(number) % 2)
		next(NULL);
	CHECK(pthread_create(&ids[2], NULL, next, NULL) == 0);
	pthread_join(ids[2], NULL);
	return 1;
}
