/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a statement ran, from how often its machine instructions did: the heart of the profile's quality, and
 * the one place to tune it (doc/counts.md). */
#ifndef PF_CONVERTER_STATEMENT_H
#define PF_CONVERTER_STATEMENT_H

#include "converter/apart.h"

#define PF_PIECE_BUCKETS 16

/* The instructions of one position in one machine block. */
struct pf_piece {
	uint64_t weight;    /* how often the block ran */
	uint32_t block;     /* its number */
	uint32_t candidate; /* the estimate's own: which of its candidates it belongs to, and the weight of that */
	uint64_t sum;
	uint32_t instructions;
	uint16_t histogram[PF_PIECE_BUCKETS]; /* of the kinds of instructions */
};

/* Adds an instruction to a piece; LIKENESS is equal for instructions that can be copies of one another. */
void pf_statement_add(struct pf_piece *piece, uint16_t likeness);

/* The estimate; APART are the blocks of the function.  Reorders PIECES. */
uint64_t pf_statement_count(struct pf_piece *pieces, size_t count, const struct pf_apart *apart);

#endif
