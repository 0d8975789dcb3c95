/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the command line of `pathfdo compare` says. */
#ifndef PF_CLI_COMPARE_LINE_H
#define PF_CLI_COMPARE_LINE_H

#include "analysis/plan.h"

#include <stdbool.h>

struct pf_compare_line {
	struct pf_plan plan;
	const char **references; /* room for as many as there are arguments */
	const char *json, *html, *markdown;
	double fail_under;           /* percent; NAN: whatever it gains */
	bool report, help, measures; /* measures: an option was given that a report has no use for */
	bool named_variants;         /* --variants was given */
	char source[PATH_MAX], work[PATH_MAX], tool[PATH_MAX], program[PATH_MAX], name[NAME_MAX + 1];
	char cflags[4096];
};

extern const char pf_compare_help[];

/* Prints the sentence; PF_EXIT_FAILURE. */
int pf_compare_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads the options into LINE, whose `references` has room for as many as there are arguments.  False: one is wrong,
 * and that was said. */
bool pf_compare_parse(int argc, char **argv, struct pf_compare_line *line);

/* What a measurement cannot do without, or two options that contradict each other, in words; NULL: nothing is missing.
 */
const char *pf_compare_missing(const struct pf_compare_line *line);

/* Fills in what was not said: folders, name, processor, flags.  False: something is not there, and that was said. */
bool pf_compare_complete(struct pf_compare_line *line);

#endif
