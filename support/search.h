/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary search, once.  What is searched is described by a condition that holds for the first elements of something
 * sorted, and for none behind them:
 *
 *	struct pf_search search = pf_search_over(count);
 *
 *	while (pf_search_goes_on(&search))
 *		pf_search_step(&search, array[search.middle] < wanted);
 *
 * Then search.low is the index of the first element for which it does not hold; `count` if it holds for all. */
#ifndef PF_SUPPORT_SEARCH_H
#define PF_SUPPORT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

struct pf_search {
	size_t low, high, middle;
};

static inline struct pf_search pf_search_over(size_t count)
{
	return (struct pf_search) { 0, count, 0 };
}

static inline bool pf_search_goes_on(struct pf_search *search)
{
	search->middle = search->low + (search->high - search->low) / 2;
	return search->low < search->high;
}

/* BEFORE: the condition holds for the element in the middle. */
static inline void pf_search_step(struct pf_search *search, bool before)
{
	if (before)
		search->low = search->middle + 1;
	else
		search->high = search->middle;
}

#endif
