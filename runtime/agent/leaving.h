/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which system calls end the recording of the process that makes them.  See leaving.c. */
#ifndef PF_AGENT_LEAVING_H
#define PF_AGENT_LEAVING_H

#include "runtime/agent/wire.h"

#include <stdbool.h>

/* Why the recorder may not be there any more behind the call NUMBER with the arguments A, or PF_REFUSE_NONE. */
enum pf_refusal pf_leaving_reason(long number, const long *a);
/* Is it what must come before a filter of system calls? */
bool pf_leaving_is_announced(long number, const long *a);

#endif
