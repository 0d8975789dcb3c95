/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols behind the recorder's own.  dlsym would take the loader's lock, which a thread may hold that waits for the
 * very call that is to be passed on (a plug-in's constructor that starts a thread); so the tables of the loaded
 * libraries are read where they lie in memory.  For the same reason, and so that another C library's loader finds
 * nothing missing in it, this library needs no other one.  The hard case: the list may be changed by another thread
 * meanwhile; but what is asked for is in the libraries that came with the program, at its front, and those stay. */
#include "runtime/agent/next.h"
#include "runtime/agent/placed.h"

#include <elf.h>
#include <stddef.h>

#define MOST_MAPS 4096
#define VERSION_HIDDEN 0x8000

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static const ElfW(auxv_t) * auxiliary;
static const void *version; /* a function of glibc's own; NULL in another C library */

/* One library's dynamic symbols. */
struct symbols {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash, *hash;
	const uint16_t *versions;
};

void pf_next_start(const ElfW(auxv_t) * vector)
{
	auxiliary = vector;
}

unsigned long pf_next_auxiliary(unsigned long type)
{
	for (const ElfW(auxv_t) *entry = auxiliary; entry && entry->a_type != AT_NULL; entry++)
		if (entry->a_type == type)
			return entry->a_un.a_val;
	return 0;
}

static bool same(const char *one, const char *other)
{
	while (*one && *one == *other)
		one++, other++;
	return *one == *other;
}

static bool read_symbols(const struct link_map *map, struct symbols *s)
{
	*s = (struct symbols) { 0 };
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
		const void *place = (const void *)pf_placed_at(map->l_addr, map->l_ld, entry->d_un.d_ptr);
		if (entry->d_tag == DT_SYMTAB)
			s->symbols = place;
		else if (entry->d_tag == DT_STRTAB)
			s->strings = place;
		else if (entry->d_tag == DT_GNU_HASH)
			s->gnu_hash = place;
		else if (entry->d_tag == DT_HASH)
			s->hash = place;
		else if (entry->d_tag == DT_VERSYM)
			s->versions = place;
	}
	return s->symbols && s->strings && (s->gnu_hash || s->hash);
}

static const ElfW(Sym) * match(const struct symbols *s, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &s->symbols[index];
	if (symbol->st_shndx == SHN_UNDEF || !same(s->strings + symbol->st_name, name))
		return NULL;
	return s->versions && s->versions[index] & VERSION_HIDDEN ? NULL : symbol;
}

static const ElfW(Sym) * find_gnu(const struct symbols *s, const char *name)
{
	const uint32_t *table = s->gnu_hash, buckets = table[0], first = table[1], words = table[2];
	const uint32_t *bucket = table + 4 + words * (sizeof(ElfW(Addr)) / 4), *chain = bucket + buckets;
	uint32_t hash = 5381;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	uint32_t index = buckets ? bucket[hash % buckets] : 0;
	for (; index >= first; index++) {
		uint32_t value = chain[index - first];
		const ElfW(Sym) *found = (value | 1) == (hash | 1) ? match(s, index, name) : NULL;
		if (found)
			return found;
		if (value & 1)
			break;
	}
	return NULL;
}

static const ElfW(Sym) * find_old(const struct symbols *s, const char *name)
{
	const uint32_t *table = s->hash, buckets = table[0], *bucket = table + 2, *chain = bucket + buckets;
	uint32_t hash = 0;
	for (const char *c = name; *c; c++) {
		hash = (hash << 4) + (uint8_t)*c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	for (uint32_t index = buckets ? bucket[hash % buckets] : 0; index; index = chain[index]) {
		const ElfW(Sym) *found = match(s, index, name);
		if (found)
			return found;
	}
	return NULL;
}

static void *find_in(const struct link_map *map, const char *name)
{
	struct symbols s;
	if (!read_symbols(map, &s))
		return NULL;
	const ElfW(Sym) *found = s.gnu_hash ? find_gnu(&s, name) : find_old(&s, name);
	if (!found)
		return NULL;
	uint8_t *place = (uint8_t *)map->l_addr + found->st_value;
	if (ELF64_ST_TYPE(found->st_info) == STT_GNU_IFUNC)
		return ((void *(*)(void))(void *)place)();
	return place;
}

void *pf_next_find(const char *name)
{
	const struct pf_debug *debug = pf_next_debug();
	const struct link_map *map = debug ? debug->base.r_map : NULL;
	bool behind = !pf_next_is_listed;
	for (int n = 0; map && n < MOST_MAPS; n++, map = map->l_next) {
		void *found = behind ? find_in(map, name) : NULL;
		if (found)
			return found;
		behind |= map->l_addr == (ElfW(Addr)) & __ehdr_start;
	}
	return NULL;
}

void *pf_next_find_at(uint64_t base, const char *name)
{
	const ElfW(Ehdr) *header = (const void *)base;
	const ElfW(Phdr) *segment = (const void *)(base + header->e_phoff);
	struct link_map map = { .l_addr = base };
	for (int i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_DYNAMIC)
			map.l_ld = (void *)(base + segment[i].p_vaddr);
	return map.l_ld ? find_in(&map, name) : NULL;
}

const char *pf_next_own_name(void)
{
	const struct pf_debug *debug = pf_next_debug();
	const struct link_map *map = debug ? debug->base.r_map : NULL;
	for (int n = 0; map && n < MOST_MAPS; n++, map = map->l_next)
		if (map->l_addr == (ElfW(Addr)) & __ehdr_start)
			return map->l_name;
	return "";
}

bool pf_next_is_glibc(void)
{
	version = pf_next_find("gnu_get_libc_version");
	return version != NULL;
}

bool pf_next_is_libc(const void *function)
{
	/* Both are in libc.so.6, and the text of a library is followed by its own data, in which its dynamic section
	 * is. */
	const struct pf_debug *debug = pf_next_debug();
	const struct link_map *best = NULL, *libc = NULL, *map = debug ? debug->base.r_map : NULL;
	for (int n = 0; map && n < MOST_MAPS; n++, map = map->l_next) {
		if (map->l_ld >= (ElfW(Dyn) *)function && (!best || map->l_ld < best->l_ld))
			best = map;
		if (map->l_ld >= (ElfW(Dyn) *)version && (!libc || map->l_ld < libc->l_ld))
			libc = map;
	}
	return best == libc;
}

const int64_t *pf_next_rseq_offset(void)
{
	static const int64_t *found;
	static bool looked;
	if (!looked) {
		/* It is the loader's: no other library is to be read, as one may have protected its tables. */
		uint64_t loader = pf_next_auxiliary(AT_BASE);
		found = loader ? pf_next_find_at(loader, "__rseq_offset") : pf_next_find("__rseq_offset");
		looked = true;
	}
	return found;
}
