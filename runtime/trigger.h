/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the software recorder's bursts begin by: the CPU timer, or a counter of the processor or the kernel. */
#ifndef PF_RUNTIME_TRIGGER_H
#define PF_RUNTIME_TRIGGER_H

#include "support/error.h"

#include <stdint.h>

#define PF_TRIGGER_NAME 64
#define PF_TRIGGER_TEXT 128
#define PF_TRIGGER_WHY 512

struct pf_trigger {
	char name[PF_TRIGGER_NAME]; /* of the event, as perf spells it; "": the CPU timer */
	char text[PF_TRIGGER_TEXT]; /* for people: "CPU timer", "taken branches (ex_ret_brn_tkn)" */
	uint32_t type;              /* of the event, as perf_event_open has them */
	uint64_t config;
	uint32_t pace;            /* events in a millisecond, roughly; 0: the CPU timer */
	char why[PF_TRIGGER_WHY]; /* why it is the timer, where something else would do; "" */
};

/* Settles on what WANTED names: "timer" or NULL; "auto", the counter of taken branches if there is one that counts,
 * else the timer; "branches", that counter and nothing else; or an event that libpfm4 knows, as perf spells it
 * ("cpu-clock", "page-faults").  PF_EUNSUPPORTED, PF_ENOTFOUND or PF_EIO: there is none, and why. */
int pf_trigger_choose(struct pf_trigger *trigger, const char *wanted, struct pf_error *error);

#endif
