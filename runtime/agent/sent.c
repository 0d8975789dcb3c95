/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that somebody sent (kill, sigqueue), which the kernel has taken from their queue for one of the recorder's
 * handlers although the program would not have seen them now: in a burst, which opens the signals of faults also in a
 * thread that has blocked them.  Each goes back to the queue that it came from: the thread's own if it was sent to the
 * thread, else the process's, where any thread may wait for it.  No burst begins while one is pending that it would
 * take, so what is gone for a moment is back when the burst at hand is over, and who looks waits for that.  The hard
 * case is a signal on the burst's last steps, behind the look at what has come: there only signals come that the
 * program has open (burst.c closes the others before), and such a one is blocked in the frame that the handler returns
 * through, which the burst's return undoes. */
#include "runtime/agent/process.h"
#include "runtime/agent/signals.h"

#include <ucontext.h>

#define KEPT 32           /* signals of faults are below */
#define WAIT_ROUNDS 20000 /* of 50 us each: a second */

static siginfo_t kept[2][KEPT]; /* of the process, of the thread */

/* Of a process that is not its own, a thread other than the first may not say that it called kill: the signal then
 * comes as one by sigqueue. */
static void send_to_process(int pid, int signal, siginfo_t *info)
{
	siginfo_t queued = *info;
	queued.si_code = SI_QUEUE;
	if (PF_SYS3(SYS_rt_sigqueueinfo, pid, signal, info) == 0)
		return;
	if (info->si_code == SI_USER && info->si_pid == pid)
		PF_SYS2(SYS_kill, pid, signal);
	else
		PF_SYS3(SYS_rt_sigqueueinfo, pid, signal, &queued);
}

void pf_sent_again(int signal, siginfo_t *info)
{
	int pid = (int)PF_SYS0(SYS_getpid);
	if (info->si_code == SI_TKILL)
		PF_SYS4(SYS_rt_tgsigqueueinfo, pid, PF_SYS0(SYS_gettid), signal, info);
	else
		send_to_process(pid, signal, info);
}

/* Which of those kept: a thread and its process may each have one of a number. */
static uint64_t bit_of(int queue, int signal)
{
	return 1ull << (queue * KEPT + signal);
}

void pf_sent_keep(int signal, const siginfo_t *info)
{
	int queue = info->si_code == SI_TKILL;
	if (!(pf_process.kept & bit_of(queue, signal)))
		kept[queue][signal] = *info;
	pf_process.kept |= bit_of(queue, signal);
}

void pf_sent_put_off(int signal, siginfo_t *info, void *context)
{
	uint64_t bit = 1ull << (signal - 1);
	pf_sys_mask(SIG_BLOCK, &bit, NULL);
	*(uint64_t *)(void *)&((ucontext_t *)context)->uc_sigmask |= bit;
	pf_sent_again(signal, info);
}

void pf_sent_give_back(void)
{
	uint64_t all = ~0ull;
	__atomic_store_n(&pf_process.armed, false, __ATOMIC_SEQ_CST); /* what comes from now on is not kept */
	if (!pf_process.kept)
		return;
	pf_sys_mask(SIG_SETMASK, &all, NULL);
	for (int queue = 0; queue < 2; queue++)
		for (int signal = 1; signal < KEPT; signal++)
			if (pf_process.kept & bit_of(queue, signal))
				pf_sent_again(signal, &kept[queue][signal]);
	pf_process.kept = 0;
}

void pf_sent_settle(void)
{
	uint32_t turn = atomic_load(&pf_process.turns);
	if (!pf_process.pid || pf_process.shut || pf_process.quiet)
		return;
	for (unsigned int round = 0; round < WAIT_ROUNDS && pf_process.lock && pf_process.turns == turn; round++) {
		pf_process.asked = true;
		pf_sys_relax(round);
	}
}
