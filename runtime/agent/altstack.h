/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Have two threads the same alternate stack?  See altstack.c. */
#ifndef PF_AGENT_ALTSTACK_H
#define PF_AGENT_ALTSTACK_H

#include "runtime/agent/thread.h"

#include <signal.h>

/* Before SLOT's thread gets STACK, or when it is seen to have it. */
void pf_altstack_note(struct pf_slot *slot, const stack_t *stack);
/* Is STACK what the slot's thread was last known to have? */
bool pf_altstack_is_known(const struct pf_slot *slot, const stack_t *stack);
/* The slot is nobody's any more. */
void pf_altstack_forget(struct pf_slot *slot);

#endif
