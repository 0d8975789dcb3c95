/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instrumented programs counted, shown by `pathfdo paths --exact`. */
#ifndef PF_CLI_COUNTED_PATHS_H
#define PF_CLI_COUNTED_PATHS_H

#include "analysis/countedpaths.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether PATH has paths that a program counted: NAME.PID.paths, or NAME.PID.context, where they are by context. */
bool pf_counted_paths_are(const char *path);

/* Reads such a file and adds it to C, over all contexts; errors as of pf_counted_read. */
int pf_counted_paths_read(struct pf_counted *c, const char *path, struct pf_error *error);

/* Calls TAKE with each source line of the path NUMBER of F, in its order, once where it is repeated at once.  False
 * without memory. */
bool pf_counted_path_lines(const struct pf_counted_function *f, uint64_t number,
			   void (*take)(void *to, const struct pf_counted_line *line), void *to);

/* Prints the first of these lines on standard output.  False without memory. */
bool pf_counted_path_print(const struct pf_counted_function *f, uint64_t number);

/* How to show them. */
struct pf_counted_view {
	uint32_t top;               /* the most frequent ones; 0: all */
	double threshold;           /* the share of the metric that makes a path or a function hot */
	bool json;                  /* with counts of blocks and edges */
	const char *html;           /* write a page there, NULL for none */
	const char *const *folders; /* where that looks for sources, NULL at the end */
};

/* Adds up COUNT such files and shows them.  The command's status. */
int pf_counted_paths_show(const char *const *files, size_t count, const struct pf_counted_view *view);

#endif
