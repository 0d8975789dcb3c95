/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the counts of the module when it ends (doc/paths-format.md has the format): MODULE.PID.paths.  The hard case
 * is a process that ends without running destructors: the compiler has it save before the calls that do that. */
#include "runtime/paths/countfile.h"
#include "runtime/paths/pathunits.h"

#include <stdbool.h>

#define VERSION 1

/* The counts that are not zero, each behind its path's number: how many first, so that all is gone through twice. Other
 * threads may go on to count meanwhile, so that one that is zero at first stays out. */
static void put_array(const struct pf_path_function *f)
{
	uint64_t count = 0;

	for (uint64_t i = 1; i <= f->length; i++)
		count += atomic_load_explicit(&f->words[i], memory_order_relaxed) != 0;
	pf_count_put_u64(count);
	for (uint64_t i = 1; i <= f->length && count > 0; i++) {
		uint64_t value = atomic_load_explicit(&f->words[i], memory_order_relaxed);

		if (value == 0)
			continue;
		pf_count_put_u64(i - 1);
		pf_count_put_u64(value);
		count--;
	}
}

/* Taken slots of all tables: counts them, or puts the first MOST of them. */
static uint64_t put_slots(const struct pf_path_table *table, uint64_t most, bool put)
{
	uint64_t count = 0;

	for (; table; table = table->next) {
		for (uint64_t i = 0; i < table->capacity && count < most; i++) {
			uint64_t key = atomic_load_explicit(&table->slots[i].key, memory_order_relaxed);

			if (key == 0 || table->slots[i].count == 0)
				continue;
			count++;
			if (put) {
				pf_count_put_u64(key - 1);
				pf_count_put_u64(table->slots[i].count);
			}
		}
	}
	return count;
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
		for (uint64_t i = 0; i < unit->function_count; i++) {
			const struct pf_path_function *f = &unit->functions[i];
			const struct pf_path_table *table = f->length ? NULL : (struct pf_path_table *)f->words[1];

			pf_count_put_u64(f->words[0]);
			if (f->length) {
				put_array(f);
			} else {
				uint64_t count = put_slots(table, UINT64_MAX, false);

				pf_count_put_u64(count);
				put_slots(table, count, true);
			}
		}
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
