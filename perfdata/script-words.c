/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See script-words.h. */
#include "perfdata/script-words.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct pf_words pf_words_next(struct pf_words *words)
{
	struct pf_words word;

	while (!pf_words_empty(*words) && is_blank(*words->at))
		words->at++;
	word.at = words->at;
	while (!pf_words_empty(*words) && !is_blank(*words->at))
		words->at++;
	word.end = words->at;
	return word;
}

bool pf_words_skip(struct pf_words *words, const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(words->end - words->at) < size || memcmp(words->at, text, size) != 0)
		return false;
	words->at += size;
	return true;
}

bool pf_words_find(struct pf_words *words, const char *text)
{
	const char *found = memmem(words->at, (size_t)(words->end - words->at), text, strlen(text));

	words->at = found ? found : words->at;
	return found != NULL;
}

bool pf_words_skip_file(struct pf_words *words)
{
	struct pf_words rest = *words;

	while (!pf_words_empty(rest) && is_blank(*rest.at))
		rest.at++;
	if (!pf_words_skip(&rest, "("))
		return true;
	if (!pf_words_find(&rest, ")/"))
		return false;
	words->at = rest.at + 1;
	return true;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool pf_words_hex(struct pf_words *words, uint64_t *value)
{
	struct pf_words rest = *words;
	const char *first;

	pf_words_skip(&rest, "0x");
	first = rest.at;
	for (*value = 0; !pf_words_empty(rest) && digit_of(*rest.at) < 16 && rest.at - first < 16; rest.at++)
		*value = *value << 4 | (uint64_t)digit_of(*rest.at);
	if (rest.at == first)
		return false;
	*words = rest;
	return true;
}

bool pf_words_decimal(struct pf_words *words, uint64_t *value)
{
	struct pf_words rest = *words;

	for (*value = 0; !pf_words_empty(rest) && digit_of(*rest.at) < 10; rest.at++) {
		if (__builtin_mul_overflow(*value, 10u, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit_of(*rest.at), value))
			return false;
	}
	if (rest.at == words->at)
		return false;
	*words = rest;
	return true;
}

bool pf_words_time(struct pf_words *words, uint64_t *nanoseconds)
{
	struct pf_words rest = *words;
	uint64_t seconds, unit = 1000000000u, fraction = 0;

	if (!pf_words_decimal(&rest, &seconds) || seconds > UINT64_MAX / 2 / unit || !pf_words_skip(&rest, ".") ||
	    pf_words_empty(rest) || digit_of(*rest.at) > 9)
		return false;
	for (*nanoseconds = seconds * unit; !pf_words_empty(rest) && digit_of(*rest.at) < 10; rest.at++) {
		unit /= 10;
		fraction += unit * (uint64_t)digit_of(*rest.at);
	}
	*nanoseconds += fraction;
	*words = rest;
	return true;
}

bool pf_words_is_hex(struct pf_words word, uint64_t *value)
{
	return pf_words_hex(&word, value) && pf_words_empty(word);
}

bool pf_words_is_id(struct pf_words word, uint8_t id[20], uint8_t *size)
{
	size_t digits = (size_t)(word.end - word.at);
	uint64_t byte;

	if (digits == 0 || digits % 2 || digits > 2 * 20)
		return false;
	for (size_t i = 0; i < digits / 2; i++) {
		if (!pf_words_is_hex((struct pf_words) { word.at + 2 * i, word.at + 2 * i + 2 }, &byte))
			return false;
		id[i] = (uint8_t)byte;
	}
	*size = (uint8_t)(digits / 2);
	return true;
}
