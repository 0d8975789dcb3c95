/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathtable.h.  Several threads and signal handlers take slots at once: a slot's key is set by one atomic exchange,
 * and nothing is ever moved, so that there is no lock.  The hard case is growing: who finds all slots taken that its
 * path may have goes on in a table four times as large, which the first to need it hangs behind. */
#include "runtime/paths/pathtable.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#define PROBES 16

struct slot {
	pf_path_word key; /* the path's number + 1; 0: free */
	pf_path_word count;
};

struct table {
	pf_path_word next; /* its address */
	uint64_t capacity; /* a power of two */
	struct slot slots[];
};

static struct table *table_at(const pf_path_word *word)
{
	return (struct table *)(uintptr_t)atomic_load_explicit(word, memory_order_acquire);
}

static size_t size_of(uint64_t capacity)
{
	return sizeof(struct table) + capacity * sizeof(struct slot);
}

/* The table that LINK leads to, made if there is none; NULL without memory. */
static struct table *follow(pf_path_word *link, uint64_t capacity)
{
	struct table *table = table_at(link);
	uint64_t other = 0;
	int kept = errno;

	if (table)
		return table;
	table = mmap(NULL, size_of(capacity), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED) {
		errno = kept;
		return NULL;
	}
	table->capacity = capacity;
	if (atomic_compare_exchange_strong(link, &other, (uint64_t)(uintptr_t)table))
		return table;
	munmap(table, size_of(capacity));
	return (struct table *)(uintptr_t)other;
}

/* Counts in one of the slots of TABLE that KEY may have; false if others have them. */
static bool count_in(struct table *table, uint64_t key)
{
	uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

	for (int probe = 0; probe < PROBES; probe++, at++) {
		struct slot *slot = &table->slots[at & (table->capacity - 1)];
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

bool pf_path_table_count(pf_path_word *word, uint64_t first, uint64_t number)
{
	struct table *table;

	while ((table = follow(word, first))) {
		if (count_in(table, number + 1))
			return true;
		word = &table->next;
		first *= 4;
	}
	return false;
}

static uint64_t each_slot(const struct table *table, uint64_t most, void (*take)(uint64_t number, uint64_t count))
{
	uint64_t taken = 0;

	for (; table; table = table_at(&table->next)) {
		for (uint64_t i = 0; i < table->capacity && taken < most; i++) {
			uint64_t key = atomic_load_explicit(&table->slots[i].key, memory_order_relaxed),
				 count = atomic_load_explicit(&table->slots[i].count, memory_order_relaxed);

			if (key == 0 || count == 0)
				continue;
			taken++;
			if (take)
				take(key - 1, count);
		}
	}
	return taken;
}

uint64_t pf_path_words_each(const pf_path_word *words, uint64_t length, uint64_t most,
			    void (*take)(uint64_t number, uint64_t count))
{
	uint64_t taken = 0;

	if (length == 0)
		return each_slot(table_at(words), most, take);
	for (uint64_t i = 0; i < length && taken < most; i++) {
		uint64_t count = atomic_load_explicit(&words[i], memory_order_relaxed);

		if (count == 0)
			continue;
		taken++;
		if (take)
			take(i, count);
	}
	return taken;
}

/* Writes only where there is something to forget: pages that were never counted in stay without memory. */
static void clear(pf_path_word *word)
{
	if (atomic_load_explicit(word, memory_order_relaxed) != 0)
		atomic_store_explicit(word, 0, memory_order_relaxed);
}

void pf_path_words_forget(pf_path_word *words, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++)
		clear(&words[i]);
	for (struct table *table = length ? NULL : table_at(words); table; table = table_at(&table->next)) {
		for (uint64_t i = 0; i < table->capacity; i++)
			clear(&table->slots[i].count);
	}
}
