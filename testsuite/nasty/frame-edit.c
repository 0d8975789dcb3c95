/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handlers that change where their signal returns to: another function, other registers, another mask, skipped
 * instructions, setcontext and swapcontext out of a handler.  Hard because what the handler edits must be the program's
 * state and nothing else, at any instruction. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile int kind, handled, ticks;
static ucontext_t escape;

volatile uint64_t landing_value;
void landing(void);
__asm__(".text\nlanding:\n	movq %rdi, landing_value(%rip)\n	ret\n");

static void on_ill(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *gregs = uc->uc_mcontext.gregs;
	CHECK(*(unsigned short *)gregs[REG_RIP] == 0x0b0f);
	gregs[REG_RIP] += 2;
	handled++;
	switch (kind) {
	case 0: /* a result in a register */
		gregs[REG_RAX] = 4711;
		break;
	case 1: /* a call is inserted */
		gregs[REG_RSP] -= 128 + 8;
		*(greg_t *)gregs[REG_RSP] = gregs[REG_RIP];
		gregs[REG_RIP] = (greg_t)landing;
		gregs[REG_RDI] = 1234 + handled;
		gregs[REG_RAX] = 4711;
		break;
	case 2: /* flags and mask */
		gregs[REG_EFL] |= 1;
		sigaddset(&uc->uc_sigmask, SIGWINCH);
		gregs[REG_RAX] = 4711;
		break;
	default:
		handled += 1000;
		sigdelset(&escape.uc_sigmask, signal);
		setcontext(&escape);
	}
}

static void on_tick(int signal)
{
	ticks++;
}

static __attribute__((noinline)) uint64_t illegal(int *carry)
{
	uint64_t result;
	unsigned char c;
	uint64_t stack;
	__asm__ volatile(
	    "	movq %%rsp, %2\n	xorl %%eax, %%eax\n	ud2\n	setc %1\n	movq %2, %%rsp\n"
	    : "=&a"(result), "=&r"(c), "=&r"(stack)
	    :
	    : "rdi", "cc", "memory");
	*carry = c;
	return result;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_ill, .sa_flags = SA_SIGINFO };
	struct itimerval every = { { 0, 900 }, { 0, 900 } }, none = { { 0, 0 }, { 0, 0 } };
	sigset_t mask, winch;
	volatile int escapes = 0;
	sigemptyset(&winch);
	sigaddset(&winch, SIGWINCH);
	sigaction(SIGILL, &action, NULL);
	action.sa_handler = on_tick;
	action.sa_flags = SA_RESTART;
	sigaction(SIGVTALRM, &action, NULL);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
	for (volatile int i = 0; i < 3000; i++) {
		int carry = 0;
		CHECK(work(2000 + (uint64_t)i % 5) != 0);
		kind = i % 4;
		if (kind == 3) {
			volatile int first = 1;
			getcontext(&escape);
			if (first) {
				first = 0;
				illegal(&carry);
				CHECK(0);
			}
			escapes++;
			continue;
		}
		CHECK(illegal(&carry) == 4711);
		CHECK(carry == (kind == 2));
		CHECK(kind != 1 || landing_value == 1234u + (unsigned int)handled);
		if (kind == 2) {
			pthread_sigmask(SIG_UNBLOCK, &winch, &mask);
			CHECK(sigismember(&mask, SIGWINCH) == 1);
		}
	}
	setitimer(ITIMER_VIRTUAL, &none, NULL);
	busy(200);
	printf("handled %d, escapes %d\n", handled, escapes);
	return 0;
}
