/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop tests of which the profile knows one copy of two. */
#ifndef PF_PLUGIN_ROTATED_H
#define PF_PLUGIN_ROTATED_H

#include "plugin/looptest.h"

/* Marks the tests that ran for more turns than their outcomes tell: they become partial, and their classes' counts in
 * GROUPS, which has one for each leader, the least.  Of a loop of which the test in front alone is left the turns are
 * guessed: outcomes of the test, its class's count and its body's are replaced.  LOOPS are the graph's.  0, or -1 when
 * out of memory. */
int pf_rotated_settle(struct pf_estimate *estimate, const struct pf_loops *loops, struct pf_group *groups);

#endif
