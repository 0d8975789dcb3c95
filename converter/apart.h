/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which machine blocks of a function exclude each other: no execution of the code between two turns of a loop around
 * them passes both. */
#ifndef PF_CONVERTER_APART_H
#define PF_CONVERTER_APART_H

#include "converter/building.h"

/* A zeroed one knows of nothing that it is apart. */
struct pf_apart {
	uint32_t blocks;   /* of the function */
	uint64_t *reached; /* owned; a row for each block, a bit for each that can follow it within a turn */
};

/* Looks at the code of B.  Functions of more than 16,384 machine blocks (32 MB of bits) stay unknown.  PF_ENOMEM. */
int pf_apart_init(struct pf_apart *a, const struct pf_building *b);
void pf_apart_fini(struct pf_apart *a);

/* Whether blocks X and Y exclude each other, as far as that is known. */
bool pf_apart_are(const struct pf_apart *a, uint32_t x, uint32_t y);

#endif
