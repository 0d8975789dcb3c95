/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compact section of branch vectors, from and to memory; its format is doc/vectors-format.md. */
#ifndef PF_PERFDATA_VECTORS_CODEC_H
#define PF_PERFDATA_VECTORS_CODEC_H

#include "perfdata/vectors.h"
#include "support/buffer.h"
#include "support/cursor.h"

#define PF_VECTORS_MAGIC "PFVECTOR"

enum {
	PF_VECTORS_VERSION = 1,
	PF_VECTORS_HEADER_SIZE = 96,
	PF_VECTORS_LEAST_HEADER_SIZE = 88, /* of writers that knew of no values */
	PF_VECTORS_CHUNK_HEADER_SIZE = 16,
	PF_VECTORS_CHUNK_TARGET = 1 << 20, /* a writer ends a chunk beyond this */
	PF_VECTORS_CHUNK_LIMIT = 1 << 26,  /* a reader refuses a longer one */
};

/* In the number that tells why a burst ended: how it began, above the low byte. */
#define PF_VECTORS_AFTER_WAIT 0x100u

/* A chunk's tag: four letters, the first of them small if a reader may skip what it does not know. */
#define PF_VECTORS_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define PF_VECTORS_PROCESSES PF_VECTORS_TAG('P', 'R', 'O', 'C')
#define PF_VECTORS_MAPS PF_VECTORS_TAG('M', 'A', 'P', 'S')
#define PF_VECTORS_EDGES PF_VECTORS_TAG('E', 'D', 'G', 'E')
#define PF_VECTORS_BURSTS PF_VECTORS_TAG('B', 'R', 'S', 'T')
#define PF_VECTORS_COUNTS PF_VECTORS_TAG('C', 'N', 'T', 'S')
#define PF_VECTORS_TIMINGS PF_VECTORS_TAG('t', 'i', 'm', 'e')

#define PF_VECTORS_VALUES PF_VECTORS_TAG('v', 'a', 'l', 'u')

/* Which edge followed an edge the last time: what both sides expect next. */
struct pf_vectors_guess {
	uint32_t *after;   /* by edge; owned */
	uint32_t previous; /* edge that came last */
};

/* PF_ENOMEM is false. */
bool pf_vectors_guess_init(struct pf_vectors_guess *guess, uint32_t edge_count);

static inline uint32_t pf_vectors_expect(const struct pf_vectors_guess *guess)
{
	return guess->after[guess->previous];
}

static inline void pf_vectors_saw(struct pf_vectors_guess *guess, uint32_t edge)
{
	guess->after[guess->previous] = edge;
	guess->previous = edge;
}

/* Appends VECTORS as a section to TO.  PF_EINVAL (an index out of range: the text says which), PF_ELIMIT (a burst
 * longer than a chunk may be), PF_ENOMEM. */
int pf_vectors_encode(const struct pf_vectors *vectors, struct pf_buffer *to, struct pf_error *error);

/* Decodes the section under C, which PATH holds.  PF_EFORMAT, PF_ETRUNCATED, PF_EVERSION, PF_ELIMIT (it needs more
 * than half of the machine's memory), PF_ENOMEM.  *VECTORS is the caller's. */
int pf_vectors_decode(const char *path, struct pf_cursor *c, struct pf_vectors **vectors, struct pf_error *error);

#endif
