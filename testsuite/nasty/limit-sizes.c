/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits on file sizes, queued signals and message queues that a program sets itself: each write beyond is one SIGXFSZ
 * and one EFBIG, threads and children are made as before.  Hard because a recorder's file is
 * larger than that, its timers are queued signals, and all of it happens in the name of the program. */
#include "nasty.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static volatile int fsz;

static void on_xfsz(int signal)
{
	fsz++;
}

static void write_beyond(int times)
{
	char block[4096] = { 1 };
	int fd = open("./nasty-file", O_RDWR | O_CREAT | O_TRUNC, 0600), failed = 0;
	CHECK(fd >= 0);
	unlink("./nasty-file");
	for (int i = 0; i < 16; i++)
		CHECK(write(fd, block, sizeof block) == sizeof block);
	fsz = 0;
	for (int i = 0; i < times; i++)
		failed += write(fd, block, sizeof block) == -1 && errno == EFBIG;
	CHECK(failed == times && fsz == times);
	close(fd);
}

static void *thread(void *argument)
{
	busy(5);
	return argument;
}

static void threads(void)
{
	pthread_t ids[8];
	for (int i = 0; i < 8; i++)
		CHECK(pthread_create(&ids[i], NULL, thread, NULL) == 0);
	for (int i = 0; i < 8; i++)
		pthread_join(ids[i], NULL);
}

static int child(void)
{
	signal(SIGXFSZ, on_xfsz);
	write_beyond(10);
	threads();
	busy(10);
	CHECK(fsz == 10);
	return 14;
}

int main(int argc, char **argv)
{
	struct rlimit sizes = { 65536, 65536 }, none = { 0, 0 };
	if (argc > 1)
		return child();
	busy(50);
	CHECK(setrlimit(RLIMIT_FSIZE, &sizes) == 0);
	CHECK(child() == 14);
	CHECK(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
	CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
	CHECK(setrlimit(RLIMIT_MSGQUEUE, &none) == 0);
	threads();
	for (int i = 0; i < 4; i++) {
		int status;
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0 && i % 2)
			execl(argv[0], argv[0], "child", NULL);
		if (pid == 0)
			_exit(child());
		CHECK(waitpid(pid, &status, 0) == pid && status == 14 << 8);
	}
	CHECK(kill(getpid(), SIGXFSZ) == 0 && fsz == 11);
	printf("limits as they should be\n");
	return 0;
}
