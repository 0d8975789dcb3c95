/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the counts of the module when it ends (doc/paths-format.md has the format): MODULE.PID.paths.  The hard case
 * is a process that ends without running destructors: the compiler has it save before the calls that do that. */
#include "runtime/paths/countfile.h"
#include "runtime/paths/pathunits.h"

#include <stddef.h>

#define VERSION 2

static bool measured; /* what paths took is known and saved */

static void put_path(uint64_t number, uint64_t count, uint64_t took)
{
	pf_count_put_u64(number);
	pf_count_put_u64(count);
	if (measured)
		pf_count_put_u64(took);
}

/* The counts that are not zero, each behind its path's number: how many first, so that all is gone through twice. */
static void put_counts(const struct pf_path_function *f, bool has_metric)
{
	uint64_t count = pf_path_words_each(f->words + 1, f->length, has_metric, UINT64_MAX, NULL);

	pf_count_put_u64(f->words[0]);
	pf_count_put_u64(count);
	pf_path_words_each(f->words + 1, f->length, has_metric, count, put_path);
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
			put_counts(&unit->functions[i], unit->metric);
	}
}

static void put_file(void)
{
	measured = *pf_metric_name();
	pf_count_put_head("PFPATHS", VERSION, pf_path_lost, pf_metric_name());
	put_units();
}

static struct pf_count_file file = { .suffix = "paths", .put = put_file, .forget = pf_paths_forget };

void PF_COUNTING_NAME(paths_save)(void)
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
	PF_COUNTING_NAME(paths_save)();
}
