/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of a module, and their counts (pathunits.h).  The hard case is memory that there is none of: what cannot be
 * counted where it belongs is counted as lost. */
#include "runtime/paths/pathunits.h"

struct pf_path_unit *pf_path_units;
pf_path_word pf_path_lost;
_Thread_local uint64_t PF_COUNTING_NAME(paths_spent);

void PF_COUNTING_NAME(paths_enter)(struct pf_path_unit *unit)
{
	pf_metric_note(unit->metric);
	unit->next = pf_path_units;
	pf_path_units = unit;
}

void PF_COUNTING_NAME(paths_count)(pf_path_word *words, uint64_t number, uint64_t took)
{
	if (!pf_path_table_count(&words[1], number, took))
		atomic_fetch_add_explicit(&pf_path_lost, 1, memory_order_relaxed);
}

void pf_paths_forget(void)
{
	atomic_store_explicit(&pf_path_lost, 0, memory_order_relaxed);
	for (struct pf_path_unit *unit = pf_path_units; unit; unit = unit->next) {
		for (uint64_t i = 0; i < unit->function_count; i++) {
			struct pf_path_function *f = &unit->functions[i];

			pf_path_words_forget(f->words, 1, false);
			pf_path_words_forget(f->words + 1, f->length, unit->metric);
		}
	}
}
