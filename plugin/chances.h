/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares as GCC's probabilities and counts.  What may come is never none there: a zero closes the way. */
#ifndef PF_PLUGIN_CHANCES_H
#define PF_PLUGIN_CHANCES_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* PART of WHOLE. */
static inline profile_probability chance(double part, double whole)
{
	const int64_t resolution = 1 << 27; /* of GCC's own */
	int64_t of_all = part < whole ? (int64_t)(part / whole * resolution + .5) : resolution;

	return profile_probability::always().apply_scale(part > 0 ? MAX(of_all, 1) : 0, resolution);
}

/* As much of ALL. */
static inline profile_count part_of(profile_count all, double part, double whole)
{
	profile_count count = all.apply_probability(chance(part, whole));

	if (count.nonzero_p())
		return count;
	return part > 0 ? profile_count::from_gcov_type(1, ADJUSTED) : profile_count::guessed_zero();
}

/* Control goes by E with chance SHARE; the other ways from there share what is left as they did. */
static inline void give_chance(edge e, profile_probability share)
{
	edge_iterator ei;
	edge other;

	FOR_EACH_EDGE(other, ei, e->src->succs)
	other->probability *= share.invert();
	e->probability = share;
}

} // namespace pathfdo

#endif
