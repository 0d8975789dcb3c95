/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work of a known answer by events: of the pages that it touches for the first time `few` has 100 and `many` 300 in
 * each round, while nearly all of the time is `spin`'s, which touches none.  In two threads, in a child of fork, and in
 * the program that the child becomes.  `greedy`: the second thread finds no descriptor free; `exec`, `spawn`, `system`:
 * nor does the first behind such a call, and it is the only one.  `limited`: all of it under a limit of few signals,
 * before and behind an exec. */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define FEW 100
#define MANY 300
#define TURNS 6000000

static volatile unsigned long sum;

__attribute__((noinline)) static void spin(void)
{
	for (int i = 0; i < TURNS; i++)
		sum += (unsigned long)i;
}

__attribute__((noinline)) static void few(char *memory)
{
	for (int i = 0; i < FEW; i++)
		memory[i * PAGE] = 1;
}

__attribute__((noinline)) static void many(char *memory)
{
	for (int i = 0; i < MANY; i++)
		memory[i * PAGE] = 1;
}

static void *work(void *rounds)
{
	for (int i = 0; i < *(const int *)rounds; i++) {
		char *memory =
		    mmap(NULL, (FEW + MANY) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			abort();
		madvise(memory, (FEW + MANY) * PAGE, MADV_NOHUGEPAGE); /* one fault a page */
		few(memory);
		spin();
		many(memory + FEW * PAGE);
		munmap(memory, (FEW + MANY) * PAGE);
	}
	return NULL;
}

static void take_descriptors(void)
{
	while (open("/dev/null", O_RDONLY) >= 0)
		continue;
}

/* Executes something, or tries to, by the call that HOW says; false if it says none. */
static bool execute(const char *how)
{
	char *const none[] = { NULL };
	pid_t child;

	if (strcmp(how, "exec") == 0)
		return execve("/no/such/file", none, none) < 0;
	if (strcmp(how, "spawn") == 0)
		return posix_spawn(&child, "/no/such/file", NULL, NULL, none, none) != 0;
	if (strcmp(how, "system") == 0)
		return system(":") != -1;
	return false;
}

int main(int argc, char **argv)
{
	static const struct rlimit few_signals = { 100, 100 };
	int rounds = argc > 1 ? atoi(argv[1]) : 100, status = 0;
	char text[16];
	pthread_t thread;
	pid_t child;

	snprintf(text, sizeof text, "%d", rounds);
	if (argc > 2 && strcmp(argv[2], "limited") == 0 && setrlimit(RLIMIT_SIGPENDING, &few_signals) != 0)
		return 1;
	work(&rounds);
	if (argc > 2 && strcmp(argv[2], "limited") == 0)
		return execl(argv[0], argv[0], text, "alone", (char *)NULL);
	if (argc > 2 && strcmp(argv[2], "alone") == 0)
		return 0;
	if (argc > 2)
		take_descriptors();
	if (argc > 2 && execute(argv[2])) {
		work(&rounds);
		return 0;
	}
	if (pthread_create(&thread, NULL, work, &rounds) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	child = argc > 2 ? 0 : fork();
	if (child == 0 && argc == 2) {
		work(&rounds);
		execl(argv[0], argv[0], text, "alone", (char *)NULL);
		_exit(1);
	}
	return child && (waitpid(child, &status, 0) != child || status != 0);
}
