/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See branch-buffer.h.  The hard case is what the paper leaves open: the execution that raises the counter to the
 * threshold sets the flag, and counts itself as that of a branch which was no candidate yet, as the flag is read before
 * it is written. */
#include "analysis/branch-buffer.h"

#include <stdlib.h>
#include <string.h>

bool pf_branch_buffer_init(struct pf_branch_buffer *b, uint32_t sets, uint32_t ways, uint32_t bits, uint32_t threshold)
{
	*b = (struct pf_branch_buffer) {
		.entries = calloc((size_t)sets * ways + 1, sizeof *b->entries),
		.sets = sets,
		.ways = ways,
		.most = (1u << bits) - 1,
		.threshold = threshold,
	};
	return b->entries != NULL;
}

void pf_branch_buffer_fini(struct pf_branch_buffer *b)
{
	free(b->entries);
	*b = (struct pf_branch_buffer) { 0 };
}

/* Addresses begin anywhere on this machine, so their lowest bits tell sets apart best.  They lie within a page, and are
 * the same wherever a module is loaded. */
static struct pf_branch_entry *set_of(const struct pf_branch_buffer *b, uint64_t key, uint64_t target)
{
	return b->entries + ((key ^ target) & (b->sets - 1)) * b->ways;
}

/* The entry of (KEY, TARGET), else a free one, else NULL. */
static struct pf_branch_entry *place(const struct pf_branch_buffer *b, uint64_t key, uint64_t target)
{
	struct pf_branch_entry *set = set_of(b, key, target), *free = NULL;

	for (uint32_t i = 0; i < b->ways; i++) {
		if (set[i].used && set[i].key == key && set[i].target == target)
			return &set[i];
		if (!set[i].used && !free)
			free = &set[i];
	}
	return free;
}

enum pf_branch_found pf_branch_buffer_count(struct pf_branch_buffer *b, uint64_t key, uint64_t target, bool taken,
					    uint32_t tag)
{
	struct pf_branch_entry *entry = place(b, key, target);
	bool candidate;

	if (!entry)
		return PF_BRANCH_LEFT_OUT;
	if (!entry->used)
		*entry = (struct pf_branch_entry) { .key = key, .target = target, .tag = tag, .used = true };
	candidate = entry->candidate;
	if (entry->executed < b->most) {
		entry->executed++;
		entry->taken += taken;
	}
	entry->candidate = entry->executed >= b->threshold;
	return candidate ? PF_BRANCH_CANDIDATE : PF_BRANCH_COUNTED;
}

const struct pf_branch_entry *pf_branch_buffer_find(const struct pf_branch_buffer *b, uint64_t key, uint64_t target)
{
	const struct pf_branch_entry *entry = place(b, key, target);

	return entry && entry->used ? entry : NULL;
}

void pf_branch_buffer_refresh(struct pf_branch_buffer *b)
{
	for (uint32_t i = 0; i < b->sets * b->ways; i++)
		b->entries[i].used = b->entries[i].candidate;
}

void pf_branch_buffer_refresh_arcs(struct pf_branch_buffer *arcs, const struct pf_branch_buffer *of)
{
	for (uint32_t i = 0; i < arcs->sets * arcs->ways; i++) {
		struct pf_branch_entry *arc = &arcs->entries[i];
		const struct pf_branch_entry *branch = arc->used ? pf_branch_buffer_find(of, arc->key, 0) : NULL;

		arc->used = branch && branch->candidate;
	}
}

void pf_branch_buffer_clear(struct pf_branch_buffer *b)
{
	memset(b->entries, 0, (size_t)b->sets * b->ways * sizeof *b->entries);
}
