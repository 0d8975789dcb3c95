/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instrumented code and this library have in common.  The library is linked into each module (program or shared
 * library) that has instrumented code, and looks after that module's counters alone; no name of it is visible outside
 * but the one by which modules have each other save.
 *
 * It runs in other people's programs: no heap, no stdio but for one line when writing fails, no lock that a signal
 * handler or a child of fork could find taken for ever. */
#ifndef PF_RUNTIME_PATHUNITS_H
#define PF_RUNTIME_PATHUNITS_H

#include "runtime/paths/metric.h"
#include "runtime/paths/pathtable.h"

/* Counters of a function.  WORDS[0] counts its entries (only where it calls what may not come back).  With LENGTH > 0
 * that many counters follow, one a path, and as many for what it took if the unit has a metric; else a table's address
 * (pathtable.h). */
struct pf_path_function {
	pf_path_word *words;
	uint64_t length;
};

/* The plugin writes these (plugin/pathunit.cc), as arrays of words. */
struct pf_path_unit {
	struct pf_path_unit *next;
	const unsigned char *description;
	uint64_t description_size;
	uint64_t metric; /* enum pf_counting_metric */
	uint64_t function_count;
	struct pf_path_function functions[];
};

extern struct pf_path_unit *pf_path_units;

/* What calls took that have returned since a path began in the function that runs. */
extern _Thread_local uint64_t PF_COUNTING_NAME(paths_spent);

extern pf_path_word pf_path_lost; /* executions that there was no memory to count */

/* Called by instrumented code: before main or when the module is loaded, once a unit; where a path of a function with a
 * table ends; and before a call that ends the process, or its program, without running destructors. */
void PF_COUNTING_NAME(paths_enter)(struct pf_path_unit *unit);
void PF_COUNTING_NAME(paths_count)(pf_path_word *words, uint64_t number, uint64_t took);
void PF_COUNTING_NAME(paths_save)(void);

/* In a child of fork, whose paths so far are its parent's: sets all to zero. */
void pf_paths_forget(void);

#endif
