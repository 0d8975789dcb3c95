/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From which count on something is hot. */
#ifndef PF_PLUGIN_HEAT_H
#define PF_PLUGIN_HEAT_H

#include <stdbool.h>

#include "profile/model.h"

/* The lowest hot count of a profile, in its own unit: one of FRACTION parts of its maximum (0: nothing is hot but
 * that), but not less than several sightings, nor than a small share of the profile's total, or than what nearly all of
 * that is in positions of, if that is lower.  From 1 to the profile's maximum (or 1). */
uint64_t pf_heat_threshold(const struct pf_summary *summary, unsigned fraction);

/* By what a compiler multiplies the counts of a profile, so that its roundings do not eat a sampled count, and products
 * of what it reckons with stay far from where they overflow (2^37).  1 at least. */
uint64_t pf_heat_scale(const struct pf_summary *summary);

/* The lowest count of the positions that have PERMILLE of the profile's executions together, rounded up to what the
 * summary knows; not below HOT. */
uint64_t pf_heat_working_set(const struct pf_summary *summary, unsigned permille, uint64_t hot);

/* Whether an instance that was entered ENTRIES times, in a body that was entered AROUND times, is inlined again where
 * counts are hot from HOT (1 at least) on: if it is hot, or nearly so, on the way that the body around it takes each
 * time, and DECLARED inline by its author. */
bool pf_heat_is_replayed(uint64_t entries, uint64_t around, bool declared, uint64_t hot);

/* At how many moments, on average, what has COUNT of the profile's counts was looked at, if each look was at nothing
 * else: a lower bound.  LOOKS is how many looks the profile had in all, 0 if it does not tell: each is taken for a
 * burst of the usual length then, whatever its weight. */
uint64_t pf_heat_looks(const struct pf_summary *summary, uint64_t looks, uint64_t count);

/* Whether a profile of so many looks, or one of which so many permille of what ran are expected to be unseen
 * (pf_agreement_unseen), says too little of what it never saw for that not to be fast. */
bool pf_heat_is_short(uint64_t looks, uint32_t unseen);

/* Whether by such a profile what was never seen may run so much that it must not take several times as long. */
bool pf_heat_may_turn(uint64_t looks, uint32_t unseen);

/* Whether code that had only so many looks may do mostly what was never seen. */
bool pf_heat_may_be_other(uint64_t looks);

/* Whether what was never seen in so many looks may be far away and as small as can be. */
bool pf_heat_may_freeze(uint64_t looks);

#endif
