/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main thread has no alternate stack unless the program sets one, however long it runs; a handler with SA_ONSTACK
 * then runs on the normal stack.  Hard because the kernel's description of "none" after exec is {0, 0, 0}, which it
 * does not take back: whoever changes the stack and returns through a saved frame leaves his own behind. */
#include "nasty.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

static volatile int handled;
static uintptr_t base;

static void handler(int signal, siginfo_t *info, void *context)
{
	char here;
	const ucontext_t *uc = context;
	CHECK(base - (uintptr_t)&here < 65536); /* directly below main */
	CHECK(uc->uc_stack.ss_size == 0 && uc->uc_stack.ss_sp == NULL);
	CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	handled++;
}

static void none(void)
{
	stack_t stack = { (void *)1, 1, 1 };
	CHECK(sigaltstack(NULL, &stack) == 0);
	CHECK(stack.ss_flags == SS_DISABLE && stack.ss_size == 0 && stack.ss_sp == NULL);
	stack = (stack_t) { (void *)1, 1, 1 };
	CHECK(syscall(SYS_sigaltstack, NULL, &stack) == 0);
	CHECK(stack.ss_flags == SS_DISABLE && stack.ss_size == 0 && stack.ss_sp == NULL);
}

int main(void)
{
	char here;
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	base = (uintptr_t)&here;
	none();
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGRTMAX - 3, &action, NULL);
	for (int i = 0; i < 40; i++) {
		busy(10);
		none();
		raise(SIGUSR1);
		raise(SIGRTMAX - 3);
	}
	printf("handled %d\n", handled);
	return 0;
}
