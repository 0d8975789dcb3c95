/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of a line of text.  Each function takes what it knows from the front of WORDS; if that is not there it takes
 * nothing and returns false. */
#ifndef PF_PERFDATA_SCRIPT_WORDS_H
#define PF_PERFDATA_SCRIPT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Text from `at` to before `end`, not owned. */
struct pf_words {
	const char *at, *end;
};

static inline bool pf_words_empty(struct pf_words words)
{
	return words.at == words.end;
}

/* Takes blanks, then what is before the next blank; empty at the end. */
struct pf_words pf_words_next(struct pf_words *words);

/* TEXT. */
bool pf_words_skip(struct pf_words *words, const char *text);

/* "(NAME)" in front of "/", which stays, with blanks in front or without (as perf prints it varies); there need not be
 * one. */
bool pf_words_skip_file(struct pf_words *words);

/* A number of up to 16 hexadecimal digits, with or without "0x"; one of decimal digits below 2^64. */
bool pf_words_hex(struct pf_words *words, uint64_t *value);
bool pf_words_decimal(struct pf_words *words, uint64_t *value);

/* "SECONDS.FRACTION", in nanoseconds. */
bool pf_words_time(struct pf_words *words, uint64_t *nanoseconds);

/* Moves in front of TEXT, wherever it is. */
bool pf_words_find(struct pf_words *words, const char *text);

/* Whether WORD as a whole is such a number. */
bool pf_words_is_hex(struct pf_words word, uint64_t *value);

/* Whether WORD as a whole is a build-id of up to 20 bytes. */
bool pf_words_is_id(struct pf_words word, uint8_t id[20], uint8_t *size);

#endif
