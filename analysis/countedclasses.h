/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which paths and which functions a program spends itself in (Ammons, Ball and Larus 1997, Tables 4 and 5).  The metric
 * is what was measured, cycles or an event, else executions.  Hot is what has a share of the metric or more, cold all
 * else; where something was measured, hot is dense with more of it for each source line that ran than the program has,
 * else sparse. */
#ifndef PF_ANALYSIS_COUNTEDCLASSES_H
#define PF_ANALYSIS_COUNTEDCLASSES_H

#include "analysis/countedpaths.h"

enum pf_counted_class { PF_COUNTED_DENSE, PF_COUNTED_SPARSE, PF_COUNTED_COLD, PF_COUNTED_CLASSES };

extern const char *const pf_counted_class_names[PF_COUNTED_CLASSES];

struct pf_counted_group {
	uint64_t members; /* paths, or functions, that ran */
	uint64_t paths;   /* of these functions; of paths, themselves */
	uint64_t metric, lines;
};

struct pf_counted_classes {
	const char *measured; /* NULL: executions, and all that is hot is dense */
	double threshold;
	uint64_t metric, lines; /* of the program */
	struct pf_counted_group paths[PF_COUNTED_CLASSES], functions[PF_COUNTED_CLASSES];
};

/* Of C, finished; THRESHOLD is a share.  PF_ENOMEM. */
int pf_counted_classify(struct pf_counted_classes *classes, const struct pf_counted *c, double threshold,
			struct pf_error *error);

/* The class of what has METRIC and LINES. */
enum pf_counted_class pf_counted_class_of(const struct pf_counted_classes *classes, uint64_t metric, uint64_t lines);

/* What PATH has of the metric. */
uint64_t pf_counted_metric(const struct pf_counted_classes *classes, const struct pf_counted_path *path);

/* Source lines that PATH of F runs each time, one after the other where they differ; at least 1.  BLOCKS has room for
 * as many as the graph has. */
uint64_t pf_counted_path_length(const struct pf_counted_function *f, const struct pf_counted_path *path,
				uint32_t *blocks);

#endif
