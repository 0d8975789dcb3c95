/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ownership of branch vectors: one list of blocks, so that a half-built object is released like a whole one.  Also the
 * guess that both the encoder and the decoder of bursts make. */
#include "perfdata/vectors-codec.h"

#include <stdlib.h>
#include <string.h>

struct pf_vec_memory {
	struct pf_vec_memory *next;
	_Alignas(16) uint8_t bytes[];
};

void pf_vectors_free(struct pf_vectors *vectors)
{
	struct pf_vec_memory *block = vectors ? vectors->memory : NULL;

	while (block) {
		struct pf_vec_memory *next = block->next;

		free(block);
		block = next;
	}
	free(vectors);
}

void *pf_vectors_alloc(struct pf_vectors *vectors, size_t count, size_t size)
{
	struct pf_vec_memory *block;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, sizeof *block, &bytes))
		return NULL;
	block = calloc(1, bytes);
	if (!block)
		return NULL;
	block->next = vectors->memory;
	vectors->memory = block;
	return block->bytes;
}

/* Edges are numbered as they are met, so the one after an edge is the first guess for what follows it. */
bool pf_vectors_guess_init(struct pf_vectors_guess *guess, uint32_t edge_count)
{
	guess->previous = 0;
	guess->after = malloc(((size_t)edge_count + 1) * sizeof *guess->after);
	if (!guess->after)
		return false;
	for (uint32_t i = 0; i < edge_count; i++)
		guess->after[i] = i + 1;
	guess->after[edge_count] = 0;
	return true;
}

/* Where the kernel gave no program a counter all bursts are a timer's, and none knows its period. */
const char *pf_vectors_begun_by(const struct pf_vectors *vectors)
{
	size_t length = strlen(PF_VECTORS_EVENT);

	if (!vectors->event || strncmp(vectors->event, PF_VECTORS_EVENT "/", length + 1) != 0)
		return NULL;
	for (uint64_t i = 0; i < vectors->burst_count; i++) {
		if (vectors->bursts[i].period > 0)
			return vectors->event + length + 1;
	}
	return NULL;
}
