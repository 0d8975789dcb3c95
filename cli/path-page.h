/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths as a page for a browser: their ranking, and of each its source and the flow graph with the path in it. */
#ifndef PF_CLI_PATH_PAGE_H
#define PF_CLI_PATH_PAGE_H

#include "analysis/countedpaths.h"
#include "cli/line-heat.h"
#include "support/buffer.h"

struct pf_paged_path {
	const struct pf_counted_function *function; /* its name, place, graph with counts, numbers and lines */
	uint64_t number;
	double count, share;
};

struct pf_path_page {
	const char *name;    /* of the program, foreign text as the next one */
	const char *summary; /* lines */
	const char *metric;  /* what shares are of */
	const struct pf_paged_path *paths;
	size_t count;
	struct pf_heat_sources *sources;
};

/* Appends the page, a whole HTML document without scripts.  False without memory. */
bool pf_path_page_put(struct pf_buffer *out, const struct pf_path_page *page);

#endif
