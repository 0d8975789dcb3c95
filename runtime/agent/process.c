/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's life in a process, once it has come there (start.c, attached.c): who may work, and how it leaves.
 * Whatever fails leaves the program to run unrecorded, with the reason counted.  The hard case is leaving: other
 * threads may be anywhere, so the handlers stay callable, and only what no thread can be using is taken away. */
#include "runtime/agent/process.h"
#include "runtime/agent/counter.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/segments.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"
#include "runtime/agent/whole.h"

#include <sys/mman.h>

#define WAIT_ROUNDS 20000 /* of 50 us each: a second */

_Alignas(4096) static union {
	struct pf_process process;
	uint8_t page[4096];
} state;
extern struct pf_process pf_process __attribute__((alias("state"), visibility("hidden")));

struct pf_control *pf_control;

struct pf_command pf_process_command;
bool pf_process_barred, pf_process_crowded;
uint64_t pf_process_places;

void pf_process_lasts(void)
{
	struct pf_command name = pf_process_command;
	pf_process_command.program = 0;
	if (name.program && (pf_process.quiet || pf_sys_can_write(pf_control)))
		pf_thinning_lasts(pf_control, &name);
}

bool pf_process_is_mine(void)
{
	return pf_process.pid && pf_process.pid == (int)PF_SYS0(SYS_getpid);
}

bool pf_process_take(uint64_t *before)
{
	uint64_t all = ~0ull;
	pf_sys_mask(SIG_BLOCK, &all, before);
	for (unsigned int round = 0; atomic_exchange(&pf_process.lock, 1); round++) {
		if (round >= WAIT_ROUNDS) {
			pf_sys_mask(SIG_SETMASK, before, NULL);
			return false;
		}
		pf_sys_relax(round);
	}
	return true;
}

void pf_process_give(uint64_t before)
{
	atomic_store(&pf_process.lock, 0);
	pf_sys_mask(SIG_SETMASK, &before, NULL);
}

/* With handlers for faults in place, and open where the program, whose mask is BEFORE, has them so: another thread may
 * be closing a library, and the disk may be full. */
static void prepare_engine(struct pf_engine *engine, uint64_t before)
{
	uint64_t open = pf_signals_faults() & ~before;
	while (!pf_signals_guard())
		pf_sys_relax(0);
	pf_signals_keep();
	pf_sys_mask(SIG_UNBLOCK, &open, NULL);
	pf_engine_look(engine); /* also of one that has had no burst yet */
	pf_sys_mask(SIG_BLOCK, &open, NULL);
}

void pf_process_prepare(void)
{
	uint64_t before;
	if (pf_settings.whole)
		pf_process_shut(PF_REFUSE_FILTER); /* a whole run makes system calls all the time */
	if (!pf_segments_are_free())
		pf_process_shut(PF_REFUSE_SEGMENTS); /* each burst makes some */
	if (!pf_process.pid || pf_process.shut || !pf_process_is_mine() || !pf_process_take(&before))
		return;
	pf_process.quiet = pf_process_barred = true;
	pf_thread_prepare();
	if (!pf_process.engine && !pf_process.shut) {
		enum pf_refusal refusal = pf_engine_make(&pf_process.engine);
		if (refusal != PF_REFUSE_NONE)
			pf_process_shut_locked(refusal);
	}
	if (!pf_process.shut) {
		prepare_engine(pf_process.engine, before);
		pf_process.engine->cache.quiet = pf_process.engine->modules.quiet = true;
		pf_process.engine->guarded = true;
	}
	pf_process_give(before);
}

/* Threads of a whole run that wait for the lock make system calls, which the program may be about to forbid. */
static void await_waiting(void)
{
	for (unsigned int round = 0; round < WAIT_ROUNDS && pf_process.waiting; round++)
		pf_sys_relax(round);
}

/* Others look at it without the lock, for a fault or a count: they are not to find it once its memory begins to go. */
static void leave_engine(void)
{
	struct pf_engine *engine = __atomic_exchange_n(&pf_process.engine, NULL, __ATOMIC_SEQ_CST);
	if (engine)
		pf_engine_leave(engine);
}

void pf_process_shut_locked(enum pf_refusal reason)
{
	if (pf_process.shut)
		return;
	pf_process.shut = pf_process_barred = true;
	await_waiting();
	pf_process_command.program = 0;
	pf_thread_stop_all();
	pf_signals_unguard();
	if (reason != PF_REFUSE_NONE && pf_sys_can_write(pf_control))
		pf_control_refuse(pf_control, reason);
	leave_engine();
	/* Nothing of the recording is to stay, and other threads may still be counting there. */
	pf_control_forsake(pf_control);
}

void pf_process_rest(enum pf_refusal reason)
{
	if (pf_process.shut)
		return;
	pf_process.shut = true;
	pf_process_command.program = 0;
	if (reason != PF_REFUSE_NONE)
		pf_control_refuse(pf_control, reason);
}

void pf_process_shut(enum pf_refusal reason)
{
	uint64_t before;
	if (!pf_process.pid || pf_process.shut || !pf_process_is_mine() || !pf_process_take(&before))
		return;
	pf_process_shut_locked(reason);
	pf_process_give(before);
}

void pf_process_crowd(void)
{
	uint64_t before;
	if (!pf_counter_is_wanted()) {
		pf_process_shut(PF_REFUSE_TIMER);
		return;
	}
	if (!pf_process.pid || pf_process.shut || !pf_process_is_mine())
		return;
	pf_process_crowded = true;
	if (!pf_process_take(&before))
		return;
	pf_thread_spare_timers();
	pf_process_give(before);
}

bool pf_process_configure(struct pf_control *control)
{
	pf_control = control;
	if (!pf_control_settings(control, &pf_settings))
		return false;
	if (pf_settings.branches > PF_MAX_BRANCHES)
		pf_settings.branches = PF_MAX_BRANCHES;
	if (pf_settings.memory && pf_settings.branches > PF_WIRE_NOTING_BRANCHES)
		pf_settings.branches = PF_WIRE_NOTING_BRANCHES;
	pf_signals_own = pf_counter_is_wanted() ? PF_SIGNAL_OF_COUNTER : PF_SIGNAL_OF_TIMER;
	return true;
}

bool pf_process_separate(void)
{
	return PF_SYS3(SYS_madvise, &state, sizeof state, MADV_WIPEONFORK) == 0;
}
