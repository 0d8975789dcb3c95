/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of a program's functions (CDSort: S. Pupyrev and others, `Optimizing Function Layout for Mobile
 * Applications', LCTES 2023, and LLVM's cache-directed sort): functions that call each other lie together, and those
 * that are entered often lie densely. */
#ifndef PF_FLOW_FNORDER_H
#define PF_FLOW_FNORDER_H

#include "flow/chaining.h"

/* Orders NODE_COUNT functions with SIZES in bytes (above 0) and WEIGHTS, how often control comes to each; ARCS are the
 * calls, from caller to callee.  ORDER[i] becomes the function that stands at place i.  The same functions and arcs
 * give the same order on every machine.  0, or -1 when out of memory. */
int pf_fnorder_sort(uint32_t node_count, const uint64_t *sizes, const uint64_t *weights, const struct pf_arc *arcs,
		    uint32_t arc_count, uint32_t *order);

#endif
