/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See owners.h.  The hard cases are the linkers'.  What N units instantiate is there once, and GNU ld and gold let the
 * debug information of all N point to it: it belongs to the first, whose copy linkers keep, and counts once.  What they
 * left out keeps its debug information, at an address near 0, where a position-independent program can have other
 * code: such a range begins in front of all code, or runs over the end of it, and is nobody's. */
#include "converter/owners.h"
#include "support/search.h"

#include <elf.h>

static int add_area(struct pf_owners *owners, uint64_t start, uint64_t size)
{
	struct pf_code_area *new = size > 0 && start <= UINT64_MAX - size ? pf_array_push(&owners->areas) : NULL;

	if (!new)
		return size > 0 && start <= UINT64_MAX - size ? PF_ENOMEM : PF_OK;
	*new = (struct pf_code_area) { .start = start, .end = start + size };
	return PF_OK;
}

static int add_sections(struct pf_owners *owners, const struct pf_elf *binary)
{
	const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
	int status = PF_OK;

	for (size_t i = 0; i < binary->sections.count && status == PF_OK; i++) {
		const struct pf_elf_section *s = &binary->sections.at[i];
		uint64_t left;

		if ((s->flags & wanted) == wanted && s->type != SHT_NOBITS && pf_elf_code(binary, s->address, &left))
			status = add_area(owners, s->address, s->size < left ? s->size : left);
	}
	return status;
}

static int add_segments(struct pf_owners *owners, const struct pf_elf *binary)
{
	int status = PF_OK;

	for (size_t i = 0; i < binary->segments.count && status == PF_OK; i++) {
		const struct pf_elf_segment *s = &binary->segments.at[i];
		uint64_t headers = s->offset < binary->headers_end ? binary->headers_end - s->offset : 0;

		if (s->executable && headers < s->file_size)
			status = add_area(owners, s->address + headers, s->file_size - headers);
	}
	return status;
}

static int compare_areas(const void *a, const void *b)
{
	const struct pf_code_area *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* Sorts the areas; one that a damaged file lays over another begins behind it. */
static int finish_areas(struct pf_owners *owners)
{
	size_t kept = 0;
	uint64_t reached = 0;

	pf_array_sort(&owners->areas, compare_areas);
	for (size_t i = 0; i < owners->areas.count; i++) {
		struct pf_code_area area = owners->areas.at[i];

		area.start = area.start < reached ? reached : area.start;
		if (area.start >= area.end)
			continue;
		reached = area.end;
		owners->areas.at[kept++] = area;
	}
	owners->areas.count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct pf_code_area *area = &owners->areas.at[i];

		area->owned = calloc((area->end - area->start) / 64 + 1, sizeof *area->owned);
		if (!area->owned)
			return PF_ENOMEM;
	}
	return PF_OK;
}

int pf_owners_init(struct pf_owners *owners, const struct pf_elf *binary)
{
	int status;

	*owners = (struct pf_owners) { 0 };
	status = add_sections(owners, binary);
	if (status == PF_OK && owners->areas.count == 0)
		status = add_segments(owners, binary);
	if (status == PF_OK)
		status = finish_areas(owners);
	if (status < 0)
		pf_owners_fini(owners);
	return status;
}

void pf_owners_fini(struct pf_owners *owners)
{
	for (size_t i = 0; i < owners->areas.count; i++)
		free(owners->areas.at[i].owned);
	pf_array_fini(&owners->areas);
}

static struct pf_code_area *area_of(const struct pf_owners *owners, uint64_t address)
{
	struct pf_search search = pf_search_over(owners->areas.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, owners->areas.at[search.middle].end <= address);
	return search.low < owners->areas.count && owners->areas.at[search.low].start <= address
		   ? &owners->areas.at[search.low]
		   : NULL;
}

bool pf_owners_is_code(const struct pf_owners *owners, uint64_t address)
{
	return area_of(owners, address) != NULL;
}

/* The bits of word number WORD that belong to [FIRST, END). */
static uint64_t bits_of(uint64_t word, uint64_t first, uint64_t end)
{
	uint64_t bits = UINT64_MAX;

	if (word == first / 64)
		bits &= UINT64_MAX << (first % 64);
	if (word == (end - 1) / 64)
		bits &= UINT64_MAX >> (63 - (end - 1) % 64);
	return bits;
}

bool pf_owners_claim(struct pf_owners *owners, uint64_t start, uint64_t end)
{
	struct pf_code_area *area = area_of(owners, start);
	uint64_t first, last;

	if (!area || start >= end || end > area->end)
		return false;
	first = start - area->start;
	last = end - area->start;
	for (uint64_t word = first / 64; word <= (last - 1) / 64; word++) {
		if (area->owned[word] & bits_of(word, first, last))
			return false;
	}
	for (uint64_t word = first / 64; word <= (last - 1) / 64; word++)
		area->owned[word] |= bits_of(word, first, last);
	return true;
}
