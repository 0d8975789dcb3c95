/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See relocations.h.  Linkers put those of jump slots into a section of their own, and relative ones in front of all
 * others, either by address.  The hard case is a binary in which they do not: there nothing is found. */
#include "analysis/relocations.h"
#include "support/cursor.h"
#include "support/search.h"

#include <elf.h>

/* SIZE bytes of the file at OFFSET; none if they are not in it. */
static struct pf_cursor bytes_of(const struct pf_elf *elf, uint64_t offset, uint64_t size)
{
	bool inside = offset <= elf->size && size <= elf->size - offset;

	return pf_cursor_over(inside ? elf->bytes + offset : NULL, inside ? size : 0, offset);
}

static struct pf_relocation relocation_of(const struct pf_elf *elf, const struct pf_elf_section *s, uint64_t index)
{
	struct pf_cursor c = bytes_of(elf, s->offset + index * sizeof(Elf64_Rela), sizeof(Elf64_Rela));
	struct pf_relocation r = { .section = s };
	uint64_t info;

	r.address = pf_cursor_u64(&c);
	info = pf_cursor_u64(&c);
	r.type = ELF64_R_TYPE(info);
	r.symbol = ELF64_R_SYM(info);
	r.addend = pf_cursor_u64(&c);
	return r;
}

bool pf_relocation_find(const struct pf_elf *elf, uint32_t type, uint64_t address, struct pf_relocation *found)
{
	for (size_t i = 0; i < elf->sections.count; i++) {
		const struct pf_elf_section *s = &elf->sections.at[i];
		struct pf_search search = { 0 };

		if (s->type == SHT_RELA && s->flags & SHF_ALLOC && s->offset <= elf->size &&
		    s->size <= elf->size - s->offset)
			search = pf_search_over(s->size / sizeof(Elf64_Rela));
		while (pf_search_goes_on(&search)) {
			*found = relocation_of(elf, s, search.middle);
			if (found->type == type && found->address == address)
				return true;
			pf_search_step(&search, found->type == type && found->address < address);
		}
	}
	return false;
}

const char *pf_relocation_name(const struct pf_elf *elf, const struct pf_relocation *r)
{
	const struct pf_elf_section *all = elf->sections.at, *symbols;
	struct pf_cursor c;
	const char *name;
	uint32_t offset;

	if (r->section->link >= elf->sections.count || all[r->section->link].link >= elf->sections.count)
		return "";
	symbols = &all[r->section->link];
	c = bytes_of(elf, symbols->offset, symbols->size);
	pf_cursor_bytes(&c, r->symbol * sizeof(Elf64_Sym));
	offset = pf_cursor_u32(&c);
	if (c.failed)
		return "";
	c = bytes_of(elf, all[symbols->link].offset, all[symbols->link].size);
	pf_cursor_bytes(&c, offset);
	name = pf_cursor_string(&c);
	return name ? name : "";
}
