/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instrumented code measures besides executions: the time stamp counter, which it reads itself, or an event of the
 * processor, which it asks this for.  The event is named when the program runs, by PATHFDO_COUNTER, so that one build
 * measures one after the other. */
#ifndef PF_RUNTIME_METRIC_H
#define PF_RUNTIME_METRIC_H

#include "support/counting.h"

#include <stdint.h>

/* The thread's counter, which goes on from where it was in a child of fork; 0 for ever where nothing is counted. */
uint64_t PF_COUNTING_NAME(counter)(void);

/* There is code that measures METRIC (enum pf_counting_metric). */
void pf_metric_note(uint64_t metric);

/* What is measured, for the file: "cycles", the event's name, or "" if that is nothing, or not the same everywhere,
 * which is said once. */
const char *pf_metric_name(void);

#endif
