/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A coverage by source line and function, and the files that other tools read: lcov's tracefile (geninfo(1)) and gcov's
 * JSON (gcov(1), --json-format). */
#ifndef PF_ANALYSIS_COVERAGE_LINES_H
#define PF_ANALYSIS_COVERAGE_LINES_H

#include "analysis/coverage-blocks.h"
#include "support/buffer.h"

/* A line of a function; lines of one function that was inlined in several places are one. */
struct pf_coverage_line {
	const char *file;     /* owned by the subject */
	const char *function; /* of NAME_SIZE characters; owned by the subject */
	size_t name_size;
	uint32_t line;
	uint32_t function_line; /* where the function is declared */
	uint64_t count;         /* sightings; 1 for what is only known to have run, 0 for what is not covered */
	uint32_t instructions, covered;
	bool entry;     /* it has the function's first instruction */
	bool elsewhere; /* its function is declared in another file: #include within a function, #line */
};

/* By file, function's line and name, line. */
struct pf_coverage_lines {
	PF_ARRAY(struct pf_coverage_line) list;
};

/* The lines of C, which is finished, as KIND covers them.  Within an instance of a function the hottest instruction of
 * a line says how often it ran, and instances add up.  PF_ENOMEM; *LINES is the caller's, to pf_coverage_lines_fini. */
int pf_coverage_lines_make(struct pf_coverage_lines *lines, const struct pf_coverage *c, enum pf_coverage_kind kind);
void pf_coverage_lines_fini(struct pf_coverage_lines *lines);

/* Append a whole file.  PF_EUNSUPPORTED: a tracefile cannot have the name of one of the sources or functions, which is
 * of more than one line. */
int pf_coverage_put_lcov(struct pf_buffer *out, const struct pf_coverage_lines *lines, struct pf_error *error);
void pf_coverage_put_gcov(struct pf_buffer *out, const struct pf_coverage_lines *lines, const char *binary);

#endif
