/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a function's paths, in words: LENGTH of them, one a path, or with a LENGTH of 0 one word, which is the
 * address of a table.  With LENGTH words behind them they have what each path took of a metric, too.  A table has slots
 * that are taken once and never given up, and where those that a path may take are all taken, a larger table behind it.
 *
 * Several threads and signal handlers take slots at once: a slot's key is set by one atomic exchange, and nothing is
 * ever moved, so that there is no lock.
 *
 * It runs in other people's programs: no heap, no stdio, no lock. */
#ifndef PF_RUNTIME_PATHTABLE_H
#define PF_RUNTIME_PATHTABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_PATH_PROBES 16 /* slots that a path may have in a table */

typedef _Atomic uint64_t pf_path_word;

struct pf_path_slot {
	pf_path_word key; /* the path's number + 1; 0: free */
	pf_path_word count;
	pf_path_word took;
};

struct pf_path_table {
	pf_path_word next; /* its address */
	uint64_t capacity; /* a power of two */
	struct pf_path_slot slots[];
};

/* Makes the table that LINK leads to, behind one of CAPACITY slots or 0 for the first; returns what is there then, NULL
 * without memory. */
struct pf_path_table *pf_path_table_make(pf_path_word *link, uint64_t capacity);

static inline struct pf_path_table *pf_path_table_at(const pf_path_word *link)
{
	return (struct pf_path_table *)(uintptr_t)atomic_load_explicit(link, memory_order_acquire);
}

/* Counts in one of the slots of TABLE that KEY may have; false if others have them. */
static inline bool pf_path_table_count_in(struct pf_path_table *table, uint64_t key, uint64_t took)
{
	uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

	for (int probe = 0; probe < PF_PATH_PROBES; probe++, at++) {
		struct pf_path_slot *slot = &table->slots[at & (table->capacity - 1)];
		uint64_t found = atomic_load_explicit(&slot->key, memory_order_relaxed);

		if (found == 0 && atomic_compare_exchange_strong(&slot->key, &found, key))
			found = key;
		if (found == key) {
			atomic_fetch_add_explicit(&slot->count, 1, memory_order_relaxed);
			if (took > 0)
				atomic_fetch_add_explicit(&slot->took, took, memory_order_relaxed);
			return true;
		}
	}
	return false;
}

/* Counts the path NUMBER, which TOOK that much, in the tables behind WORD.  False without memory.  It is here to be
 * inlined: paths are short.
 */
static inline bool pf_path_table_count(pf_path_word *word, uint64_t number, uint64_t took)
{
	struct pf_path_table *table = NULL, *next;

	for (;; table = next, word = &table->next) {
		next = pf_path_table_at(word);
		if (!next)
			next = pf_path_table_make(word, table ? table->capacity : 0);
		if (!next || pf_path_table_count_in(next, number + 1, took))
			return next != NULL;
	}
}

/* Calls TAKE, if there is one, with the number of each path that ran, how often, and what it took (0 without
 * HAS_METRIC), at most MOST times; returns how often.  Other threads may go on to count: who says first how many follow
 * must not go beyond that. */
typedef void pf_path_take(uint64_t number, uint64_t count, uint64_t took);
uint64_t pf_path_words_each(const pf_path_word *words, uint64_t length, bool has_metric, uint64_t most,
			    pf_path_take *take);

/* Sets all counts to zero. */
void pf_path_words_forget(pf_path_word *words, uint64_t length, bool has_metric);

#endif
