/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thirty kinds of signals nested in each other, faults among them, each handler with registers, errno and
 * floating-point values of its own, and jumps out of the depth by siglongjmp.  Hard because each level is a place at
 * which a recorder's own signal may come between, and the levels that are jumped over never return. */
#include "nasty.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static int order[40], count;
static volatile int depth, visits, faults;
static sigjmp_buf back;
static volatile int jump_at;
static char *page;

static void deeper(void)
{
	volatile double value = depth * 1.5;
	int before = errno;
	errno = depth;
	const int here = depth++;
	if (here == jump_at)
		siglongjmp(back, here + 1);
	if (here < count)
		raise(order[here]);
	else
		*(volatile char *)page = 1;
	CHECK(errno == here);
	CHECK(value == here * 1.5);
	CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	errno = before;
	depth--;
}

static void handler(int signal)
{
	visits++;
	deeper();
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
	if (info->si_code <= 0) { /* raised */
		visits++;
		deeper();
		return;
	}
	CHECK(info->si_addr == page);
	faults++;
	CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	volatile int jumps = 0;
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int number = 1; number <= 64; number += number < 31 ? 1 : 3) {
		if (number == SIGKILL || number == SIGSTOP || number == 32 || number == 33 || number == SIGTSTP ||
		    count == 30)
			continue;
		order[count++] = number;
		action.sa_handler = handler;
		action.sa_flags = SA_NODEFER;
		if (number == SIGSEGV) {
			action.sa_sigaction = on_segv;
			action.sa_flags = SA_NODEFER | SA_SIGINFO;
		}
		sigaction(number, &action, NULL);
	}
	for (int i = 0; i < 400; i++) {
		mprotect(page, 4096, PROT_NONE);
		depth = 0;
		jump_at = i % 3 == 0 ? i % count : -1;
		int got = sigsetjmp(back, 1);
		if (got == 0)
			deeper();
		else
			jumps += got == jump_at + 1;
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	}
	busy(50);
	printf("visits %d, faults %d, jumps %d\n", visits, faults, jumps);
	return 0;
}
