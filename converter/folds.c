/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See folds.h.  The hard case is what looks the same and is harmless: an alias in the source and the two symbols of a
 * constructor are names of one body, and only a function of its own has code in the debug information (which gold leads
 * to the code that was kept, and lld to nowhere). */
#include "converter/folds.h"
#include "support/buffer.h"
#include "support/search.h"

#include <ctype.h>

/* Of the two symbols that a constructor or a destructor has (C1 and C2, D1 and D2). */
static bool are_twins(const struct pf_fold *a, const struct pf_fold *b)
{
	size_t i = 0;

	if (a->length != b->length || strncmp(a->name, "_Z", 2) != 0 || strncmp(b->name, "_Z", 2) != 0)
		return false;
	while (i < a->length && a->name[i] == b->name[i])
		i++;
	return i == a->length ||
	       ((a->name[i - 1] == 'C' || a->name[i - 1] == 'D') && isdigit((unsigned char)a->name[i]) &&
		isdigit((unsigned char)b->name[i]) && memcmp(a->name + i + 1, b->name + i + 1, a->length - i - 1) == 0);
}

static int compare_names(const void *a, const void *b)
{
	const struct pf_fold *x = a, *y = b;
	size_t length = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->name, y->name, length);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

static int compare_addresses(const void *a, const void *b)
{
	const struct pf_fold *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return compare_names(a, b);
}

/* GNU ld folds nothing and leaves no word of itself; the others do. */
static bool may_fold(struct pf_elf *binary)
{
	static const char *const linkers[] = { "LLD", "mold" };
	struct pf_elf_section *comment = pf_elf_find(binary, ".comment");
	const uint8_t *bytes;
	struct pf_error ignored;
	uint64_t size;

	if (pf_elf_find(binary, ".note.gnu.gold-version"))
		return true;
	if (!comment || pf_elf_contents(binary, comment, &bytes, &size, &ignored) < 0)
		return false;
	for (size_t i = 0; i < sizeof linkers / sizeof linkers[0]; i++) {
		if (memmem(bytes, size, linkers[i], strlen(linkers[i])))
			return true;
	}
	return false;
}

static bool touches(const uint64_t *touched, size_t count, const struct pf_elf_symbol *symbol)
{
	struct pf_search search = pf_search_over(count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, touched[search.middle] < symbol->address);
	return search.low < count && touched[search.low] - symbol->address < symbol->size;
}

/* So many of an address are looked at for a name that is there already: where there are more, it is folded anyway. */
#define NEIGHBOURS 256

/* Adds the name of SYMBOL unless one of those from FIRST on, which are at the same address, is its own or its twin. */
static bool add_name(struct pf_folds *folds, size_t first, const struct pf_elf_symbol *symbol)
{
	struct pf_fold fold = { .address = symbol->address, .name = symbol->name }, *new;

	if (folds->names.count - first > NEIGHBOURS)
		first = folds->names.count - NEIGHBOURS;
	fold.length = strcspn(symbol->name, ".@");
	for (size_t i = first; i < folds->names.count; i++) {
		if (compare_names(&folds->names.at[i], &fold) == 0 || are_twins(&folds->names.at[i], &fold))
			return true;
	}
	new = fold.length > 0 ? pf_array_push(&folds->names) : NULL;
	if (new)
		*new = fold;
	return new || fold.length == 0;
}

int pf_folds_find(struct pf_folds *folds, const struct pf_debug_files *files, const uint64_t *touched, size_t count)
{
	const struct pf_elf *binary = files->binary;
	size_t end;

	/* Packages strip the linker's word from the binary. */
	if (!may_fold(files->binary) && !may_fold(files->debug))
		return PF_OK;
	for (size_t i = 0; i < binary->symbols.count; i = end) {
		const struct pf_elf_symbol *symbols = binary->symbols.at;
		size_t first = folds->names.count;
		bool ran = false;

		for (end = i; end < binary->symbols.count && symbols[end].address == symbols[i].address; end++)
			ran |= symbols[end].sized && touches(touched, count, &symbols[end]);
		for (size_t k = i; k < end && ran; k++) {
			if (symbols[k].sized && !add_name(folds, first, &symbols[k]))
				return PF_ENOMEM;
		}
		if (folds->names.count - first < 2)
			folds->names.count = first;
	}
	pf_array_sort(&folds->names, compare_names);
	return PF_OK;
}

void pf_folds_confirm(struct pf_folds *folds, const char *name)
{
	struct pf_fold key = { .name = name, .length = strcspn(name, ".@") };
	struct pf_search search = pf_search_over(folds->names.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, compare_names(&folds->names.at[search.middle], &key) < 0);
	/* Static functions of one name are at several addresses, and which of them has the code is not known. */
	for (size_t i = search.low; i < folds->names.count && compare_names(&folds->names.at[i], &key) == 0; i++)
		folds->names.at[i].body = true;
}

/* Adds those from FIRST to END, which are one. */
static int add_function(const struct pf_folds *folds, size_t first, size_t end, struct pf_source *source)
{
	struct pf_buffer names = { 0 };
	struct pf_source_fold *new = pf_array_push(&source->folds);

	for (size_t i = first; i < end; i++)
		pf_buffer_printf(&names, "%s%.*s", i > first ? " and " : "", (int)folds->names.at[i].length,
				 folds->names.at[i].name);
	pf_buffer_u8(&names, 0);
	if (!new || names.failed) {
		pf_buffer_fini(&names);
		return PF_ENOMEM;
	}
	new->address = folds->names.at[first].address;
	new->names = pf_source_keep(source, (char *)names.data);
	return new->names ? PF_OK : PF_ENOMEM;
}

int pf_folds_settle(struct pf_folds *folds, struct pf_source *source)
{
	size_t kept = 0, end;
	int status = PF_OK;

	for (size_t i = 0; i < folds->names.count; i++) {
		if (folds->names.at[i].body)
			folds->names.at[kept++] = folds->names.at[i];
	}
	folds->names.count = kept;
	pf_array_sort(&folds->names, compare_addresses);
	for (size_t i = 0; i < kept && status == PF_OK; i = end) {
		for (end = i + 1; end < kept && folds->names.at[end].address == folds->names.at[i].address;)
			end++;
		if (end - i > 1)
			status = add_function(folds, i, end, source);
	}
	return status;
}

void pf_folds_fini(struct pf_folds *folds)
{
	pf_array_fini(&folds->names);
}
