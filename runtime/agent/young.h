/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which young processes have bursts.  See young.c. */
#ifndef PF_AGENT_YOUNG_H
#define PF_AGENT_YOUNG_H

#include "runtime/agent/wire.h"

#include <stdbool.h>
#include <stdint.h>

#define PF_YOUNG_ALL 1024u /* a share of all */

/* What is known of a process; all zero when it begins. */
struct pf_young {
	uint64_t age_ns; /* CPU time that its ticks have seen */
	uint32_t share;  /* of PF_YOUNG_ALL young processes that had bursts when its lot was drawn; 0: not drawn yet */
	bool has_bursts;
};

/* The share of young processes that the budget allows to have bursts, 1 to PF_YOUNG_ALL. */
uint32_t pf_young_share(const struct pf_control *control, uint64_t overhead_ppm);

/* The process has used CPU_NS more; called in front of each burst that is due, and with a lot: any number.  False if it
 * is young and drew a blank: there is to be no burst. */
bool pf_young_may(struct pf_young *young, struct pf_control *control, uint64_t overhead_ppm, uint64_t cpu_ns,
		  uint64_t lot);

/* Whether it is young; then its bursts are paid for by those that drew blanks, ... */
bool pf_young_is(const struct pf_young *young, uint64_t overhead_ppm);

/* ... and a burst that would stand for VALUE stands for more.  Where no lots are drawn, of a whole run, for VALUE. */
uint64_t pf_young_weigh(const struct pf_young *young, uint64_t overhead_ppm, uint64_t value);

#endif
