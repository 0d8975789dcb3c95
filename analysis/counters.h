/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processor counts of a command and of all that it starts, in user space: cycles first, since neither the
 * clock's frequency nor other work on the machine changes how many a program needs. */
#ifndef PF_ANALYSIS_COUNTERS_H
#define PF_ANALYSIS_COUNTERS_H

#include <stddef.h>

enum pf_counter {
	PF_COUNTER_CYCLES,
	PF_COUNTER_INSTRUCTIONS,
	PF_COUNTER_BRANCH_MISSES,
	PF_COUNTER_ICACHE_MISSES, /* of reads from the first level */
	PF_COUNTERS
};

extern const char *const pf_counter_names[PF_COUNTERS]; /* as keys of JSON */
extern const char *const pf_counter_words[PF_COUNTERS]; /* as people read them */

struct pf_counters {
	int fds[PF_COUNTERS]; /* -1: not there */
};

struct pf_counter_sums {
	double events[PF_COUNTERS]; /* -1: not counted */
	double share; /* the least part of the time that one of them was counted in; 1 unless counters took turns */
};

/* Nothing counted. */
struct pf_counter_sums pf_counter_sums_none(void);

/* Opens what there is of the counters, in the process that will fork the command: they stand still until a child of it
 * calls exec, and go on in all that the child starts.  They are closed at the process's end. */
void pf_counters_open(struct pf_counters *counters);

/* What was counted in the processes that have ended.  Where counters had to take turns, it is scaled from the time that
 * each was counted in to the whole. */
struct pf_counter_sums pf_counters_read(const struct pf_counters *counters);

/* Why a command's cycles are not counted here, to be called when they were not: a part of a sentence in TEXT. */
void pf_counters_explain(char *text, size_t size);

#endif
