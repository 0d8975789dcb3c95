/* SPDX-License-Identifier: GPL-3.0-or-later */
/* May a burst begin where the program is?  See begin.c. */
#ifndef PF_AGENT_BEGIN_H
#define PF_AGENT_BEGIN_H

#include "runtime/agent/engine.h"

/* Does the program, as CONTEXT has it, block a fault that is waiting for it?  A burst, which opens the signals of
 * faults, must not take that. */
bool pf_begin_has_faults_waiting(const ucontext_t *context);

/* May a burst begin at CONTEXT, which is the frame of the thread's signal?  Reads the modules anew if they changed, and
 * sets ENGINE->after_wait. */
bool pf_begin_may(struct pf_engine *engine, const ucontext_t *context);

#endif
