/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bursts show how the program went on where another burst was cut: those that began at the very instruction.
 * There are many of them, because a system call (or a fault, with its handler) takes time, and the timer's signal is
 * delivered when it ends. */
#ifndef PF_CONVERTER_FOLLOWERS_H
#define PF_CONVERTER_FOLLOWERS_H

#include "converter/ends.h"

#define PF_NO_BURST SIZE_MAX

/* What follows one burst: none if it was not cut. */
struct pf_followers {
	size_t first;   /* in the order of `pf_following` */
	uint32_t count; /* of candidates, not all of which need be fit */
	uint32_t turn;  /* whose turn it is */
	int agreement;  /* callers that a candidate must agree in to be fit */
	bool lonely;    /* none, and that is no chance: many were cut at this place */
	/* The burst itself began when a wait ended: the recorder says so, or others were cut at a call or a fault
	 * there. */
	bool after_call;
};

struct pf_following {
	const struct pf_ends *ends; /* the caller's */
	size_t count;
	size_t *order; /* bursts by begin, then time */
	struct pf_followers *of;
};

/* Finds the followers of COUNT bursts.  PF_ENOMEM; *F is the caller's, to pf_following_fini, in any case. */
int pf_following_find(struct pf_following *f, const struct pf_ends *ends, size_t count);
void pf_following_fini(struct pf_following *f);

/* The follower of BURST whose turn it is, PF_NO_BURST if it has none.  All have their turn equally often. */
size_t pf_following_next(struct pf_following *f, size_t burst);

/* Begins all turns anew. */
void pf_following_rewind(struct pf_following *f);

#endif
