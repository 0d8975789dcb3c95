/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children on small stacks, as a handler for crashes has one that starts a debugger, execute programs and fail to: by
 * clone, in the parent's memory, on a page of which little is left, below which there is none.  Hard because the C
 * library needs next to no stack for that, and a recorder that looks at the file first needs some. */
/* build: -Wl,-z,now */
#include "nasty.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define LEFT 2048

extern char **environ;
static char *path;

static int child(void *kind)
{
	char room[4096 - LEFT];
	char *arguments[] = { path, "child", NULL };
	__asm__ volatile("" : : "r"(room) : "memory");
	if (kind)
		execve(path, arguments, environ);
	else
		execve("/dev/null", arguments, environ);
	_exit(errno == EACCES ? 8 : 9);
}

int main(int argc, char **argv)
{
	char *stack = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	path = argv[0];
	if (argc > 1)
		return 7;
	CHECK(stack != MAP_FAILED && mprotect(stack, 4096, PROT_NONE) == 0);
	for (int round = 0; round < 40; round++) {
		int status;
		busy(2);
		pid_t pid =
		    clone(child, stack + 2 * 4096, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)(intptr_t)(round % 2));
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == (round % 2 ? 7 : 8) << 8);
	}
	printf("there was room\n");
	return 0;
}
