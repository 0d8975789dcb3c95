/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pointers of the loader lead to memcpy and its kin.  A program calls them through a slot that the loader fills,
 * and a relocation names the slot's function: so a call is known by the slot that it goes through, whatever the C
 * library chose to put there, and before it was called at all.  Hard case: a program with very many relocations, at
 * which only the first are looked at; relative ones, the most by far, are said to come first, and are passed over. */
#include "runtime/agent/modules.h"
#include "runtime/agent/placed.h"

#include <elf.h>
#include <link.h>

#define MOST_RELOCATIONS 16384u

struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * plt, *other;
	uint64_t plt_size, other_size, relative; /* bytes, bytes, number */
};

static struct tables read_tables(uint64_t bias, const ElfW(Dyn) * dynamic)
{
	struct tables t = { 0 };

	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		const void *at = (const void *)pf_placed_at(bias, dynamic, entry->d_un.d_ptr);

		if (entry->d_tag == DT_SYMTAB)
			t.symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			t.strings = at;
		else if (entry->d_tag == DT_JMPREL)
			t.plt = at;
		else if (entry->d_tag == DT_PLTRELSZ)
			t.plt_size = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELA)
			t.other = at;
		else if (entry->d_tag == DT_RELASZ)
			t.other_size = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELACOUNT)
			t.relative = entry->d_un.d_val;
	}
	return t;
}

static bool is_string_function(const char *name)
{
	static const char names[][8] = { "memcpy", "memmove", "memset", "mempcpy", "memcmp" };

	for (unsigned int i = 0; i < sizeof names / sizeof *names; i++) {
		unsigned int k = 0;

		while (names[i][k] && names[i][k] == name[k])
			k++;
		if (!names[i][k] && !name[k])
			return true;
	}
	return false;
}

static void look_at(struct pf_modules *modules, uint64_t bias, const struct tables *t, const ElfW(Rela) * from,
		    uint64_t count)
{
	for (uint64_t i = 0; i < count && i < MOST_RELOCATIONS; i++) {
		uint64_t type = ELF64_R_TYPE(from[i].r_info);

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    !is_string_function(t->strings + t->symbols[ELF64_R_SYM(from[i].r_info)].st_name))
			continue;
		if (modules->string_slot_count == PF_MAX_STRING_SLOTS)
			return;
		modules->string_slots[modules->string_slot_count++] = bias + from[i].r_offset;
	}
}

void pf_modules_note_slots(struct pf_modules *modules, uint64_t bias, const void *dynamic)
{
	struct tables t = read_tables(bias, dynamic);
	uint64_t other = t.other_size / sizeof *t.other;

	if (!t.symbols || !t.strings)
		return;
	if (t.plt)
		look_at(modules, bias, &t, t.plt, t.plt_size / sizeof *t.plt);
	if (t.other && other > t.relative)
		look_at(modules, bias, &t, t.other + t.relative, other - t.relative);
}

bool pf_modules_is_string_slot(const struct pf_modules *modules, uint64_t address)
{
	for (uint32_t i = 0; i < modules->string_slot_count; i++)
		if (modules->string_slots[i] == address)
			return true;
	return false;
}
