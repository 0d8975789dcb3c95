/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bar charts with intervals as SVG elements for an HTML page, whose style sheet gives the colours. */
#ifndef PF_ANALYSIS_SVG_H
#define PF_ANALYSIS_SVG_H

#include "analysis/render.h"
#include "analysis/svgtext.h"

struct pf_bar {
	struct pf_estimate estimate; /* in the chart's unit; not known: no bar */
	bool noise;                  /* drawn hollow */
};

struct pf_chart {
	const char *id; /* a word of a-z and '-', unique in the page */
	const char *title;
	const char *unit;          /* behind each number: "%" or " s" */
	bool has_sign;             /* numbers are changes: "+3" */
	const char *const *groups; /* their names, foreign text */
	size_t group_count;
	const int *series; /* variants */
	size_t series_count;
	const struct pf_bar *bars; /* group by group */
};

/* Appends the chart; all of its numbers are in its text alternative too. */
void pf_svg_bars(struct pf_buffer *out, const struct pf_chart *chart);

/* Appends the names of the chart's series with their colours, as HTML that breaks its lines on a narrow page. */
void pf_svg_legend(struct pf_buffer *out, const struct pf_chart *chart);

#endif
