/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report on measured comparisons: from the JSON that `pathfdo compare` keeps to a table, a page of pictures and
 * doc/results.md.  Deterministic: the same JSON gives the same bytes. */
#ifndef PF_ANALYSIS_COMPARE_REPORT_H
#define PF_ANALYSIS_COMPARE_REPORT_H

#include "analysis/comparison.h"

#include <stdio.h>

/* What a profile gains over base, in percent, in the program where that is least. */
struct pf_foremost {
	double gain;       /* NAN: nothing recorded was measured of the program */
	char program[128]; /* its name, cut if it is longer */
};

struct pf_report_options {
	FILE *table;                  /* where the text table goes; NULL for none */
	const char *html;             /* the page to write; "-" is standard output; NULL for none */
	const char *markdown;         /* the same for doc/results.md */
	struct pf_foremost *foremost; /* receives what the foremost variant gains; NULL for not asked */
	unsigned resamples; /* of the bootstrap; 0 stands for 10,000, which all that is published should use */
};

/* Reads the JSON file PATH ("-" is standard input) into ROOT, which the caller releases by json_decref.  PF_EIO,
 * PF_EFORMAT (no JSON, with line and column; a key that comes twice), PF_EEMPTY, PF_ELIMIT (over 64 MB), PF_ENOMEM.
 * Whether it holds measurements is pf_compare_report's to check. */
int pf_compare_read(const char *path, json_t **root, struct pf_error *error);

/* Checks and merges COUNT sources - a program of a later file replaces one of the same name in an earlier - and writes
 * what OPTIONS asks for: nothing at all unless all sources are sound.
 * PF_EFORMAT (a key is missing, has the wrong type, or a value that no measurement can have: the text names the file
 * and the place, as in programs[2].variants[1].references[0].seconds[3]), PF_EVERSION, PF_ELIMIT (more programs, pairs,
 * ... than any comparison has), PF_EEMPTY (no source, or none holds a program), PF_EIO, PF_ENOMEM. */
int pf_compare_report(const struct pf_compare_source *sources, size_t count, const struct pf_report_options *options,
		      struct pf_error *error);

#endif
