/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that lives as long as a profile: zeroed blocks and interned strings, released together. */
#ifndef PF_PROFILE_ARENA_H
#define PF_PROFILE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct pf_arena_block;
struct pf_arena_slot;

struct pf_arena {
	struct pf_arena_block *blocks; /* newest first */
	struct pf_arena_slot *slots;   /* the interned strings, by open addressing */
	size_t slot_count;             /* a power of two, or 0 */
	size_t string_count;
	size_t size, limit; /* bytes in all blocks, and how many there may be; a limit of 0 is none */
};

/* An interned string and a word for whoever walks the strings (the file writer keeps their offsets there). */
struct pf_interned {
	uint32_t mark; /* 0 when nobody has set it */
	char text[];
};

/* A zeroed pf_arena is empty and ready. */
void pf_arena_fini(struct pf_arena *arena);

/* SIZE zeroed bytes aligned to 8; NULL when out of memory or beyond the limit. */
void *pf_arena_reserve(struct pf_arena *arena, size_t size);

/* The arena's own copy of STRING, equal pointers for equal strings; NULL as pf_arena_reserve. */
const char *pf_arena_intern(struct pf_arena *arena, const char *string);

/* The mark of a string that pf_arena_intern returned. */
uint32_t *pf_arena_mark(const char *interned);

/* A 64-bit hash of the SIZE bytes at BYTES: FNV-1a with a finishing mix, part of the .pfdo format. */
uint64_t pf_arena_hash(const void *bytes, size_t size);

#endif
