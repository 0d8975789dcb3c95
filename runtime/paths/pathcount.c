/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units, and tables of counts.  Several threads and signal handlers take slots at once: a slot's key is set by one
 * atomic exchange, and nothing is ever moved, so that there is no lock.  The hard case is growing: who finds all slots
 * taken that its path may have goes on in a table four times as large, which the first to need it hangs behind. */
#include "runtime/paths/pathunits.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 1024
#define PROBES 16

struct pf_path_unit *pf_path_units;
pf_path_word pf_path_lost;

void __pathfdo_paths_enter(struct pf_path_unit *unit)
{
	unit->next = pf_path_units;
	pf_path_units = unit;
}

static size_t size_of(uint64_t capacity)
{
	return sizeof(struct pf_path_table) + capacity * sizeof(struct pf_path_slot);
}

/* The table that *LINK leads to, made if there is none; NULL without memory. */
static struct pf_path_table *follow(_Atomic(struct pf_path_table *) *link, uint64_t capacity)
{
	struct pf_path_table *table = atomic_load_explicit(link, memory_order_acquire), *other = NULL;
	int kept = errno;

	if (table)
		return table;
	table = mmap(NULL, size_of(capacity), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED) {
		errno = kept;
		return NULL;
	}
	table->capacity = capacity;
	if (atomic_compare_exchange_strong(link, &other, table))
		return table;
	munmap(table, size_of(capacity));
	return other;
}

/* Counts in one of the slots of TABLE that KEY may have; false if others have them. */
static bool count_in(struct pf_path_table *table, uint64_t key)
{
	uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

	for (int probe = 0; probe < PROBES; probe++, at++) {
		struct pf_path_slot *slot = &table->slots[at & (table->capacity - 1)];
		uint64_t found = atomic_load_explicit(&slot->key, memory_order_relaxed);

		if (found == 0 && atomic_compare_exchange_strong(&slot->key, &found, key))
			found = key;
		if (found == key) {
			atomic_fetch_add_explicit(&slot->count, 1, memory_order_relaxed);
			return true;
		}
	}
	return false;
}

void __pathfdo_paths_count(pf_path_word *words, uint64_t number)
{
	_Atomic(struct pf_path_table *) *link = (_Atomic(struct pf_path_table *) *)&words[1];
	uint64_t capacity = FIRST_CAPACITY;
	struct pf_path_table *table;

	while ((table = follow(link, capacity))) {
		if (count_in(table, number + 1))
			return;
		link = &table->next;
		capacity *= 4;
	}
	atomic_fetch_add_explicit(&pf_path_lost, 1, memory_order_relaxed);
}

/* Writes only where there is something to forget: pages that were never counted in stay without memory. */
static void clear(pf_path_word *word)
{
	if (atomic_load_explicit(word, memory_order_relaxed) != 0)
		atomic_store_explicit(word, 0, memory_order_relaxed);
}

static void forget_table(struct pf_path_table *table)
{
	for (; table; table = table->next) {
		for (uint64_t i = 0; i < table->capacity; i++)
			clear(&table->slots[i].count);
	}
}

void pf_paths_forget(void)
{
	clear(&pf_path_lost);
	for (struct pf_path_unit *unit = pf_path_units; unit; unit = unit->next) {
		for (uint64_t i = 0; i < unit->function_count; i++) {
			struct pf_path_function *f = &unit->functions[i];

			for (uint64_t k = 0; k <= f->length; k++)
				clear(&f->words[k]);
			if (f->length == 0)
				forget_table((struct pf_path_table *)f->words[1]);
		}
	}
}
