/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See touched.h: each index points on to the next that is left, and the way there is shortened by whoever goes it, so
 * that what was taken is not gone over again. */
#include "converter/touched.h"
#include "support/error.h"
#include "support/search.h"

#include <stdlib.h>

int pf_touched_init(struct pf_touched *t, const uint64_t *addresses, size_t count)
{
	*t = (struct pf_touched) { .at = addresses, .count = count, .next = calloc(count + 1, sizeof *t->next) };
	if (!t->next)
		return PF_ENOMEM;
	for (size_t i = 0; i <= count; i++)
		t->next[i] = i;
	return PF_OK;
}

void pf_touched_fini(struct pf_touched *t)
{
	free(t->next);
	*t = (struct pf_touched) { 0 };
}

/* The first that is left from number I on. */
static size_t first_left(struct pf_touched *t, size_t i)
{
	size_t left = i;

	while (t->next[left] != left)
		left = t->next[left];
	while (t->next[i] != left) {
		size_t next = t->next[i];

		t->next[i] = left;
		i = next;
	}
	return left;
}

/* The first that is left from address START on. */
static size_t find_left(struct pf_touched *t, uint64_t start)
{
	struct pf_search search = pf_search_over(t->count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, t->at[search.middle] < start);
	return t->next ? first_left(t, search.low) : t->count;
}

bool pf_touched_in(struct pf_touched *t, uint64_t start, uint64_t end)
{
	size_t i = find_left(t, start);

	return i < t->count && t->at[i] < end;
}

void pf_touched_take(struct pf_touched *t, uint64_t start, uint64_t end)
{
	for (size_t i = find_left(t, start); i < t->count && t->at[i] < end; i = first_left(t, i))
		t->next[i] = i + 1;
}
