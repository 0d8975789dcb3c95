/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In a whole run the processor would step through each of the recorder's own instructions that the program's calls
 * lead to: signals by the hundred for a change of the mask, which makes a scheduler of coroutines some hundred times
 * slower.  Functions that lead nowhere else run in one go instead: the burst before them ends on a way around them that
 * sets the trap flag when they are done (comeback.S, switching.S).  Each is named where it is defined, and the linker
 * makes a table of them.  The hard case is the mask: the trap on the way back would end a process that has SIGTRAP
 * blocked, so meanwhile that is only noted, and becomes true with the trap's return. */
#include "runtime/agent/resting.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/thread.h"

#define TRAP_BIT (1ull << (SIGTRAP - 1))

struct row {
	int32_t entry, instead; /* each from its own place */
};

extern const struct row rows[] __asm__("__start_pf_resting") __attribute__((visibility("hidden")));
extern const struct row rows_end[] __asm__("__stop_pf_resting") __attribute__((visibility("hidden")));

static uint64_t place(const int32_t *distance)
{
	return (uint64_t)distance + (uint64_t)(int64_t)*distance;
}

uint64_t pf_resting_instead(uint64_t pc)
{
	for (const struct row *row = rows; row < rows_end; row++)
		if (place(&row->entry) == pc)
			return place(&row->instead);
	return 0;
}

/* Without a trap while SIGTRAP is blocked: that is noted in SLOT. */
static long change_at_rest(struct pf_slot *slot, int how, const uint64_t *new, uint64_t *old)
{
	uint64_t mask = new ? *new & ~TRAP_BIT : 0;
	bool wanted = new &&*new &TRAP_BIT, before = slot->trap_blocked;
	long result = pf_sys_mask(how, new ? &mask : NULL, old);
	if (result)
		return result;
	*old = before ? *old | TRAP_BIT : *old & ~TRAP_BIT;
	if (new && (wanted || how == SIG_SETMASK))
		slot->trap_blocked = wanted && how != SIG_UNBLOCK;
	return 0;
}

long pf_resting_mask(int how, const uint64_t *new, uint64_t *old)
{
	struct pf_slot *slot = pf_settings.whole ? pf_thread_self() : NULL;
	uint64_t was = 0;
	if (!slot)
		return pf_sys_mask(how, new, old);
	/* In a step the call may be made by the trap's handler, which has to find memory: the kernel looks at OLD. */
	long result = slot->resting ? change_at_rest(slot, how, new, &was) : pf_sys_mask(how, new, &was);
	if (result == 0 && old)
		result = pf_sys_mask(PF_NO_WAY, NULL, old);
	if (result == 0 && old)
		*old = was;
	return result;
}
