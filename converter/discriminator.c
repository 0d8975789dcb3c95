/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See discriminator.h.  The hard case is to know who wrote the number: producers are "GNU C17 16.2.0 -O2", "GNU GIMPLE
 * 16.2.0", "GNU Modula-2 16.2.0", and the assembler's "GNU AS 2.44", which counts by itself. */
#include "converter/discriminator.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WITH_LAYERS 16
#define BLOCK_BITS 8
#define TIMES_BITS 7
#define COPY_BITS 11

/* BITS bits of NUMBER, from bit FROM on. */
static uint32_t layer(uint32_t number, unsigned from, unsigned bits)
{
	return number >> from & ((1u << bits) - 1);
}

bool pf_discriminator_has_layers(const char *producer)
{
	if (!producer || strncmp(producer, "GNU ", 4) != 0 || strncmp(producer + 4, "AS ", 3) == 0)
		return false;
	for (const char *word = producer + 3; word; word = strchr(word + 1, ' ')) {
		if (isdigit((unsigned char)word[1]))
			return strtoul(word + 1, NULL, 10) >= FIRST_WITH_LAYERS;
	}
	return false;
}

struct pf_discriminator pf_discriminator_read(uint32_t number, bool layers)
{
	struct pf_discriminator d = { .block = number, .times = 1 };

	if (!layers)
		return d;
	d.block = layer(number, 0, BLOCK_BITS);
	d.copy = (uint16_t)layer(number, BLOCK_BITS + TIMES_BITS, COPY_BITS);
	d.times = (uint8_t)layer(number, BLOCK_BITS, TIMES_BITS);
	d.times += d.times == 0;
	return d;
}
