/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic on counts.  A sum that does not fit stays at the largest count, which no real profile reaches, so that
 * saturation can be seen afterwards; that sum is associative and commutative as the exact one is. */
#ifndef PF_PROFILE_SATURATE_H
#define PF_PROFILE_SATURATE_H

#include <stdint.h>

#define PF_COUNT_SATURATED UINT64_MAX

static inline uint64_t pf_count_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? PF_COUNT_SATURATED : a + b;
}

/* COUNT * NUMERATOR / DENOMINATOR, rounded to nearest.  What ran stays above zero: zero says that it never did. */
static inline uint64_t pf_count_scale(uint64_t count, uint64_t numerator, uint64_t denominator)
{
	unsigned __int128 product = (unsigned __int128)count * numerator;
	unsigned __int128 scaled = (product + denominator / 2) / denominator;

	if (count && !scaled)
		return 1;
	return count == PF_COUNT_SATURATED || scaled > UINT64_MAX ? PF_COUNT_SATURATED : (uint64_t)scaled;
}

#endif
