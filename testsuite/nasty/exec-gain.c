/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that has forbidden itself code that can be written (PR_SET_MDWE), before it has worked, in threads and for
 * its children and what they execute; what it asks for is refused then, and all else is as always.  Hard for whoever
 * makes code: the kernel refuses that in the middle of it. */
#include "nasty.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static void refused(void)
{
	void *data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(data != MAP_FAILED && mprotect(data, 4096, PROT_READ | PROT_EXEC) == -1);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	munmap(data, 4096);
	busy(60);
}

int main(int argc, char **argv)
{
	pthread_t ids[2];
	if (argc > 1) {
		refused();
		return 21;
	}
	for (int late = 0; late < 2; late++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			if (late)
				busy(100);
			stop = 0;
			for (int i = 0; i < 2; i++)
				pthread_create(&ids[i], NULL, worker, NULL);
			if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
				nasty_skip("no PR_SET_MDWE here");
			refused();
			stop = 1;
			for (int i = 0; i < 2; i++)
				pthread_join(ids[i], NULL);
			pid = fork();
			if (pid == 0) {
				refused();
				execl(argv[0], argv[0], "child", NULL);
				_exit(1);
			}
			CHECK(waitpid(pid, &status, 0) == pid);
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			return 77;
		printf("%d: %x\n", late, (unsigned int)status);
		fflush(stdout);
	}
	return 0;
}
