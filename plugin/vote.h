/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The count of one block from what its statements say. */
#ifndef PF_PLUGIN_VOTE_H
#define PF_PLUGIN_VOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_vote {
	uint64_t count;
	uint32_t weight; /* above 0; a better match weighs more */
	uint32_t record; /* whose count it is, by number; the mode does not look at it */
	bool movable;    /* may be the count of a loop's entries; nor at this, see pf_vote_settled */
};

/* The mode of COUNT votes: the value around which the heaviest group of agreeing votes lies, the group's weighted
 * median. Of groups of one weight the one with the lower value wins: hoisting and if-conversion raise the counts of
 * statements, hardly anything lowers them.  Reorders VOTES.  False without votes. */
bool pf_vote_mode(struct pf_vote *votes, size_t count, uint64_t *mode);

/* Brings to the front of COUNT votes those that cannot have been moved out of a loop; returns how many these are. */
size_t pf_vote_settled(struct pf_vote *votes, size_t count);

#endif
