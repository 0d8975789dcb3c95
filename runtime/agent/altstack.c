/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alternate stacks of the recorded threads.  Each thread is meant to have its own; but a program whose handlers
 * only tell of its end may give all threads the same one, and no harm is done as long as no two are on it.  The signals
 * of two timers would be.  So once two living threads share one, the recorder's own handler is on the stack that its
 * thread is using, as if there were none.  The hard case: a thread that is gone, whose stack another one has now. */
#include "runtime/agent/altstack.h"
#include "runtime/agent/signals.h"

#include <errno.h>

static uint64_t size_of(const stack_t *stack)
{
	return (uint32_t)stack->ss_flags & SS_DISABLE ? 0 : stack->ss_size;
}

static bool overlaps(const struct pf_slot *a, const struct pf_slot *b)
{
	return a->stack - b->stack < b->stack_size || b->stack - a->stack < a->stack_size;
}

/* Behind a filter nobody asks, and it is taken to live. */
static bool lives(const struct pf_slot *slot)
{
	return pf_process.quiet || PF_SYS3(SYS_tgkill, PF_SYS0(SYS_getpid), slot->tid, 0) != -ESRCH;
}

static bool is_shared(const struct pf_slot *slot)
{
	const struct pf_slot *other = NULL;
	while ((other = pf_thread_next(other)) != NULL)
		if (other->tid && other->tid != slot->tid && overlaps(slot, other) && lives(other))
			return true;
	return false;
}

bool pf_altstack_is_known(const struct pf_slot *slot, const stack_t *stack)
{
	return slot->stack_size == size_of(stack) && (!slot->stack_size || slot->stack == (uint64_t)stack->ss_sp);
}

void pf_altstack_note(struct pf_slot *slot, const stack_t *stack)
{
	slot->stack = (uint64_t)stack->ss_sp;
	slot->stack_size = size_of(stack);
	if (!slot->stack_size || pf_signals_stacks_are_shared() || !is_shared(slot))
		return;
	if (pf_process.quiet)
		pf_thread_refuse(slot, PF_REFUSE_SIGNAL);
	else
		pf_signals_share_stacks();
}
