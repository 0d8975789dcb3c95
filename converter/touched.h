/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses that samples touch, and which of them are still to be explained: what has a function already is asked
 * for by nobody else, however many units describe the same code. */
#ifndef PF_CONVERTER_TOUCHED_H
#define PF_CONVERTER_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed one has no addresses. */
struct pf_touched {
	const uint64_t *at; /* sorted, distinct; the caller's */
	size_t count;
	size_t *next; /* from each on, an index at or before the first that is left; `count` is left for ever */
};

/* All COUNT addresses at ADDRESSES are left.  PF_ENOMEM. */
int pf_touched_init(struct pf_touched *touched, const uint64_t *addresses, size_t count);
void pf_touched_fini(struct pf_touched *touched);

/* Whether one in [START, END) is left. */
bool pf_touched_in(struct pf_touched *touched, uint64_t start, uint64_t end);

/* Takes those in [START, END). */
void pf_touched_take(struct pf_touched *touched, uint64_t start, uint64_t end);

#endif
