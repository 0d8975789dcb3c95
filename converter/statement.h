/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a statement ran, from how often its machine instructions did: the heart of the profile's quality, and
 * the one place to tune it (doc/counts.md). */
#ifndef PF_CONVERTER_STATEMENT_H
#define PF_CONVERTER_STATEMENT_H

#include <stddef.h>
#include <stdint.h>

/* The instructions of one position in one machine block. */
struct pf_piece {
	uint64_t weight;    /* how often the block ran */
	uint64_t signature; /* of the instructions: equal in copies of one another */
	uint32_t instructions;
};

/* The estimate.  Reorders PIECES. */
uint64_t pf_statement_count(struct pf_piece *pieces, size_t count);

/* Adds an instruction to a signature (0 to begin with). */
uint64_t pf_statement_sign(uint64_t signature, uint16_t mnemonic);

#endif
