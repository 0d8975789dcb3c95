/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ownstack.h.  The limit itself stays as it is, since programs that are recorded inherit it; a thread would have a
 * stack of any size, but ptrace, signals and process ids are those of the first.  So the first thread changes over to
 * memory of ours.  The hard case is that what gets it there has the small stack: nothing large lives on it. */
#include "cli/ownstack.h"
#include "cli/commands.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define LEAST (1u << 20) /* bytes; ten times what any command was seen to use */
#define ROOM (8u << 20)

static struct {
	ucontext_t caller, worker;
	int (*work)(int argc, char **argv);
	int argc;
	char **argv;
	int status;
} change;

static void enter(void)
{
	change.status = change.work(change.argc, change.argv);
}

int pf_ownstack_run(int (*work)(int argc, char **argv), int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit;
	char *stack;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LEAST)
		return work(argc, argv);
	stack =
	    mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	change.work = work;
	change.argc = argc;
	change.argv = argv;
	/* What overflows it hits the first page, not what lies below. */
	if (stack == MAP_FAILED || mprotect(stack, page, PROT_NONE) != 0 || getcontext(&change.worker) != 0) {
		fputs("pathfdo: the stack is too small, and there is no memory for another: raise 'ulimit -s'\n",
		      stderr);
		return PF_EXIT_FAILURE;
	}
	change.worker.uc_stack.ss_sp = stack;
	change.worker.uc_stack.ss_size = ROOM;
	change.worker.uc_link = &change.caller;
	makecontext(&change.worker, enter, 0);
	swapcontext(&change.caller, &change.worker);
	return change.status;
}
