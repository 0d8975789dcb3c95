/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash index of a .pfdo file: from a name to the frames that stand for it.  Serves functions and hosts alike. */
#ifndef PF_PROFILE_PFDO_INDEX_H
#define PF_PROFILE_PFDO_INDEX_H

#include "support/buffer.h"

#include <stdint.h>

/* One name and where its frame is in the chunk that the index belongs to. */
struct pf_pfdo_index_entry {
	uint64_t hash;   /* pf_arena_hash of the name without its NUL */
	uint64_t offset; /* of the frame */
	uint32_t name;   /* offset in the string table */
};

/* Sorts ENTRIES by hash and offset and appends the index over them to OUT. */
void pf_pfdo_append_index(struct pf_buffer *out, struct pf_pfdo_index_entry *entries, uint32_t count);

#endif
