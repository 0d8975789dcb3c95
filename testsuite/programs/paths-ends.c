/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends in the way that its argument names, behind 3 executions of one path of `step` and 2 of the other. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int left, right;

__attribute__((noinline)) static void step(int way)
{
	if (way)
		left = left + 1;
	else
		right = right + 1;
}

static int in_child(char **argv)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		step(0);
		if (strcmp(argv[1], "fork-exec") == 0)
			execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

#define SMALL 8192 /* a stack that is usual for handlers, besides what the kernel puts there */
#define MINIMUM 51 /* AT_MINSIGSTKSZ */

static void handler(int number)
{
	(void)number;
	_exit(0);
}

/* On a small stack of its own, below which there is nothing. */
static void end_in_handler(void)
{
	size_t size = (SMALL + getauxval(MINIMUM) + 4095) & ~4095ul;
	char *memory = mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = memory + 4096, .ss_size = size };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (memory == MAP_FAILED || mprotect(memory, 4096, PROT_NONE) != 0 || sigaltstack(&stack, NULL) != 0 ||
	    sigaction(SIGUSR1, &action, NULL) != 0)
		exit(1);
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 0; i < 5; i++)
		step(i < 3);
	if (argc < 2)
		return 0;
	if (strcmp(argv[1], "_exit") == 0)
		_exit(0);
	if (strcmp(argv[1], "handler") == 0)
		end_in_handler();
	if (strcmp(argv[1], "exit") == 0)
		exit(0);
	if (strcmp(argv[1], "abort") == 0)
		abort();
	if (strcmp(argv[1], "assert") == 0)
		assert(left == 0);
	if (strcmp(argv[1], "perror") == 0)
		assert_perror(EINVAL);
	if (strcmp(argv[1], "exec") == 0)
		execl("/bin/true", "true", (char *)NULL);
	/* It becomes the same program under the same number. */
	if (strcmp(argv[1], "again") == 0)
		execl(argv[0], argv[0], (char *)NULL);
	/* The C library ends the process, and goes on in a child. */
	if (strcmp(argv[1], "daemon") == 0) {
		if (daemon(1, 1) != 0)
			return 1;
		step(0);
	}
	if (strncmp(argv[1], "fork", 4) == 0)
		status = in_child(argv);
	return status != 0;
}
