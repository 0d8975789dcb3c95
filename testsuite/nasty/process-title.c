/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server that writes its process title over its arguments and environment, forks workers, changes its folder, drops
 * its TMPDIR and forks again, one worker from another.  Hard because whatever the recorder keeps a pointer to in the
 * environment then reads as "" or as the title, and a file that is named with it lies wherever that leads. */
#include "nasty.h"

#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

static void title(int argc, char **argv, const char *text)
{
	char *begin = argv[0], *end = argv[argc - 1] + strlen(argv[argc - 1]) + 1;
	static char *none[] = { NULL };
	for (char **e = environ; *e; e++)
		if (*e == end)
			end = *e + strlen(*e) + 1;
	memset(begin, 0, (size_t)(end - begin));
	snprintf(begin, (size_t)(end - begin), "%s", text);
	environ = none;
}

static void workers(int depth)
{
	pid_t pids[3];
	for (int i = 0; i < 3; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (pids[i] == 0) {
			busy(30);
			if (i == 0 && depth > 0)
				workers(depth - 1);
			_exit(10 + i);
		}
	}
	for (int i = 0; i < 3; i++) {
		int status;
		CHECK(waitpid(pids[i], &status, 0) == pids[i] && status == (10 + i) << 8);
	}
}

int main(int argc, char **argv)
{
	busy(20);
	title(argc, argv, "nasty: master process, serving from /tmp/nasty-process-title");
	workers(1);
	CHECK(chdir("/") == 0);
	workers(0);
	clearenv();
	workers(0);
	printf("served\n");
	return 0;
}
