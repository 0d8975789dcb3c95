/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the counts of the module when it ends (doc/paths-format.md has the format): MODULE.PID.paths.  The hard case
 * is a process that ends without running destructors: the compiler has it save before the calls that do that. */
#include "runtime/paths/countfile.h"
#include "runtime/paths/pathunits.h"

#include <stddef.h>

#define VERSION 1

static void put_pair(uint64_t number, uint64_t count, uint64_t cycles)
{
	(void)cycles; /* counted by context alone */
	pf_count_put_u64(number);
	pf_count_put_u64(count);
}

/* The counts that are not zero, each behind its path's number: how many first, so that all is gone through twice. */
static void put_counts(const struct pf_path_function *f)
{
	uint64_t count = pf_path_words_each(f->words + 1, f->length, false, UINT64_MAX, NULL);

	pf_count_put_u64(f->words[0]);
	pf_count_put_u64(count);
	pf_path_words_each(f->words + 1, f->length, false, count, put_pair);
}

static void put_units(void)
{
	uint64_t units = 0;

	for (const struct pf_path_unit *unit = pf_path_units; unit; unit = unit->next)
		units++;
	pf_count_put_u64(units);
	for (const struct pf_path_unit *unit = pf_path_units; unit; unit = unit->next) {
		pf_count_put_u64(unit->description_size);
		pf_count_put_bytes(unit->description, unit->description_size);
		for (uint64_t i = 0; i < unit->function_count; i++)
			put_counts(&unit->functions[i]);
	}
}

static void put_file(void)
{
	pf_count_put_head("PFPATHS", VERSION, pf_path_lost);
	put_units();
}

static struct pf_count_file file = { .suffix = "paths", .put = put_file, .forget = pf_paths_forget };

void __pathfdo_paths_save(void)
{
	if (pf_path_units)
		pf_count_file_save(&file);
}

__attribute__((constructor(101))) static void begin(void)
{
	pf_count_file_begin(&file);
}

/* With the lowest priority, it runs behind the module's other destructors. */
__attribute__((destructor(101))) static void end(void)
{
	__pathfdo_paths_save();
}
