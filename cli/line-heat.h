/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile seen from the lines of a source file. */
#ifndef PF_CLI_LINE_HEAT_H
#define PF_CLI_LINE_HEAT_H

#include "profile/model.h"

#include <stdio.h>
#include <time.h>

/* What is inlined at a line. */
struct pf_heat_inline {
	uint32_t line;
	const char *name; /* of the profile */
	uint64_t entries;
};

struct pf_heat_line {
	uint32_t line;
	uint64_t count;       /* of all instances, in each of which the hottest position of the line counts */
	uint64_t taken, fell; /* of the line's jumps; both 0: none is known */
};

struct pf_heat {
	const char *file; /* of the profile, as the debug information spells it */
	uint32_t first;   /* line of the function's declaration; 1 for a whole file */
	uint64_t total;   /* of the counts of all positions in it */
	uint64_t below;   /* the same with what is inlined into it, as `pathfdo show` counts; 0 for a whole file */
	uint64_t maximum; /* of a line's count */
	uint64_t entries; /* of the function: out of line and inlined; 0 for a whole file */
	uint32_t instances;
	size_t line_count, inline_count, line_room, inline_room;
	struct pf_heat_line *lines;     /* by line */
	struct pf_heat_inline *inlines; /* by line, then descending entries */
};

/* Which functions of a profile have instances of which, so that who asks for each of thousands does not look at all
 * for each. */
struct pf_heat_index {
	const struct pf_profile *profile;
	struct pf_heat_place *places; /* by name, file, line and function */
	size_t count;
};

/* PF_ENOMEM. */
int pf_heat_index_init(struct pf_heat_index *index, const struct pf_profile *profile, struct pf_error *error);
void pf_heat_index_fini(struct pf_heat_index *index);
/* The number, below index->count, of the function that has these; the strings are the profile's. */
size_t pf_heat_index_find(const struct pf_heat_index *index, const char *name, const char *file, uint32_t line);

/* The lines of the function NAME (linkage name) of FILE and LINE, wherever it is inlined; or, where NAME is NULL, of
 * all that the profile has of FILE.  The strings are the profile's.  PF_ENOMEM. */
int pf_heat_of(const struct pf_heat_index *index, const char *name, const char *file, uint32_t line,
	       struct pf_heat *heat, struct pf_error *error);
void pf_heat_fini(struct pf_heat *heat);

struct pf_heat_sources {
	const char *const *folders; /* where they are looked for, NULL at the end */
	const char *output;         /* what they are shown in; NULL: no file */
	bool is_output;             /* one that was opened is that */
	struct timespec made;       /* what was profiled (source-age.h); zero: that is not known */
	bool newer;                 /* the one that was opened last is */
};

/* The source FILE: as it is spelled, else its longest end that is in one of the folders.  NULL: it is nowhere. */
FILE *pf_heat_open(const char *file, struct pf_heat_sources *sources);

/* PF_EINVAL if the output would be written over one of the sources. */
int pf_heat_spare(const struct pf_heat_sources *sources, struct pf_error *error);

#endif
