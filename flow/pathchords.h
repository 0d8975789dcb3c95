/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a running path's sum has to change (Ball and Larus 1996, section 3.3; Ammons, Ball and Larus 1997,
 * section 2.1): only on the chords of a spanning tree, which holds the edges that run most often.
 *
 * Each block gets a potential, and the sum that is carried along is the naive one less the potential of where it is. So
 *
 *     it begins at a start s with           first[s] - potential[s]
 *     an edge inside of a path adds         potential[from] + value[edge] - potential[to]
 *     an edge that ends one gives           potential[from] + value[edge]     more to the path's number
 *     a block without successors gives      potential[block]
 *
 * which telescopes to the number of the path, whatever the potentials are.  They are chosen so that what the edges of
 * the tree add is 0.  All sums are modulo 2^64. */
#ifndef PF_FLOW_PATHCHORDS_H
#define PF_FLOW_PATHCHORDS_H

#include "flow/pathnumber.h"

/* Fills POTENTIAL, which has room for each block of N's graph.  WEIGHT tells of each edge how often it runs; NULL: all
 * alike.  0, or -1 when out of memory. */
int pf_pathchords(const struct pf_pathnumber *n, const uint64_t *weight, uint64_t *potential);

/* By the potentials: what the sum begins with at START, and what EDGE adds, which ends its path or does not. */
uint64_t pf_pathchords_begin(const struct pf_pathnumber *n, const uint64_t *potential, uint32_t start);
uint64_t pf_pathchords_add(const struct pf_pathnumber *n, const uint64_t *potential, uint32_t edge);

#endif
