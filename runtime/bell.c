/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See bell.h.  Hard case: a signal that comes while the recorder is withdrawn from a process must not end the recorder
 * half-way, so signals are held, and heard only here.  A signal that is held is heard although it is ignored, which is
 * wrong of the one that nohup ignores; scripts ignore SIGINT for what they start, and mean it when they send it. */
#include "runtime/bell.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool pf_bell_ignores_hangup(void)
{
	struct sigaction hangup;

	return sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN;
}

static void held_signals(sigset_t *set)
{
	static const int held[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		sigaddset(set, held[i]);
	if (pf_bell_ignores_hangup())
		sigdelset(set, SIGHUP);
}

int pf_bell_init(struct pf_bell *bell, struct pf_error *error)
{
	sigset_t held;

	*bell = (struct pf_bell) { .fd = -1, .beside = -1 };
	held_signals(&held);
	bell->fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
	if (bell->fd < 0)
		return pf_fail(error, PF_EIO, "cannot receive signals: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &held, &bell->mask);
	return PF_OK;
}

void pf_bell_wait(struct pf_bell *bell, int timeout_ms)
{
	struct pollfd waits[] = { { .fd = bell->fd, .events = POLLIN }, { .fd = bell->beside, .events = POLLIN } };
	struct signalfd_siginfo info;

	bell->stop |= poll(waits, 2, timeout_ms) > 0 && waits[1].revents;
	while (read(bell->fd, &info, sizeof info) == (ssize_t)sizeof info) {
		bell->snapshot |= info.ssi_signo == SIGUSR1;
		bell->stop |= info.ssi_signo != SIGUSR1;
	}
}

void pf_bell_fini(struct pf_bell *bell)
{
	pf_bell_wait(bell, 0); /* what has come and was heard must not end us now */
	close(bell->fd);
	sigprocmask(SIG_SETMASK, &bell->mask, NULL);
}
