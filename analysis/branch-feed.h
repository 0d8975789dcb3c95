/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who looks at a run edge by edge, wherever its edges come from: a recording, or a program that runs. */
#ifndef PF_ANALYSIS_BRANCH_FEED_H
#define PF_ANALYSIS_BRANCH_FEED_H

#include "perfdata/perfdata.h"
#include "perfdata/vectors.h"

#include <stdbool.h>

struct pf_branch_sink {
	void *context;
	/* One edge more, the first of them is number 0; FROM is its mapping, NULL: none is known.  False when out of
	 * memory. */
	bool (*add)(void *context, const struct pf_vec_edge *edge, const struct pf_vec_map *from);
	/* Edge NUMBER was executed.  False when out of memory. */
	bool (*edge)(void *context, uint32_t number);
	/* What comes next, of THREAD, does not follow on what came last. */
	void (*cut)(void *context, uint32_t thread);
	/* Process NUMBER has ended.  May be NULL. */
	void (*end)(void *context, uint32_t number);
	/* Loads and stores of the edges that come next, up to the next call of this, in their order.  NULL: they are
	 * not wanted.  False when out of memory. */
	bool (*accesses)(void *context, const struct pf_vec_access *accesses, uint32_t count);
};

/* Feeds all bursts of VECTORS, in the order of their time, with a cut in front of each.  PF_ENOMEM. */
int pf_branch_feed_vectors(const struct pf_branch_sink *sink, const struct pf_vectors *vectors, struct pf_error *error);

/* The same of the recording PATH.  *FILE is the caller's, to pf_perf_close, and NULL on failure; *VECTORS are its
 * vectors.  Errors as above, with the file's name, and those of pf_perf_open and pf_perf_vectors; PF_EEMPTY for a
 * recording without vectors (unserved.h). */
int pf_branch_feed_file(const struct pf_branch_sink *sink, const char *path, struct pf_perf_file **file,
			const struct pf_vectors **vectors, struct pf_error *error);

#endif
