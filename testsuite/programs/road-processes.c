/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads at work at the same time, a shared library linked in, dlopen and dlclose of two objects that take each
 * other's place, fork with work on both sides, exec of itself.  Arguments: ROUNDS FOLDER, where the objects lie; with
 * "child" as a third argument it is the program that was started by exec. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned module_work(unsigned from, unsigned count);

static unsigned rounds;

static unsigned own_work(unsigned from, unsigned count)
{
	unsigned hash = from;

	for (unsigned i = 0; i < count; i++) {
		if (hash & 1)
			hash = (hash >> 1) ^ 0xedb88320u;
		else if (i % 64 != 63)
			hash = (hash >> 1) + i;
		else
			hash = ~hash;
	}
	return hash;
}

static void *thread(void *number)
{
	unsigned *slot = number;

	for (unsigned r = 0; r < rounds; r++)
		*slot = own_work(*slot + r, 400);
	return NULL;
}

static unsigned threads(void)
{
	pthread_t ids[4];
	unsigned slots[4] = { 1, 2, 3, 4 }, sum = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, thread, &slots[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(ids[i], NULL);
		sum = sum * 31 + slots[i];
	}
	return sum;
}

static unsigned objects(const char *folder)
{
	unsigned sum = 0;

	for (unsigned r = 0; r < 200; r++) {
		unsigned (*work)(unsigned, unsigned);
		char path[4096];
		void *object;

		snprintf(path, sizeof path, "%s/opened%u.so", folder, 1 + r % 2);
		object = dlopen(path, RTLD_NOW);
		if (!object) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		*(void **)&work = dlsym(object, "module_work");
		sum = sum * 7 + work(r, rounds * 4);
		dlclose(object);
	}
	return sum;
}

static int family(char **argv)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)(own_work(5, rounds * 2000) % 100));
	own_work(6, rounds * 1000);
	waitpid(pid, &status, 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(argv[0], argv[0], argv[1], argv[2], "child", (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	rounds = (unsigned)atoi(argv[1]);
	if (argc > 3) {
		printf("child %u\n", own_work(9, rounds * 3000));
		return 41;
	}
	printf("threads %u\n", threads());
	printf("library %u\n", module_work(1, rounds * 2000));
	printf("objects %u\n", objects(argv[2]));
	printf("family %d\n", family(argv));
	return 0;
}
