// SPDX-License-Identifier: GPL-3.0-or-later
/* A program to be attached to that works, and makes a child for each byte of standard input: "c", one that works; "t",
 * one that it traces until the byte "d" comes; "e", one that executes this program as soon as it is recorded, which has
 * a child as soon as it is recorded again.  The number of the last child of each is printed. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned value = 1;

__attribute__((noipa)) static unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}

/* The recorder's cache for code is in memory of this kind. */
static int is_recorded(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int found = 0;

	while (maps && fgets(line, sizeof line, maps))
		found |= strstr(line, " rwxp ") != NULL;
	if (maps)
		fclose(maps);
	return found;
}

static void work_until_recorded(void)
{
	while (!is_recorded())
		value = heat(value);
}

static pid_t begin(char kind, char *name)
{
	pid_t child = fork();

	if (child)
		return child;
	alarm(300);
	if (kind == 't') {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
	}
	if (kind == 'e') {
		work_until_recorded();
		execl(name, name, "again", NULL);
		_exit(1);
	}
	for (;;)
		value = heat(value);
}

static void tell(pid_t pid)
{
	printf("%d\n", pid);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	pid_t traced = 0;
	char kind;

	alarm(300);
	if (argc > 1 && strcmp(argv[1], "again") == 0) {
		work_until_recorded();
		tell(begin('c', argv[0]));
		for (;;)
			value = heat(value);
	}
	for (;;) {
		value = heat(value);
		if (poll(&in, 1, 0) <= 0)
			continue;
		if (read(0, &kind, 1) != 1)
			return 0;
		if (kind == 'd') {
			ptrace(PTRACE_DETACH, traced, NULL, NULL);
			tell(traced);
		} else if (kind == 't') {
			traced = begin(kind, argv[0]);
			waitpid(traced, NULL, 0);
		} else {
			pid_t child = begin(kind, argv[0]);

			if (kind == 'c')
				tell(child);
		}
	}
}
