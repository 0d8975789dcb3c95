/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a discriminator in debug information says.  GCC up to 15 numbers the blocks of a line.  GCC 16 lays more into
 * the number: the block in the lowest 8 bits; in the next 7 how many executions of the source one of this code is (a
 * vectorised loop does several at once); in the next 11 which copy of a duplicated loop it is. */
#ifndef PF_CONVERTER_DISCRIMINATOR_H
#define PF_CONVERTER_DISCRIMINATOR_H

#include <stdbool.h>
#include <stdint.h>

struct pf_discriminator {
	uint32_t block; /* of the line: what the key of a position has */
	uint16_t copy;  /* code of two copies ran for different executions; 0: there was one, or nobody knows */
	uint8_t times;  /* executions of the source for each of the code: 1 to 127 */
};

/* Whether a unit whose DW_AT_producer is PRODUCER (NULL: it has none) has layers in its discriminators. */
bool pf_discriminator_has_layers(const char *producer);

/* What NUMBER says in a unit that has LAYERS, or none. */
struct pf_discriminator pf_discriminator_read(uint32_t number, bool layers);

#endif
