/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See own-edges.h.  The hard case is a program that is mapped in several places, where several edges of the recording
 * are one of the code: the numbers are places in the sorted list of what they are. */
#include "converter/own-edges.h"
#include "converter/traffic.h"
#include "support/search.h"

#include <stdlib.h>

static int compare_ids(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts the IDS of V into SORTED, each once; returns how many there are. */
static size_t sort_once(const struct pf_vectors *v, const uint32_t *ids, uint32_t *sorted)
{
	size_t known = 0, count = 0;

	for (uint32_t i = 0; i < v->edge_count; i++) {
		if (ids[i] != PF_NO_EDGE)
			sorted[known++] = ids[i];
	}
	qsort(sorted, known, sizeof *sorted, compare_ids);
	for (size_t i = 0; i < known; i++) {
		if (i == 0 || sorted[i] != sorted[i - 1])
			sorted[count++] = sorted[i];
	}
	return count;
}

int pf_own_edges_find(const struct pf_vectors *v, const uint32_t *ids, struct pf_own_edges *own)
{
	uint32_t *sorted = calloc((size_t)v->edge_count + 1, sizeof *sorted);

	*own = (struct pf_own_edges) { .numbers = calloc((size_t)v->edge_count + 1, sizeof *own->numbers) };
	if (sorted && own->numbers)
		own->count = sort_once(v, ids, sorted);
	for (uint32_t i = 0; sorted && own->numbers && i < v->edge_count; i++) {
		struct pf_search search = pf_search_over(own->count);

		while (pf_search_goes_on(&search))
			pf_search_step(&search, sorted[search.middle] < ids[i]);
		own->numbers[i] = ids[i] != PF_NO_EDGE ? (uint32_t)search.low : PF_NO_EDGE;
	}
	free(sorted);
	return sorted && own->numbers ? PF_OK : PF_ENOMEM;
}

void pf_own_edges_fini(struct pf_own_edges *own)
{
	free(own->numbers);
	*own = (struct pf_own_edges) { 0 };
}
