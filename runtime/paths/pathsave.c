/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the counts of the module when it ends (doc/paths-format.md has the format): MODULE.PID.paths.  The hard case
 * is a process that ends without running destructors: the compiler has it save before the calls that do that, and each
 * module's call has all modules save: they know each other by one variable, the first module's that shows it. */
#include "runtime/paths/countfile.h"
#include "runtime/paths/pathunits.h"

#include <stddef.h>
#include <time.h>

#define VERSION 2
#define MOST_WAITS 1000  /* of a millisecond */
#define MOST_MODULES 256 /* further ones save their own counts alone */

/* The modules of the process that have counts.  It is of the first of them, which is not unloaded while others use it.
 */
struct modules {
	_Atomic uint64_t walkers; /* threads that have all save */
	void (*_Atomic saves[MOST_MODULES])(void);
};

__attribute__((visibility("default"))) struct modules PF_COUNTING_NAME(paths_modules);

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

/* In a child of fork none of the parent's threads is there to end. */
static void forget(void)
{
	atomic_store(&PF_COUNTING_NAME(paths_modules).walkers, 0);
	pf_paths_forget();
}

static struct pf_count_file file = { .suffix = "paths", .put = put_file, .forget = forget };

static void save_own(void)
{
	if (pf_path_units)
		pf_count_file_save(&file);
}

/* No handler comes in between, for one that does not return, as a program goes on whose exec has failed, would have all
 * modules wait for this thread for ever. */
void PF_COUNTING_NAME(paths_save)(void)
{
	struct modules *m = &PF_COUNTING_NAME(paths_modules);
	struct pf_count_quiet before;

	pf_count_quiet_begin(&before);
	save_own();
	atomic_fetch_add(&m->walkers, 1);
	for (unsigned i = 0; i < MOST_MODULES; i++) {
		void (*save)(void) = atomic_load(&m->saves[i]);

		if (save && save != save_own)
			save();
	}
	atomic_fetch_sub(&m->walkers, 1);
	pf_count_quiet_end(&before);
}

__attribute__((constructor(101))) static void begin(void)
{
	struct modules *m = &PF_COUNTING_NAME(paths_modules);
	bool is_in = false;

	pf_count_file_begin(&file);
	for (unsigned i = 0; i < MOST_MODULES && !is_in; i++) {
		void (*nothing)(void) = NULL;

		is_in = atomic_compare_exchange_strong(&m->saves[i], &nothing, save_own);
	}
}

/* With the lowest priority, it runs behind the module's other destructors.  What another thread saves meanwhile,
 * because it ends the process, is waited for: the module may be unloaded next. */
__attribute__((destructor(101))) static void end(void)
{
	struct modules *m = &PF_COUNTING_NAME(paths_modules);

	save_own();
	for (unsigned i = 0; i < MOST_MODULES; i++) {
		void (*own)(void) = save_own;

		atomic_compare_exchange_strong(&m->saves[i], &own, NULL);
	}
	for (unsigned i = 0; i < MOST_WAITS && atomic_load(&m->walkers) > 0; i++)
		nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
}
