/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions that a loop shares with what is around it. */
#ifndef PF_PLUGIN_SHARED_H
#define PF_PLUGIN_SHARED_H

#include "flow/loops.h"
#include "plugin/estimate.h"

/* Takes votes and outcomes from those who share them: from the blocks around a loop the votes of records that blocks
 * inside it have too; from a block those of records that a block which dominates it in the same loop has; from all of
 * them the outcomes of a branch that has one record with another.  LOOPS are the graph's.  To be called before the
 * votes are counted.  0, or -1 when out of memory. */
int pf_shared_settle(struct pf_estimate *estimate, const struct pf_loops *loops);

#endif
