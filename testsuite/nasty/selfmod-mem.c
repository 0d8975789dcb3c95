/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code changed through /proc/self/mem, by the program itself, by another thread and by its child through /proc/PID/mem:
 * write-protected all the time, as tracers, live patchers and debuggers change it.  Hard because no page changes its
 * protection: a translation of the old code looks as good as ever. */
#include "selfmod.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

SELFMOD_FUNCTION(patched, ".text");

static void patch(int fd, uint32_t value)
{
	CHECK(pwrite(fd, &value, 4, (off_t)(uintptr_t)patched_constant) == 4);
}

struct order {
	int fd;
	uint32_t value;
};

static void *patcher(void *argument)
{
	struct order *order = argument;
	patch(order->fd, order->value);
	return NULL;
}

int main(void)
{
	char path[64];
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0);
	selfmod_check(patched, SELFMOD_FIRST, 1000000);
	for (uint32_t i = 0; i < 150; i++) {
		patch(fd, i * 0x1010101);
		selfmod_check(patched, i * 0x1010101, 100000);
	}
	for (uint32_t i = 0; i < 50; i++) {
		struct order order = { fd, i * 0x1020304 };
		pthread_t thread;
		pthread_create(&thread, NULL, patcher, &order);
		pthread_join(thread, NULL);
		selfmod_check(patched, i * 0x1020304, 100000);
	}
	snprintf(path, sizeof path, "/proc/%d/mem", (int)getpid());
	for (uint32_t i = 0; i < 30; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			int mine = open(path, O_RDWR | O_CLOEXEC);
			if (mine < 0)
				_exit(1);
			patch(mine, i * 0x1030509);
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		if (status == 0)
			selfmod_check(patched, i * 0x1030509, 100000);
	}
	printf("changed\n");
	return 0;
}
