/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the positions of an edited function are today: its profile's outline laid over that of its source. */
#ifndef PF_PLUGIN_ALIGN_H
#define PF_PLUGIN_ALIGN_H

#include "plugin/outline.h"
#include "support/array.h"

#define PF_NOWHERE INT32_MIN /* the line of a position that is not in the source any more */

/* What became of a line of the profile. */
struct pf_moved_line {
	int32_t line;           /* in the profile */
	int32_t by, columns_by; /* what to add to its lines and columns */
	bool gone;              /* another line is there: nothing of this one is left */
};

/* A position that has a place of its own (gaps.h). */
struct pf_placed {
	int32_t line, to_line;
	uint32_t column, to_column;
};

/* A zeroed one leaves all as it is. */
struct pf_alignment {
	struct pf_moved_line *moves;       /* by line; owned */
	uint32_t count;                    /* of them; none: no line has moved */
	PF_ARRAY(struct pf_placed) placed; /* by line and column */
	const struct pf_outline *source;   /* today's; the caller's */
};

/* Aligns PROFILE with SOURCE (both sorted).  The alignment is empty where the source is what was profiled, and where
 * too little of the profile is found in it to say.  What is so large, or so far apart, that it would take seconds
 * stays unaligned.  PF_ENOMEM.  The alignment is the caller's, and SOURCE must outlive it. */
int pf_align(const struct pf_outline *profile, const struct pf_outline *source, struct pf_alignment *alignment);
bool pf_alignment_moves(const struct pf_alignment *alignment);
void pf_alignment_fini(struct pf_alignment *alignment);

/* How many positions of PROFILE are not in SOURCE where they were; a call of what is called elsewhere is not. */
uint32_t pf_align_missing(const struct pf_outline *profile, const struct pf_outline *source);

/* How many positions of PROFILE there are in the alignment's source, where it brings them. */
uint32_t pf_align_found(const struct pf_outline *profile, const struct pf_alignment *alignment);

/* Brings POSITION to today's; what is not in the source any more gets the line PF_NOWHERE.  True if it was found
 * elsewhere than before. */
bool pf_align_position(const struct pf_alignment *alignment, struct pf_position *position);

#endif
