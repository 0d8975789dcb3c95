/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See arena.h.  Blocks grow with what the arena holds, so that a compile that reads five functions stays small and a
 * whole profile needs few blocks.  Hard case: a request larger than a block gets one of its own, behind the current
 * one, so that the current one's room is not lost. */
#include "profile/arena.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK 4096
#define LARGEST_BLOCK (1u << 20)

struct pf_arena_block {
	struct pf_arena_block *next;
	size_t size, used;
	uint64_t data[]; /* aligns what is handed out */
};

struct pf_arena_slot {
	uint64_t hash;
	const char *text; /* NULL: free */
};

void pf_arena_fini(struct pf_arena *arena)
{
	while (arena->blocks) {
		struct pf_arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	free(arena->slots);
	*arena = (struct pf_arena) { 0 };
}

static struct pf_arena_block *add_block(struct pf_arena *arena, size_t wanted)
{
	struct pf_arena_block *current = arena->blocks, *block;
	size_t size = !current ? FIRST_BLOCK : current->size < LARGEST_BLOCK / 2 ? current->size * 2 : LARGEST_BLOCK;

	if (wanted > SIZE_MAX - sizeof *block)
		return NULL;
	if (wanted > size)
		size = wanted;
	if (arena->limit && (arena->size > arena->limit || size > arena->limit - arena->size))
		return NULL;
	block = calloc(1, sizeof *block + size);
	if (!block)
		return NULL;
	block->size = size;
	arena->size += size;
	if (current && wanted > LARGEST_BLOCK) {
		block->next = current->next;
		current->next = block;
	} else {
		block->next = current;
		arena->blocks = block;
	}
	return block;
}

void *pf_arena_reserve(struct pf_arena *arena, size_t size)
{
	struct pf_arena_block *block = arena->blocks;
	void *memory;

	if (size > SIZE_MAX - 7)
		return NULL;
	size = size ? (size + 7) & ~(size_t)7 : 8;
	if (!block || size > block->size - block->used)
		block = add_block(arena, size);
	if (!block)
		return NULL;
	memory = (char *)block->data + block->used;
	block->used += size;
	return memory;
}

uint64_t pf_arena_hash(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	/* FNV leaves the high bits of short strings alike, and the index takes its buckets from them. */
	hash ^= hash >> 32;
	hash *= 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* The slot that holds TEXT, or the free one where it belongs. */
static struct pf_arena_slot *find_slot(struct pf_arena_slot *slots, size_t slot_count, uint64_t hash, const char *text)
{
	for (size_t i = hash & (slot_count - 1);; i = (i + 1) & (slot_count - 1)) {
		if (!slots[i].text || (slots[i].hash == hash && strcmp(slots[i].text, text) == 0))
			return &slots[i];
	}
}

static int grow_slots(struct pf_arena *arena)
{
	size_t wanted = arena->slot_count ? arena->slot_count * 2 : 64;
	struct pf_arena_slot *slots = calloc(wanted, sizeof *slots);

	if (!slots)
		return -1;
	for (size_t i = 0; i < arena->slot_count; i++) {
		struct pf_arena_slot *old = &arena->slots[i];

		if (old->text)
			*find_slot(slots, wanted, old->hash, old->text) = *old;
	}
	free(arena->slots);
	arena->slots = slots;
	arena->slot_count = wanted;
	return 0;
}

const char *pf_arena_intern(struct pf_arena *arena, const char *string)
{
	size_t length = strlen(string);
	uint64_t hash = pf_arena_hash(string, length);
	struct pf_arena_slot *slot;
	struct pf_interned *copy;

	if (arena->string_count * 4 >= arena->slot_count * 3 && grow_slots(arena) < 0)
		return NULL;
	slot = find_slot(arena->slots, arena->slot_count, hash, string);
	if (slot->text)
		return slot->text;
	copy = pf_arena_reserve(arena, sizeof *copy + length + 1);
	if (!copy)
		return NULL;
	memcpy(copy->text, string, length);
	slot->hash = hash;
	slot->text = copy->text;
	arena->string_count++;
	return slot->text;
}

uint32_t *pf_arena_mark(const char *interned)
{
	return (uint32_t *)(uintptr_t)(interned - offsetof(struct pf_interned, text));
}
