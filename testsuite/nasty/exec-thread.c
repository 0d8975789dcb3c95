/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that become another from a thread that is not the first, while other threads work: of all threads one is
 * left, which has the number of the first.  Through a descriptor of a file that has no name (memfd), by a path, and at
 * last as a program that is not to be traced or dumped.  Hard because what a recorder has for each thread goes with the
 * threads, but those that end so are never asked. */
#include "nasty.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define TURNS 12

static char next[8];
static char **arguments;
static pid_t leader;

static void *worker(void *argument)
{
	for (;;)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static int copy_of_self(void)
{
	struct stat stat;
	off_t at = 0;
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = memfd_create("copy", MFD_CLOEXEC);
	CHECK(from >= 0 && to >= 0 && fstat(from, &stat) == 0);
	while (at < stat.st_size)
		CHECK(sendfile(to, from, &at, (size_t)(stat.st_size - at)) > 0);
	close(from);
	return to;
}

static void *become(void *argument)
{
	int turn = atoi(next);
	CHECK(syscall(SYS_gettid) != leader);
	busy(10);
	if (turn % 3 == 1)
		fexecve(copy_of_self(), arguments, environ);
	else if (turn % 3 == 2)
		execv(arguments[0], arguments);
	else
		execl(arguments[0], arguments[0], next, arguments[2], NULL);
	CHECK(!"executed");
	return argument;
}

int main(int argc, char **argv)
{
	int turn = argc > 1 ? atoi(argv[1]) : 0;
	char own[16];
	pthread_t ids[4];
	leader = getpid();
	CHECK(syscall(SYS_gettid) == leader && work(NASTY_ROUNDS) == NASTY_RESULT);
	if (argc > 2)
		CHECK(atoi(argv[2]) == leader);
	if (turn == TURNS) {
		CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
		busy(100);
		printf("turn %d\n", turn);
		return 0;
	}
	snprintf(next, sizeof next, "%d", turn + 1);
	snprintf(own, sizeof own, "%d", leader);
	char *list[] = { argv[0], next, own, NULL };
	arguments = list;
	for (int i = 0; i < 3; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	CHECK(pthread_create(&ids[3], NULL, become, NULL) == 0);
	worker(NULL);
}
