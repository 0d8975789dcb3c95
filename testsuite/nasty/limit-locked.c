/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plain user's program locks its memory (mlockall) within the usual limit of 8 MB, now and for the future, and takes
 * 3 MB more, as daemons for keys and for audio do.  Hard because all that a recorder has mapped counts as the
 * program's, though it may never be touched. */
#include "nasty.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int locked(int flags)
{
	struct rlimit limit = { 8 << 20, 8 << 20 };
	CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	if (geteuid() == 0)
		CHECK(setregid(65534, 65534) == 0 && setreuid(65534, 65534) == 0);
	CHECK(mlockall(flags) == 0);
	busy(20);
	char *more = mmap(NULL, 3 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(more != MAP_FAILED);
	CHECK(mlock(more, 3 << 20) == 0);
	memset(more, 1, 3 << 20);
	busy(40);
	return 12;
}

int main(void)
{
	static const int flags[] = { MCL_CURRENT, MCL_CURRENT | MCL_FUTURE, MCL_FUTURE };
	struct rlimit now;
	CHECK(getrlimit(RLIMIT_MEMLOCK, &now) == 0);
	if (now.rlim_max < 8 << 20 && geteuid() != 0)
		nasty_skip("the limit on locked memory is below 8 MB");
	busy(100);
	for (int i = 0; i < 3; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			_exit(locked(flags[i]));
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("kind %d: %x\n", i, status);
	}
	printf("itself: %d\n", locked(MCL_CURRENT | MCL_FUTURE));
	return 0;
}
