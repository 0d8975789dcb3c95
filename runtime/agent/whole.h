/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole run in bursts, each going on where the last one ended.  See whole.c. */
#ifndef PF_AGENT_WHOLE_H
#define PF_AGENT_WHOLE_H

#include "runtime/agent/engine.h"
#include "runtime/agent/thread.h"

#define PF_TRAP_FLAG 0x100u

/* In a whole run: has the calling thread come into a burst as soon as it is back in the program.  Called where it may
 * have been lost: at its start, and behind a fork or the like.  Else does nothing. */
void pf_whole_enter(void);

/* In a whole run the program's calls of the recorder's own functions are stepped through.  Around a longer piece of
 * them, which calls nothing of others' and leaves the mask of signals as it was: no steps.  REST says whether there
 * were any, for RESUME. */
static inline bool pf_whole_rest(void)
{
	uint64_t flags = __builtin_ia32_readeflags_u64();
	if (!(flags & PF_TRAP_FLAG))
		return false;
	__builtin_ia32_writeeflags_u64(flags & ~(uint64_t)PF_TRAP_FLAG);
	return true;
}

static inline void pf_whole_resume(bool stepped)
{
	if (stepped)
		__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | PF_TRAP_FLAG);
}

/* Of a tick of the timer: the burst is due unless the trap will bring it. */
int pf_whole_tick(struct pf_slot *slot, const ucontext_t *context);
/* Another thread has the engine: waits a little; true: try again. */
int pf_whole_wait(struct pf_slot *slot);
/* From dispatch.S, on the program's own stack: SIGTRAP.  The slot whose burst is due, PF_TRAP_DONE if the program just
 * goes on, NULL if the signal is not the recorder's. */
void *pf_whole_trap(int signal, const siginfo_t *info, ucontext_t *context);

/* In a burst of the engine: it begins; it has come to an end by *WHY: the block to go on with, or NULL; it returns to
 * the program by context, which was left as *WHY says. */
void pf_whole_begin(struct pf_engine *engine);
const struct pf_block *pf_whole_go_on(struct pf_engine *engine, int *why);
void pf_whole_leave(struct pf_slot *slot, ucontext_t *context, int why);

#endif
