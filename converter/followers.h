/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bursts show how the program went on where another burst was cut: those that began at the very instruction.
 * There are many of them, because a system call takes time and the timer's signal is delivered when it ends. */
#ifndef PF_CONVERTER_FOLLOWERS_H
#define PF_CONVERTER_FOLLOWERS_H

#include "converter/ends.h"

#define PF_FOLLOWERS 4 /* that share the weight of one cut burst */

/* The followers of one burst: none if it was not cut. */
struct pf_followers {
	uint32_t count;
	uint32_t turn;           /* whose turn it is, for the caller to count */
	bool lonely;             /* none, and that is no chance: many were cut at this place */
	bool after_call;         /* the burst itself began when a system call ended at which others were cut */
	size_t at[PF_FOLLOWERS]; /* bursts */
};

/* Finds the followers of COUNT bursts; F has an element for each, zeroed.  PF_ENOMEM. */
int pf_followers_find(struct pf_followers *f, const struct pf_ends *ends, size_t count);

/* Whether the burst with these ends was cut at something, and not just over. */
bool pf_followers_cut(const struct pf_ends *e);

#endif
