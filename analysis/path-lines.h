/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of machine code beside paths that the program counted itself.  Their graphs differ (the compiler's is taken
 * before inlining and most optimisation), and so do their numbers; what both have are source lines.
 *
 * Functions are held against each other by name, and their paths by the set of lines that they touch, of those lines
 * alone that both graphs of the function have: lines of bodies that only one of them has inlined, and those of code
 * that is gone, are left out.  Paths of one set are one.  A set that the other side has not is taken for that which has
 * the most lines in common with it (of the lines of both together, the greatest part). */
#ifndef PF_ANALYSIS_PATH_LINES_H
#define PF_ANALYSIS_PATH_LINES_H

#include "analysis/countedpaths.h"
#include "analysis/path-accuracy.h"

struct pf_path_lines {
	struct pf_path_accuracy accuracy;
	size_t sets;       /* that counted paths touch */
	double total;      /* executions of counted paths in functions that are compared */
	double comparable; /* share that these have of all executions */
	double equal;      /* share of the estimate, in these functions, whose set of lines is a counted path's own */
};

/* Compares ESTIMATE, credited, with what was COUNTED (finished).  PF_ENOMEM; PF_EMISMATCH if no function has both names
 * and lines in common. */
int pf_path_lines_compare(struct pf_path_profile *estimate, const struct pf_counted *counted, double threshold,
			  struct pf_path_lines *result, struct pf_error *error);

#endif
