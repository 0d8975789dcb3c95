/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a whole, for what is printed: of nothing each part is 0. */
#ifndef PF_CLI_PERCENT_H
#define PF_CLI_PERCENT_H

#include <stdint.h>

static inline double pf_share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static inline double pf_percent(uint64_t part, uint64_t whole)
{
	return 100 * pf_share(part, whole);
}

#endif
