/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See path-accuracy.h.  The hard case is paths of equal count at the border of what is hot: flows are in one order for
 * all profiles of a binary, so that the same of them are taken. */
#include "analysis/path-accuracy.h"
#include "support/search.h"

size_t pf_path_hot(const struct pf_path_profile *p, double threshold, double *flow)
{
	size_t count = 0;

	*flow = 0;
	while (count < p->flows.count && p->flows.at[count].weight >= threshold * p->total && p->total > 0)
		*flow += p->flows.at[count++].weight / p->total;
	return count;
}

/* What PATH has in the COUNT flows of LIST, which are by path; 0 if it is not there. */
static double find(const struct pf_path_flow *list, size_t count, const struct pf_path_flow *path)
{
	struct pf_search search = pf_search_over(count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, pf_path_flow_compare(&list[search.middle], path) < 0);
	return search.low < count && pf_path_flow_compare(&list[search.low], path) == 0 ? list[search.low].weight : 0;
}

int pf_path_compare(const struct pf_path_profile *estimate, const struct pf_path_profile *exact, double threshold,
		    struct pf_path_accuracy *accuracy)
{
	struct pf_path_flow *room = calloc(exact->flows.count + 1, sizeof *room);
	double found = 0;
	size_t hot;

	*accuracy = (struct pf_path_accuracy) { 0 };
	if (!room)
		return PF_ENOMEM;
	hot = accuracy->hot = pf_path_hot(exact, threshold, &accuracy->flow);
	memcpy(room, exact->flows.at, hot * sizeof *room);
	qsort(room, hot, sizeof *room, pf_path_flow_compare);
	for (size_t i = 0; i < hot && i < estimate->flows.count; i++)
		found += find(room, hot, &estimate->flows.at[i]) / exact->total;
	accuracy->accuracy = accuracy->flow > 0 ? found / accuracy->flow : 0;
	memcpy(room, exact->flows.at, exact->flows.count * sizeof *room);
	qsort(room, exact->flows.count, sizeof *room, pf_path_flow_compare);
	for (size_t i = 0; i < estimate->flows.count; i++) {
		double own = estimate->flows.at[i].weight / estimate->total;
		double other = find(room, exact->flows.count, &estimate->flows.at[i]) / exact->total;

		accuracy->overlap += own < other ? own : other;
	}
	free(room);
	return PF_OK;
}
