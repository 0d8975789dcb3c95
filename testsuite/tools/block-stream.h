/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the stream of Valgrind's tool `blocks` (testsuite/tools/valgrind/blocks.c) from standard input; header-only, as
 * each tool is one file. */
#ifndef PF_TEST_BLOCK_STREAM_H
#define PF_TEST_BLOCK_STREAM_H

#include "perfdata/vectors.h"
#include "support/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct block {
	uint64_t address, last;
	uint8_t length, leaves;
	bool inside;
};

static PF_ARRAY(struct block) blocks;

static uint32_t next_word(void)
{
	static uint32_t words[65536];
	static size_t at, count;

	if (at == count) {
		count = fread(words, sizeof *words, sizeof words / sizeof *words, stdin);
		at = 0;
	}
	return count > 0 ? words[at++] : UINT32_MAX;
}

static uint64_t next_long(void)
{
	uint64_t low = next_word();

	return low | (uint64_t)next_word() << 32;
}

static void define_block(uint32_t number)
{
	struct block new = { .address = next_long() };
	uint64_t how;

	new.last = next_long();
	how = next_long();
	new.length = (uint8_t)how;
	new.leaves = (uint8_t)(how >> 8);
	new.inside = how >> 16 & 1;
	while (blocks.count <= number) {
		if (!pf_array_push(&blocks))
			abort();
	}
	blocks.at[number] = new;
}

/* The number of the block that was executed next; UINT32_MAX at the end. */
static uint32_t next_block(void)
{
	uint32_t word = next_word();

	for (; word != UINT32_MAX && word >> 31; word = next_word())
		define_block(word & 0x7fffffffu);
	return word;
}

/* How control went from one block to the next (enum pf_edge_kind), jumps of all kinds being PF_EDGE_JUMP. */
static uint8_t kind_of(const struct block *from, const struct block *to)
{
	bool on = to->inside == from->inside && to->address == from->last + from->length;

	return from->leaves == 1 ? PF_EDGE_CALL : from->leaves == 2 ? PF_EDGE_RETURN : on ? PF_EDGE_FALL : PF_EDGE_JUMP;
}

/* Whether the instruction came back to itself, which is one that Valgrind runs in several turns (rep movs). */
static bool turns(const struct block *from, const struct block *to)
{
	return from->leaves == 0 && from->inside && to->inside && to->address == from->last;
}

#endif
