/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathtable.h.  The hard case is growing: who finds all slots taken that its path may have goes on in a table four
 * times as large, which the first to need it hangs behind. */
#include "runtime/paths/pathtable.h"

#include <errno.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 1024

static size_t size_of(uint64_t capacity)
{
	return sizeof(struct pf_path_table) + capacity * sizeof(struct pf_path_slot);
}

struct pf_path_table *pf_path_table_make(pf_path_word *link, uint64_t capacity)
{
	uint64_t other = 0, wanted = capacity > 0 ? capacity * 4 : FIRST_CAPACITY;
	int kept = errno;
	struct pf_path_table *table =
	    mmap(NULL, size_of(wanted), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (table == MAP_FAILED) {
		errno = kept;
		return NULL;
	}
	table->capacity = wanted;
	if (atomic_compare_exchange_strong(link, &other, (uint64_t)(uintptr_t)table))
		return table;
	munmap(table, size_of(wanted));
	return (struct pf_path_table *)(uintptr_t)other;
}

static uint64_t load(const pf_path_word *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static uint64_t each_slot(const struct pf_path_table *table, uint64_t most, pf_path_take *take)
{
	uint64_t taken = 0;

	for (; table; table = pf_path_table_at(&table->next)) {
		for (uint64_t i = 0; i < table->capacity && taken < most; i++) {
			const struct pf_path_slot *slot = &table->slots[i];
			uint64_t key = load(&slot->key), count = load(&slot->count);

			if (key == 0 || count == 0)
				continue;
			taken++;
			if (take)
				take(key - 1, count, load(&slot->took));
		}
	}
	return taken;
}

uint64_t pf_path_words_each(const pf_path_word *words, uint64_t length, bool has_metric, uint64_t most,
			    pf_path_take *take)
{
	uint64_t taken = 0;

	if (length == 0)
		return each_slot(pf_path_table_at(words), most, take);
	for (uint64_t i = 0; i < length && taken < most; i++) {
		uint64_t count = load(&words[i]);

		if (count == 0)
			continue;
		taken++;
		if (take)
			take(i, count, has_metric ? load(&words[length + i]) : 0);
	}
	return taken;
}

/* Writes only where there is something to forget: pages that were never counted in stay without memory. */
static void clear(pf_path_word *word)
{
	if (load(word) != 0)
		atomic_store_explicit(word, 0, memory_order_relaxed);
}

void pf_path_words_forget(pf_path_word *words, uint64_t length, bool has_metric)
{
	for (uint64_t i = 0; i < (has_metric ? 2 * length : length); i++)
		clear(&words[i]);
	for (struct pf_path_table *table = length ? NULL : pf_path_table_at(words); table;
	     table = pf_path_table_at(&table->next)) {
		for (uint64_t i = 0; i < table->capacity; i++) {
			clear(&table->slots[i].count);
			clear(&table->slots[i].took);
		}
	}
}
