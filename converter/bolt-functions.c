/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See bolt-functions.h.  The hard case is the number of a local name: BOLT goes over all symbols in memory by address,
 * functions in front of others, and counts the local ones of each name; so data count as well.  A symbol within a
 * function that began before is no function, and one without a size reaches to the next. */
#include "converter/bolt-functions.h"
#include "support/cursor.h"
#include "support/search.h"

#include <elf.h>
#include <inttypes.h>

struct symbol {
	uint64_t address, size;
	const char *name;
	size_t order; /* in the table; later by address */
	uint32_t number;
	uint16_t section;
	bool function, local;
};

struct symbols {
	PF_ARRAY(struct symbol) list;
	PF_ARRAY(struct symbol *) locals;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->function != y->function)
		return x->function ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_names(const void *a, const void *b)
{
	const struct symbol *x = *(const struct symbol *const *)a, *y = *(const struct symbol *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : x < y ? -1 : x > y;
}

/* The string at OFFSET of SIZE BYTES; "" if there is none. */
static const char *string_at(const uint8_t *bytes, uint64_t size, uint64_t offset)
{
	return offset < size && memchr(bytes + offset, 0, size - offset) ? (const char *)bytes + offset : "";
}

static bool is_in_memory(const struct pf_elf *elf, const struct symbol *s, uint8_t type)
{
	return s->address > 0 && *s->name && s->section < elf->sections.count &&
	       (elf->sections.at[s->section].flags & SHF_ALLOC) &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT || type == STT_NOTYPE);
}

static int read_symbols(struct pf_elf *elf, struct symbols *symbols, struct pf_error *error)
{
	struct pf_elf_section *table = pf_elf_find(elf, ".symtab"), *strings = NULL;
	const uint8_t *bytes, *names;
	uint64_t size, names_size;
	struct pf_cursor c;
	int status;

	if (table && table->type == SHT_SYMTAB && table->link < elf->sections.count)
		strings = &elf->sections.at[table->link];
	if (!strings)
		return pf_fail(error, PF_EEMPTY, "%s: has no symbols, by which BOLT knows functions; do not strip it",
			       elf->path);
	status = pf_elf_contents(elf, table, &bytes, &size, error);
	if (status == PF_OK)
		status = pf_elf_contents(elf, strings, &names, &names_size, error);
	if (status < 0)
		return status;
	c = pf_cursor_over(bytes, size, table->offset);
	for (size_t order = 0; pf_cursor_left(&c) >= sizeof(Elf64_Sym); order++) {
		struct symbol s = { .order = order }, *new;
		uint8_t info;

		s.name = string_at(names, names_size, pf_cursor_u32(&c));
		info = pf_cursor_u8(&c);
		s.section = (pf_cursor_u8(&c), pf_cursor_u16(&c));
		s.address = pf_cursor_u64(&c);
		s.size = pf_cursor_u64(&c);
		s.function = ELF64_ST_TYPE(info) == STT_FUNC || ELF64_ST_TYPE(info) == STT_GNU_IFUNC;
		s.local = ELF64_ST_BIND(info) == STB_LOCAL;
		if (!is_in_memory(elf, &s, ELF64_ST_TYPE(info)))
			continue;
		new = pf_array_push(&symbols->list);
		if (!new)
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", elf->path);
		*new = s;
	}
	pf_array_sort(&symbols->list, compare_addresses);
	return PF_OK;
}

static int number_locals(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->list.count; i++) {
		struct symbol **new = symbols->list.at[i].local ? pf_array_push(&symbols->locals) : NULL;

		if (new)
			*new = &symbols->list.at[i];
		else if (symbols->list.at[i].local)
			return PF_ENOMEM;
	}
	pf_array_sort(&symbols->locals, compare_names);
	for (size_t i = 0; i < symbols->locals.count; i++) {
		struct symbol *s = symbols->locals.at[i];
		const struct symbol *before = i > 0 ? symbols->locals.at[i - 1] : NULL;

		s->number = before && strcmp(before->name, s->name) == 0 ? before->number + 1 : 1;
	}
	return PF_OK;
}

/* Whether a function begins at S; LAST is the one before. */
static bool begins(const struct pf_elf *elf, const struct symbol *s, const struct pf_bolt_function *last)
{
	if (!(elf->sections.at[s->section].flags & SHF_EXECINSTR))
		return false;
	if (!last)
		return true;
	return s->address != last->start && s->address >= last->end &&
	       (s->function || !s->local || last->end > last->start);
}

/* The last function, which says no size, reaches to NEXT or the end of its section. */
static void close_function(const struct pf_elf *elf, struct pf_bolt_function *last, uint64_t next)
{
	if (last->end > last->start)
		return;
	last->end = next;
	for (size_t i = 0; i < elf->sections.count; i++) {
		const struct pf_elf_section *s = &elf->sections.at[i];

		if ((s->flags & SHF_ALLOC) && last->start >= s->address && last->start - s->address < s->size &&
		    next - s->address > s->size)
			last->end = s->address + s->size;
	}
}

static int list_functions(const struct pf_elf *elf, const struct symbols *symbols, struct pf_bolt_functions *f)
{
	struct pf_bolt_function *last = NULL;

	for (size_t i = 0; i < symbols->list.count; i++) {
		const struct symbol *s = &symbols->list.at[i];

		if (!begins(elf, s, last))
			continue;
		if (last)
			close_function(elf, last, s->address);
		last = pf_array_push(&f->list);
		if (!last)
			return PF_ENOMEM;
		*last = (struct pf_bolt_function) { s->address, s->address, s->name, s->number };
		if (s->size <= UINT64_MAX - s->address)
			last->end += s->size;
	}
	if (last)
		close_function(elf, last, UINT64_MAX);
	return PF_OK;
}

int pf_bolt_functions_read(struct pf_elf *elf, struct pf_bolt_functions *f, struct pf_error *error)
{
	struct symbols symbols = { 0 };
	int status = read_symbols(elf, &symbols, error);

	if (status == PF_OK && (number_locals(&symbols) < 0 || list_functions(elf, &symbols, f) < 0))
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", elf->path);
	pf_array_fini(&symbols.list);
	pf_array_fini(&symbols.locals);
	return status;
}

void pf_bolt_functions_fini(struct pf_bolt_functions *f)
{
	pf_array_fini(&f->list);
}

const struct pf_bolt_function *pf_bolt_functions_at(const struct pf_bolt_functions *f, uint64_t address)
{
	struct pf_search search = pf_search_over(f->list.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, f->list.at[search.middle].start <= address);
	return search.low > 0 && address < f->list.at[search.low - 1].end ? &f->list.at[search.low - 1] : NULL;
}

void pf_bolt_function_print(struct pf_buffer *out, const struct pf_bolt_function *f)
{
	for (const char *c = f->name; *c; c++) {
		if (*c == ' ' || *c == '\\')
			pf_buffer_u8(out, '\\');
		pf_buffer_u8(out, (uint8_t)*c);
	}
	if (f->number > 0)
		pf_buffer_printf(out, "/%" PRIu32, f->number);
}
