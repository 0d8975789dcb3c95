/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The string table of an afdo file.  Hard case: names that are different here and the same to GCC, which cuts them at
 * the first dot both in the file and in its own symbols ("nested.0", "nested.1").  Were they written twice, GCC
 * would know the last one only, and what the other one had would never be found.  A profile names a function as often
 * as it is called, always by one and the same string, so strings are told apart by address before any is compared. */
#include "profile/gcov-names.h"

#include <stdlib.h>
#include <string.h>

size_t pf_gcov_name_length(const char *name)
{
	return strcspn(name, ".");
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct pf_gcov_known *)a)->name;
	uintptr_t y = (uintptr_t)((const struct pf_gcov_known *)b)->name;

	return (x > y) - (x < y);
}

/* As strcmp, of what is left of both. */
static int compare_cut(const char *a, const char *b)
{
	while (*a && *a != '.' && *a == *b) {
		a++;
		b++;
	}
	return (*a == '.' ? 0 : (unsigned char)*a) - (*b == '.' ? 0 : (unsigned char)*b);
}

static int by_cut_name(const void *a, const void *b)
{
	return compare_cut(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_names(const struct pf_profile *profile)
{
	size_t count = 0;

	for (uint32_t f = 0; f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];

		count += function->node_count;
		for (uint32_t r = 0; r < function->record_count; r++)
			count += function->records[r].target_count;
	}
	return count;
}

static void add_name(struct pf_gcov_names *names, const char *name)
{
	names->known[names->known_count++].name = name;
}

static void add_function(struct pf_gcov_names *names, const struct pf_function *function)
{
	for (uint32_t n = 0; n < function->node_count; n++)
		add_name(names, function->nodes[n].name);
	for (uint32_t r = 0; r < function->record_count; r++) {
		for (uint32_t t = 0; t < function->records[r].target_count; t++)
			add_name(names, function->records[r].targets[t].name);
	}
}

/* Leaves each string once, by address. */
static void sort_known(struct pf_gcov_names *names)
{
	size_t kept = 0;

	qsort(names->known, names->known_count, sizeof *names->known, by_address);
	for (size_t i = 0; i < names->known_count; i++) {
		if (!kept || names->known[kept - 1].name != names->known[i].name)
			names->known[kept++] = names->known[i];
	}
	names->known_count = kept;
}

/* Gives each string the number of what is left of it. */
static void number_names(struct pf_gcov_names *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->known_count; i++) {
		if (pf_gcov_name_length(names->known[i].name))
			names->items[names->count++] = names->known[i].name;
	}
	qsort(names->items, names->count, sizeof *names->items, by_cut_name);
	for (size_t i = 0; i < names->count; i++) {
		if (!kept || compare_cut(names->items[kept - 1], names->items[i]) != 0)
			names->items[kept++] = names->items[i];
	}
	names->count = kept;
	for (size_t i = 0; i < names->known_count; i++) {
		const char **found =
		    bsearch(&names->known[i].name, names->items, names->count, sizeof *names->items, by_cut_name);

		names->known[i].number = found ? (uint32_t)(found - names->items) + 1 : 0;
	}
}

int pf_gcov_names_collect(const struct pf_profile *profile, struct pf_gcov_names *names, struct pf_error *error)
{
	*names = (struct pf_gcov_names) { .known = calloc(count_names(profile) + 1, sizeof *names->known) };
	if (!names->known)
		return pf_fail(error, PF_ENOMEM, "out of memory for the names of a profile");
	for (uint32_t f = 0; f < profile->function_count; f++)
		add_function(names, &profile->functions[f]);
	sort_known(names);
	if (names->known_count >= UINT32_MAX) {
		pf_gcov_names_fini(names);
		return pf_fail(error, PF_ELIMIT,
			       "the profile has more than 2^32 - 2 different names, more than GCC can number");
	}
	names->items = calloc(names->known_count + 1, sizeof *names->items);
	if (!names->items) {
		pf_gcov_names_fini(names);
		return pf_fail(error, PF_ENOMEM, "out of memory for the names of a profile");
	}
	number_names(names);
	return PF_OK;
}

void pf_gcov_names_fini(struct pf_gcov_names *names)
{
	free(names->items);
	free(names->known);
	*names = (struct pf_gcov_names) { 0 };
}

uint32_t pf_gcov_names_number(const struct pf_gcov_names *names, const char *name)
{
	const struct pf_gcov_known key = { .name = name }, *found;

	found = bsearch(&key, names->known, names->known_count, sizeof key, by_address);
	return found ? found->number : 0;
}
