/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See program.h.  The hard case is names: of several versions of a function, and of what only its file sees, debug
 * information has less than the symbol at the entry. */
#include "converter/program.h"
#include "support/filename.h"
#include "support/outfile.h"
#include "support/search.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define RECORDER "libpathfdo-recorder.so"

bool pf_program_is_recorder(const char *path)
{
	return strcmp(pf_filename_base(path), RECORDER) == 0;
}

int pf_program_spare(const struct pf_program_module *m, const char *output, struct pf_error *error)
{
	int status = pf_binary_spare(&m->binary, output, error);

	for (size_t i = 0; i < m->source.split.count && status == PF_OK; i++)
		status = pf_outfile_spares(output, m->source.split.at[i], error);
	return status;
}

void pf_program_fini(struct pf_program *p)
{
	for (uint32_t i = 0; p->modules && i < p->traffic->modules.count; i++) {
		struct pf_program_module *m = &p->modules[i];

		pf_source_fini(&m->source);
		pf_binary_close(&m->binary);
		pf_array_fini(&m->jumps);
		pf_array_fini(&m->arrivals);
		pf_array_fini(&m->levels);
		pf_array_fini(&m->touched);
		pf_array_fini(&m->extents);
		pf_array_fini(&m->samples);
		pf_array_fini(&m->values);
	}
	free(p->modules);
	free(p->edges);
	*p = (struct pf_program) { 0 };
}

bool pf_program_address(const struct pf_program *p, uint32_t module, uint64_t offset, uint64_t *address)
{
	const struct pf_elf *elf = module == PF_NO_MODULE ? NULL : &p->modules[module].binary.elf;
	uint64_t left;

	if (!elf || !elf->path)
		return false;
	if (!p->traffic->modules.at[module].unnamed)
		return pf_elf_address(elf, offset, address);
	*address = offset;
	return pf_elf_code(elf, offset, &left) != NULL;
}

static int compare_extents(const void *a, const void *b)
{
	const struct pf_extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

int pf_program_list_extents(struct pf_program_module *m)
{
	for (uint32_t i = 0; i < m->source.functions.count; i++) {
		const struct pf_source_function *f = &m->source.functions.at[i];
		const struct pf_source_node *root = &f->nodes.at[0];

		for (uint32_t k = 0; k < root->range_count; k++) {
			const struct pf_range *range = &f->ranges.at[root->first_range + k];
			struct pf_extent *new = pf_array_push(&m->extents);

			if (!new)
				return PF_ENOMEM;
			*new = (struct pf_extent) { range->start, range->end, i };
		}
	}
	pf_array_sort(&m->extents, compare_extents);
	return PF_OK;
}

uint32_t pf_program_function(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->extents.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->extents.at[search.middle].start <= address);
	return search.low > 0 && address < m->extents.at[search.low - 1].end ? m->extents.at[search.low - 1].function
									     : UINT32_MAX;
}

/* Of a function with several targets (target_clones) debug information has the source's name for all versions; their
 * symbols tell them apart by a word behind a dot.  (A mere number tells nested functions of one name apart.) */
static bool is_version(const char *symbol, size_t length, const char *name)
{
	size_t common = strlen(name);

	return length > common + 1 && strncmp(symbol, name, common) == 0 && symbol[common] == '.' &&
	       isalpha((unsigned char)symbol[common + 1]);
}

static bool is_plain(const char *name)
{
	for (; isalnum((unsigned char)*name) || *name == '_'; name++)
		;
	return !*name;
}

/* Whether the plain NAME stands in the mangled SYMBOL, behind its length.  A digit before that is of another length,
 * but in what is in a namespace without a name. */
static bool has_name(const char *symbol, const char *name)
{
	static const char nameless[] = "_GLOBAL__N_1";
	char number[24];
	int digits = snprintf(number, sizeof number, "%zu", strlen(name));

	for (const char *at = strstr(symbol, name); at; at = strstr(at + 1, name)) {
		ptrdiff_t before = at - digits - symbol, inside = before - (ptrdiff_t)strlen(nameless);

		if (before > 0 && memcmp(symbol + before, number, (size_t)digits) == 0 &&
		    (!isdigit((unsigned char)symbol[before - 1]) ||
		     (inside > 0 && memcmp(symbol + inside, nameless, strlen(nameless)) == 0)))
			return true;
	}
	return false;
}

/* Whether SYMBOL can be that of what the source calls NAME, and debug information has no linkage name of: what only its
 * file sees.  Functions with the same code, which the compiler makes one of, too, have all their symbols at one
 * address, those that others see first. */
static bool is_mangled(const char *symbol, const char *name)
{
	const char *plain = name + (*name == '~');

	if (strncmp(symbol, "_Z", 2) != 0 || strncmp(name, "_Z", 2) == 0)
		return false;
	if (strcmp(name, "operator()") == 0)
		return strstr(symbol, "cl") != NULL;
	return !is_plain(plain) || has_name(symbol, plain);
}

const char *pf_program_name(const struct pf_program_module *m, uint32_t function, size_t *length)
{
	const struct pf_source_node *root = &m->source.functions.at[function].nodes.at[0];
	const char *name = m->source.origins.at[root->origin].name;
	const struct pf_elf *elf = &m->binary.elf;
	const struct pf_elf_symbol *symbol = pf_elf_symbol_at(elf, root->entry);

	for (; symbol && symbol < elf->symbols.at + elf->symbols.count && symbol->address == root->entry; symbol++) {
		*length = pf_name_elide(symbol->name);
		if (is_mangled(symbol->name, name) || is_version(symbol->name, *length, name))
			return symbol->name;
	}
	*length = strlen(name);
	return name;
}

size_t pf_program_first_jump(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->jumps.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->jumps.at[search.middle].from < address);
	return search.low;
}

size_t pf_program_first_arrival(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->arrivals.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->arrivals.at[search.middle].to < address);
	return search.low;
}

uint64_t pf_program_level(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->levels.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->levels.at[search.middle].address <= address);
	return search.low > 0 ? m->levels.at[search.low - 1].sum : 0;
}
