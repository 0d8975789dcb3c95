/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See branch-feed.h.  Hard case: a recording has its bursts by process; looked at are they as they came. */
#include "analysis/branch-feed.h"
#include "analysis/unserved.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b, void *context)
{
	const struct pf_vec_burst *bursts = context, *x = &bursts[*(const uint64_t *)a],
				  *y = &bursts[*(const uint64_t *)b];

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return *(const uint64_t *)a < *(const uint64_t *)b ? -1 : 1;
}

static bool feed_burst(const struct pf_branch_sink *sink, const struct pf_vec_burst *burst)
{
	bool fed = true;

	sink->cut(sink->context, burst->tid);
	for (uint32_t i = 0; fed && i < burst->edge_count; i++)
		fed = sink->edge(sink->context, burst->edges[i]);
	return fed;
}

int pf_branch_feed_vectors(const struct pf_branch_sink *sink, const struct pf_vectors *v, struct pf_error *error)
{
	uint64_t *order = calloc(v->burst_count + 1, sizeof *order);
	bool fed = order != NULL;

	for (uint32_t i = 0; fed && i < v->edge_count; i++) {
		uint32_t map = v->edges[i].from_map;

		fed = sink->add(sink->context, &v->edges[i], map < v->map_count ? &v->maps[map] : NULL);
	}
	for (uint64_t i = 0; fed && i < v->burst_count; i++)
		order[i] = i;
	if (fed && v->burst_count)
		qsort_r(order, v->burst_count, sizeof *order, by_time, v->bursts);
	for (uint64_t i = 0; fed && i < v->burst_count; i++)
		fed = feed_burst(sink, &v->bursts[order[i]]);
	free(order);
	if (!fed)
		return pf_fail(error, PF_ENOMEM, "out of memory while looking at its branches");
	return PF_OK;
}

static int feed_file(const struct pf_branch_sink *sink, const char *path, struct pf_perf_file *file,
		     const struct pf_vectors **vectors, struct pf_error *error)
{
	struct pf_error why;
	int status = pf_perf_vectors(file, vectors, error);

	if (status != PF_OK)
		return status;
	if (!*vectors || (*vectors)->burst_count == 0)
		return pf_unserved_vectors(path, file, *vectors, error);
	status = pf_branch_feed_vectors(sink, *vectors, &why);
	return status == PF_OK ? PF_OK : pf_fail(error, status, "%s: %s", path, why.text);
}

int pf_branch_feed_file(const struct pf_branch_sink *sink, const char *path, struct pf_perf_file **file,
			const struct pf_vectors **vectors, struct pf_error *error)
{
	int status;

	*vectors = NULL;
	*file = NULL;
	status = pf_perf_open(path, file, error);
	if (status == PF_OK)
		status = feed_file(sink, path, *file, vectors, error);
	if (status != PF_OK) {
		pf_perf_close(*file);
		*file = NULL;
	}
	return status;
}
