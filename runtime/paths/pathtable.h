/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a function's paths, in words: LENGTH of them, one a path, or with a LENGTH of 0 one word, which is the
 * address of a table.  A table has slots that are taken once and never given up, and where those that a path may take
 * are all taken, a larger table behind it.
 *
 * It runs in other people's programs: no heap, no stdio, no lock. */
#ifndef PF_RUNTIME_PATHTABLE_H
#define PF_RUNTIME_PATHTABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint64_t pf_path_word;

/* Counts the path NUMBER in the tables behind WORD, the first of which is made with FIRST slots, a power of two.  False
 * without memory. */
bool pf_path_table_count(pf_path_word *word, uint64_t first, uint64_t number);

/* Calls TAKE, if there is one, with the number of each path that ran, and how often, at most MOST times; returns how
 * often.  Other threads may go on to count: who says first how many follow must not go beyond that. */
uint64_t pf_path_words_each(const pf_path_word *words, uint64_t length, uint64_t most,
			    void (*take)(uint64_t number, uint64_t count));

/* Sets all counts to zero. */
void pf_path_words_forget(pf_path_word *words, uint64_t length);

#endif
