/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that turn a constant number of times: their counts follow from how often they are entered. */
#ifndef PF_PLUGIN_TURNS_H
#define PF_PLUGIN_TURNS_H

#include "plugin/looptest.h"

/* Gives the test of each such loop (pf_estimate_block.test_turns) its exact outcomes, and the classes in GROUPS of the
 * test, and of what it leads to in the loop, their counts.  LOOPS are the graph's. */
void pf_turns_settle(struct pf_estimate *estimate, const struct pf_loops *loops, struct pf_group *groups);

#endif
