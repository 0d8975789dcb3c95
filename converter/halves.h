/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deals a recording into two halves, to see how far they agree: what one half says and the other does not is chance.
 * Of two neighbouring blocks of time each half gets one, by a sequence which gets it (McCarthy, Review of the
 * International Statistical Institute 37, 1969), so that no program has a period that tells them apart. */
#ifndef PF_CONVERTER_HALVES_H
#define PF_CONVERTER_HALVES_H

#include <stddef.h>
#include <stdint.h>

#define PF_HALVES_BLOCKS 256u /* of time, or of other things in their order */
#define PF_HALVES_DEALS (PF_HALVES_BLOCKS / 2)
#define PF_HALVES_TOLD 4u /* deals by which it is told how far halves agree */

/* A zeroed one has seen no time yet. */
struct pf_halves {
	uint64_t first, last; /* ns, of the recording */
	uint64_t seen;
	unsigned deal; /* which of PF_HALVES_DEALS ways, each as good: what differs between them is chance */
};

/* Takes TIME into the span that is dealt. */
void pf_halves_span(struct pf_halves *h, uint64_t time);

/* 0 or 1: the half that TIME belongs to. */
unsigned pf_halves_deal(const struct pf_halves *h, uint64_t time);

/* Bit k: the half that TIME belongs to by deal k of PF_HALVES_TOLD. */
unsigned pf_halves_sides(const struct pf_halves *h, uint64_t time);

/* What a thing (a branch, a block of instructions) has of the recordings that are dealt. */
struct pf_dealt {
	uint64_t all;
	uint64_t first[PF_HALVES_TOLD]; /* of that, to half 0 by each deal */
};

/* Gives D WEIGHT, which is of SIDES (pf_halves_sides).  Sums saturate. */
void pf_dealt_add(struct pf_dealt *d, unsigned sides, uint64_t weight);

/* Gives D what OTHER has. */
void pf_dealt_join(struct pf_dealt *d, const struct pf_dealt *other);

/* *OVERLAP: how far the halves of COUNT things overlap (pf_halves_overlap), in the mean of the deals.  PF_ENOMEM. */
int pf_dealt_overlap(const struct pf_dealt *things, size_t count, double *overlap);

/* In how many ways BURSTS are dealt where a decision hangs on it, at least one: so many that chance of dealing is no
 * part of it, and fewer of many bursts, where there is less. */
unsigned pf_halves_deals(uint64_t bursts);

/* sum(min(p, q)) over the shares p, q that each of COUNT things has of its half; 1 when both are the same, 0 when they
 * have nothing in common or one is empty. */
double pf_halves_overlap(const uint64_t *one, const uint64_t *other, size_t count);

#endif
