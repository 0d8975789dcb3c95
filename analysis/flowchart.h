/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A flow graph as an SVG element for an HTML page, whose style sheet gives the colours: `.block' and `.edge', with
 * `.on' what is to be seen first. */
#ifndef PF_ANALYSIS_FLOWCHART_H
#define PF_ANALYSIS_FLOWCHART_H

#include "flow/graph.h"
#include "support/buffer.h"

#include <stdbool.h>

struct pf_flowchart {
	const struct pf_graph *graph;     /* finished */
	const bool *shown;                /* which blocks are drawn, where the entry reaches them */
	const bool *blocks_on, *edges_on; /* which are in front of the others */
	const char *const *names;         /* of blocks, in their boxes: a dozen characters */
	const char *title;                /* what the picture shows, foreign text */
};

/* Appends the picture: entry on top, edges downwards but for those that go back.  False without memory. */
bool pf_flowchart_put(struct pf_buffer *out, const struct pf_flowchart *chart);

#endif
