/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries whose functions are chosen when they are relocated: the choice asks the processor by SIGILL, with a
 * handler, a mask, an alternate stack and a context of its own, as much as a program's constructor might.  Hard because
 * it runs before a library that stands in front of those calls has been relocated itself. */
/* part: library.so gcc -shared -fPIC */
#include "nasty.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

static sigjmp_buf back;

static void handler(int signal)
{
	siglongjmp(back, 1);
}

/* Is there an instruction such as this?  1: no. */
static int is_illegal(void)
{
	struct sigaction action = { .sa_handler = handler }, before;
	sigset_t set, was, now;
	ucontext_t context;
	stack_t stack;
	volatile int illegal = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, 61);
	if (sigaction(SIGILL, &action, &before) != 0 || sigprocmask(SIG_BLOCK, &set, &was) != 0)
		return 2;
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("ud2");
	else
		illegal = 1;
	getcontext(&context);
	sigaltstack(NULL, &stack);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8);
	if (!sigismember(&now, SIGUSR1) || prctl(PR_GET_DUMPABLE) < 0 || signal(SIGFPE, SIG_DFL) == SIG_ERR)
		return 3;
	sigprocmask(SIG_SETMASK, &was, NULL);
	return sigaction(SIGILL, &before, NULL) == 0 ? illegal : 4;
}

static int answer_of_0(void)
{
	return 40;
}
static int answer_of_1(void)
{
	return 41;
}
static int answer_of_others(void)
{
	return 42;
}

static void *choose(void)
{
	int found = is_illegal();
	return found == 0 ? (void *)answer_of_0 : found == 1 ? (void *)answer_of_1 : (void *)answer_of_others;
}

static int chosen(void) __attribute__((ifunc("choose")));

int answer(void)
{
	return chosen();
}

#ifndef PART
/* Executes itself once more with the library behind whatever is preloaded: what is last is relocated first. */
int main(int argc, char **argv)
{
	char list[8192];
	const char *before = getenv("LD_PRELOAD");
	busy(50);
	printf("%d\n", chosen());
	if (argc == 1) {
		snprintf(list, sizeof list, "%s%s%s.library.so", before ? before : "", before ? ":" : "", argv[0]);
		fflush(stdout);
		setenv("LD_PRELOAD", list, 1);
		execl(argv[0], argv[0], "again", NULL);
		return 1;
	}
	int (*found)(void) = (int (*)(void))dlsym(RTLD_NEXT, "answer");
	CHECK(found && found != answer);
	printf("%d\n", found());
	return 0;
}
#endif
