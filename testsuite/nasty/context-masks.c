/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contexts that carry masks of their own, one for each signal that a program has and for all of them: swapcontext,
 * setcontext, getcontext and the end of a routine give each its mask back, whoever set it, and what a saved context
 * says is what was blocked; a routine that has blocked all is waited with, its signals stay pending.  Hard for a
 * recorder that keeps its own signal open: the C library gives these masks to the kernel by itself. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#define STACK 65536
#define TURNS 60
#define SENT 61 /* SIGRTMAX - 3 */

static const int numbers[] = { SIGUSR1, SENT, 40 };
static char stack[STACK];
static ucontext_t home, routine, saved;
static int handled, wrong, sends;

static void handler(int signal)
{
	handled++;
}

static int bits(const sigset_t *set)
{
	int result = 0;
	for (int i = 0; i < 3; i++)
		result |= sigismember(set, numbers[i]) << i;
	return result;
}

static void expect(const char *what, int got, int want)
{
	if (got == want)
		return;
	fprintf(stderr, "%s: %x, not %x\n", what, (unsigned int)got, (unsigned int)want);
	wrong++;
}

static int blocked(void)
{
	sigset_t now;
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
	return bits(&now);
}

static void block(int how, int which)
{
	sigset_t set;
	sigemptyset(&set);
	for (int i = 0; i < 3; i++)
		if (which >> i & 1)
			sigaddset(&set, numbers[i]);
	CHECK(pthread_sigmask(how, &set, NULL) == 0);
}

/* Comes with all blocked, by its context; a signal that is sent to it waits until it opens that, or goes home. */
static void run(void)
{
	for (int turn = 0; turn < TURNS; turn++) {
		int before = handled;
		busy(1);
		expect("in the routine", blocked(), turn % 2 ? 0 : 7);
		CHECK(!sends || pthread_kill(pthread_self(), SENT) == 0);
		expect("sent", handled - before, sends && turn % 2);
		if (turn % 3 == 0)
			block(SIG_SETMASK, 0);
		else
			block(SIG_SETMASK, 7);
		if (turn % 3 == 0)
			expect("opened", handled - before, sends);
		CHECK(swapcontext(&routine, &home) == 0);
		expect("given back", blocked(), turn % 3 == 0 ? 0 : 7);
		block(SIG_SETMASK, turn % 2 ? 7 : 0);
	}
}

static void begin(int mask_all)
{
	CHECK(getcontext(&routine) == 0);
	expect("a context of here", bits(&routine.uc_sigmask), blocked());
	routine.uc_stack = (stack_t) { stack, 0, sizeof stack };
	routine.uc_link = &home;
	if (mask_all)
		sigfillset(&routine.uc_sigmask);
	else
		sigemptyset(&routine.uc_sigmask);
	makecontext(&routine, run, 0);
}

/* Each turn from another mask, which is there again when the routine comes home or ends. */
static void swap(void)
{
	begin(1);
	for (int turn = 0; turn <= TURNS; turn++) {
		int mine = turn % 8, before;
		block(SIG_SETMASK, mine);
		before = handled;
		CHECK(swapcontext(&home, &routine) == 0);
		expect("at home", blocked(), mine);
		expect("saved at home", bits(&home.uc_sigmask), mine);
		block(SIG_SETMASK, 0);
		if (turn < TURNS)
			expect("all that was sent", handled - before, sends);
	}
}

static void jump(void)
{
	for (int mine = 0; mine < 8; mine++) {
		volatile int turn = 0;
		block(SIG_SETMASK, mine);
		CHECK(getcontext(&saved) == 0);
		expect("behind getcontext", blocked(), mine);
		busy(1);
		if (turn++ == 0) {
			block(SIG_SETMASK, 7 - mine);
			busy(1);
			setcontext(&saved);
		}
		turn = 0;
		CHECK(getcontext(&saved) == 0);
		if (turn++ == 0) {
			sigfillset(&saved.uc_sigmask);
			setcontext(&saved);
		}
		expect("by the context's own mask", blocked(), 7);
	}
	block(SIG_SETMASK, 0);
}

static void add(char *a, char *b, char *c, char *d, char *e, char *f, char *g, char *h, char *i)
{
	CHECK(((uintptr_t)__builtin_frame_address(0) & 15) == 0);
	handled = a == stack && b - a == 1 && c - a == 2 && d - a == 3 && e - a == 4 && f - a == 5 && g - a == 6 &&
		  h - a == 7 && i - a == 8;
	busy(5);
}

/* More than there are registers for, each of 64 bits. */
static void arguments(void)
{
	int before = handled;
	CHECK(getcontext(&routine) == 0);
	routine.uc_stack = (stack_t) { stack, 0, sizeof stack };
	routine.uc_link = &home;
	makecontext(&routine, (void (*)(void))add, 9, stack, stack + 1, stack + 2, stack + 3, stack + 4, stack + 5,
		    stack + 6, stack + 7, stack + 8);
	CHECK(swapcontext(&home, &routine) == 0);
	CHECK(handled == 1);
	handled = before;
}

static void *thread(void *argument)
{
	begin(0);
	jump();
	return argument;
}

int main(void)
{
	pthread_t id;
	for (int i = 0; i < 3; i++)
		signal(numbers[i], handler);
	busy(20);
	jump();
	swap();
	sends = 1;
	swap();
	arguments();
	CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
	printf("handled %d, wrong %d\n", handled, wrong);
	return 0;
}
