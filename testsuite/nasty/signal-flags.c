/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SA_RESETHAND, SA_NODEFER, sa_mask and what a handler sees of masks: the mask in it, and uc_sigmask for after it, also
 * when it changes that.  Hard because a recorder that keeps a signal to itself must take it out of every mask and yet
 * give each back whole. */
/* unattached: it resets the recorder's signal while it is recorded */
#include "nasty.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

static volatile int depth, deepest, once, masks_wrong;
static sigset_t in_handler, for_after;

static void nested(int signal)
{
	if (++depth > deepest)
		deepest = depth;
	if (depth < 20)
		raise(signal);
	CHECK(work(2000) == work(2000));
	depth--;
}

static void on_once(int signal)
{
	once++;
}

static uint64_t bits(const sigset_t *set)
{
	return *(const uint64_t *)(const void *)set;
}

static void look(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	masks_wrong += bits(&now) != bits(&in_handler);
	masks_wrong += bits(&uc->uc_sigmask) != bits(&for_after);
	sigaddset(&uc->uc_sigmask, SIGWINCH);
}

static void resets(int number)
{
	struct sigaction action = { .sa_handler = on_once, .sa_flags = (int)SA_RESETHAND }, old;
	CHECK(sigaction(number, &action, NULL) == 0);
	CHECK(sigaction(number, NULL, &old) == 0 && old.sa_handler == on_once && old.sa_flags & SA_RESETHAND);
	raise(number);
	CHECK(sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
}

static void masks(void)
{
	struct sigaction action = { .sa_sigaction = look, .sa_flags = SA_SIGINFO };
	sigset_t none, now, winch;
	sigemptyset(&none);
	sigemptyset(&winch);
	sigaddset(&winch, SIGWINCH);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaddset(&action.sa_mask, SIGRTMIN);
	sigaddset(&none, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	for_after = none;
	in_handler = action.sa_mask;
	sigaddset(&in_handler, SIGUSR1);
	sigaddset(&in_handler, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	masks_wrong += !sigismember(&now, SIGWINCH) || !sigismember(&now, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &winch, NULL);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}

int main(void)
{
	struct sigaction action = { .sa_handler = nested, .sa_flags = SA_NODEFER };
	struct sigaction old;
	for (int i = 0; i < 60; i++) {
		busy(5);
		CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
		raise(SIGUSR2);
		CHECK(depth == 0 && deepest == 20);
		masks();
		resets(SIGHUP);
		resets(SIGSEGV);
		resets(SIGFPE);
		resets(SIGRTMAX - 3);
		resets(SIGRTMIN);
	}
	CHECK(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
	CHECK(sigaction(65, &action, NULL) == -1 && errno == EINVAL);
	CHECK(sigaction(32, &action, &old) == -1 && errno == EINVAL);
	CHECK(signal(SIGSTOP, on_once) == SIG_ERR && errno == EINVAL);
	CHECK(sigprocmask(77, &in_handler, NULL) == -1 && errno == EINVAL);
	printf("once %d, wrong masks %d\n", once, masks_wrong);
	return 0;
}
