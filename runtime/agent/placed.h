/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the parts of a loaded file are.  What is added to its addresses is that of its ELF header only for files that
 * are linked at 0, as by default; for one that is linked elsewhere it may lead nowhere, or be negative. */
#ifndef PF_RUNTIME_AGENT_PLACED_H
#define PF_RUNTIME_AGENT_PLACED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t pf_placed_apart(uint64_t one, uint64_t other)
{
	return one < other ? other - one : one - other;
}

/* What VALUE of the file's DYNAMIC section leads to, which lies in the same file, so near to it: glibc's loader has
 * added BIAS to these values, others have not. */
static inline uint64_t pf_placed_at(uint64_t bias, const ElfW(Dyn) * dynamic, uint64_t value)
{
	uint64_t here = (uint64_t)dynamic;

	return pf_placed_apart(value, here) <= pf_placed_apart(value + bias, here) ? value : value + bias;
}

/* The lowest of the tables by which the loader finds symbols; linkers put them first, behind headers and notes. */
static inline uint64_t pf_placed_lowest(uint64_t bias, const ElfW(Dyn) * dynamic)
{
	uint64_t lowest = (uint64_t)dynamic;

	for (const ElfW(Dyn) *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++) {
		uint64_t at;

		if (entry->d_tag != DT_HASH && entry->d_tag != DT_GNU_HASH && entry->d_tag != DT_SYMTAB &&
		    entry->d_tag != DT_STRTAB)
			continue;
		at = pf_placed_at(bias, dynamic, entry->d_un.d_ptr);
		lowest = at < lowest ? at : lowest;
	}
	return lowest;
}

/* Whether what an ELF HEADER begins has that section there. */
static inline bool pf_placed_has(const ElfW(Ehdr) * header, uint64_t bias, const ElfW(Dyn) * dynamic)
{
	const ElfW(Phdr) *segments = (const void *)((uint64_t)header + header->e_phoff);

	if (header->e_phentsize != sizeof *segments)
		return false;
	for (unsigned int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			return bias + segments[i].p_vaddr == (uint64_t)dynamic;
	return false;
}

#endif
