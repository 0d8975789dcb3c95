/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processor runs itself between two bursts of a whole run, as the stream has it.  See step.c. */
#ifndef PF_AGENT_STEP_H
#define PF_AGENT_STEP_H

#include "runtime/agent/engine.h"

#define PF_SYSCALL_LENGTH 2

/* The burst has ended by WHY, and a step may follow from where it did: looks at what that will access, if somebody asks
 * for it. */
void pf_step_foresee(struct pf_engine *engine, int why);

/* A burst begins: records the step that its thread has made, if it was one, with what it accessed. */
void pf_step_record(struct pf_engine *engine);

#endif
