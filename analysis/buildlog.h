/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiles of a build have written with -fplugin-arg-pathfdo-report, added up. */
#ifndef PF_ANALYSIS_BUILDLOG_H
#define PF_ANALYSIS_BUILDLOG_H

#include "support/error.h"

#include <stddef.h>
#include <stdint.h>

struct pf_buildlog_item {
	char *name;  /* a function's linkage name, or a reason */
	char *place; /* FILE:LINE, NULL for a reason */
	uint64_t count;
};

struct pf_buildlog_list {
	struct pf_buildlog_item *items; /* by descending count, then name */
	size_t count, room;
};

struct pf_buildlog {
	uint64_t files;                     /* compiled, each once: its last compile */
	uint64_t older;                     /* of these, with another profile than the last compile had */
	uint64_t foreign;                   /* of these, not among what the profiled program was compiled from */
	uint64_t matched, stale, unmatched; /* functions */
	uint64_t inlined, refused, promoted;
	struct pf_buildlog_list stale_functions;   /* count: 1 */
	struct pf_buildlog_list matched_functions; /* count: what the profile has of it */
	struct pf_buildlog_list refusals;          /* reasons; count: calls */
};

/* Reads the report at PATH.  PF_EIO, PF_EFORMAT (a line is none of a report's: the text has its number), PF_ENOMEM. */
int pf_buildlog_read(const char *path, struct pf_buildlog *log, struct pf_error *error);
void pf_buildlog_fini(struct pf_buildlog *log);

#endif
