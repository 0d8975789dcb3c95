/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program closes all descriptors but three at its start, finds each number free as it should be, lets its own folder
 * and files stand at every number, forks and works: nobody may write to them or make a file there; then it allows
 * itself three descriptors.  Hard because a descriptor that a recorder keeps may by then be one of the program's. */
#include "nasty.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define COUNT 1000

static void children(int count)
{
	for (int i = 0; i < count; i++) {
		int status;
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			busy(5);
			_exit(4);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 4 << 8);
	}
}

static void *thread(void *argument)
{
	busy(10);
	return argument;
}

static int entries(void)
{
	DIR *folder = opendir(".");
	int count = 0;
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

int main(void)
{
	struct rlimit limit = { 3, 3 };
	struct stat st;
	pthread_t id;
	char name[32];
	syscall(SYS_close_range, 3, ~0u, 0);
	CHECK(open("/dev/null", O_RDONLY) == 3);
	busy(50);
	children(3);
	CHECK(open("/dev/null", O_RDONLY) == 4);
	close(3);
	close(4);
	int before = entries();
	for (int i = 3; i < COUNT; i++) {
		int fd = i % 2 ? open(".", O_RDONLY | O_DIRECTORY) : open("./file", O_RDWR | O_CREAT, 0600);
		CHECK(fd == i);
	}
	unlink("./file");
	busy(50);
	children(8);
	CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
	CHECK(fstat(4, &st) == 0 && st.st_size == 0);
	for (int i = 3; i < COUNT; i++)
		CHECK(close(i) == 0);
	CHECK(entries() == before);
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
	children(3);
	CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
	close(0);
	CHECK(open("/dev/null", O_RDONLY) == 0);
	for (int i = 0; i < 64; i++) {
		snprintf(name, sizeof name, "/proc/self/fd/%d", i);
		CHECK((readlink(name, (char[64]) { 0 }, 64) > 0) == (i < 3));
	}
	printf("descriptors as they should be\n");
	return 0;
}
