/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alternate stacks of the recorded threads.  Each thread is meant to have its own; but a program whose handlers
 * only tell of its end may give all threads the same one, and no harm is done as long as no two are on it.  The signals
 * of two timers would be.  So once two living threads share one, the recorder's own handler is on the stack that its
 * thread is using, as if there were none.  Few threads have one at all, so they are in a table, and a core file has the
 * less of the recorder; where that is full, a further one is taken for shared.  The hard case: a thread that is gone,
 * whose stack another one has now. */
#include "runtime/agent/altstack.h"
#include "runtime/agent/signals.h"

#include <errno.h>

#define MOST 512

/* A thread's, whose slot has its number here; from 1 on. */
static struct alternate {
	_Atomic uint32_t owner; /* the slot's number, from 1 on; 0: free */
	uint32_t size;
	uint64_t at;
} alternates[MOST];

static uint32_t size_of(const stack_t *stack)
{
	if ((uint32_t)stack->ss_flags & SS_DISABLE)
		return 0;
	return stack->ss_size < UINT32_MAX ? (uint32_t)stack->ss_size : UINT32_MAX;
}

static bool overlaps(const struct alternate *a, const struct alternate *b)
{
	return a->at - b->at < b->size || b->at - a->at < a->size;
}

/* Behind a filter nobody asks, and it is taken to live. */
static bool lives(const struct pf_slot *slot)
{
	return slot->tid && (pf_process.quiet || PF_SYS3(SYS_tgkill, PF_SYS0(SYS_getpid), slot->tid, 0) != -ESRCH);
}

static bool is_shared(const struct alternate *own)
{
	for (const struct alternate *other = alternates + 1; other < alternates + MOST; other++) {
		uint32_t owner = atomic_load(&other->owner);
		if (owner && other != own && overlaps(own, other) && lives(&pf_thread_slots[owner - 1]))
			return true;
	}
	return false;
}

/* A number for the stack of SLOT; 0: there is none left. */
static uint16_t claim(const struct pf_slot *slot)
{
	for (uint16_t i = 1; i < MOST; i++) {
		uint32_t nobody = 0;
		if (atomic_compare_exchange_strong(&alternates[i].owner, &nobody,
						   (uint32_t)(slot - pf_thread_slots) + 1))
			return i;
	}
	return 0;
}

bool pf_altstack_is_known(const struct pf_slot *slot, const stack_t *stack)
{
	const struct alternate *own = &alternates[slot->stack];
	return slot->stack ? own->size == size_of(stack) && own->at == (uint64_t)stack->ss_sp : size_of(stack) == 0;
}

void pf_altstack_forget(struct pf_slot *slot)
{
	if (slot->stack) {
		alternates[slot->stack].size = 0;
		atomic_store(&alternates[slot->stack].owner, 0);
	}
	slot->stack = 0;
}

void pf_altstack_note(struct pf_slot *slot, const stack_t *stack)
{
	struct alternate *own;
	if (size_of(stack) == 0) {
		pf_altstack_forget(slot);
		return;
	}
	if (!slot->stack)
		slot->stack = claim(slot);
	own = &alternates[slot->stack];
	if (slot->stack) {
		own->at = (uint64_t)stack->ss_sp;
		own->size = size_of(stack);
		atomic_thread_fence(memory_order_seq_cst); /* of two at a time one sees the other's */
	}
	if (pf_signals_stacks_are_shared() || (slot->stack && !is_shared(own)))
		return;
	if (pf_process.quiet)
		pf_thread_refuse(slot, PF_REFUSE_SIGNAL);
	else
		pf_signals_share_stacks();
}
