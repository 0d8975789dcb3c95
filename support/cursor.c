/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cursor.h.  Hard case: sizes near SIZE_MAX taken from a file, so every check subtracts instead of adding. */
#include "support/cursor.h"

#include <string.h>

struct pf_cursor pf_cursor_over(const void *base, size_t size, uint64_t origin)
{
	return (struct pf_cursor) { .base = base, .size = size, .origin = origin };
}

uint64_t pf_cursor_offset(const struct pf_cursor *c)
{
	return c->origin + c->at;
}

const void *pf_cursor_bytes(struct pf_cursor *c, size_t size)
{
	if (c->failed || size > c->size - c->at) {
		c->failed = true;
		return NULL;
	}
	c->at += size;
	return c->base + (c->at - size);
}

struct pf_cursor pf_cursor_sub(struct pf_cursor *c, size_t size)
{
	uint64_t origin = pf_cursor_offset(c);
	const void *base = pf_cursor_bytes(c, size);
	struct pf_cursor sub = pf_cursor_over(base, base ? size : 0, origin);

	sub.failed = c->failed;
	return sub;
}

static uint64_t little_endian(struct pf_cursor *c, size_t size)
{
	const uint8_t *bytes = pf_cursor_bytes(c, size);
	uint64_t value = 0;

	for (size_t i = 0; bytes && i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

uint16_t pf_cursor_u16(struct pf_cursor *c)
{
	return (uint16_t)little_endian(c, 2);
}

uint32_t pf_cursor_u32(struct pf_cursor *c)
{
	return (uint32_t)little_endian(c, 4);
}

uint64_t pf_cursor_u64(struct pf_cursor *c)
{
	return little_endian(c, 8);
}

/* Reads the groups of a LEB128; *SHIFT is left at the number of bits read and *LAST at the final byte.  A tenth group
 * has room for one bit: it is 0 or HIGHEST. */
static uint64_t leb_groups(struct pf_cursor *c, uint8_t highest, unsigned *shift, uint8_t *last)
{
	uint64_t value = 0;

	*shift = 0;
	*last = 0;
	do {
		*last = pf_cursor_u8(c);
		if (*shift > 63 || (*shift == 63 && *last != 0 && *last != highest))
			c->failed = true;
		if (c->failed)
			return 0;
		value |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += 7;
	} while (*last & 0x80);
	return value;
}

uint64_t pf_cursor_uleb(struct pf_cursor *c)
{
	unsigned shift;
	uint8_t last;

	return leb_groups(c, 1, &shift, &last);
}

int64_t pf_cursor_sleb(struct pf_cursor *c)
{
	unsigned shift;
	uint8_t last;
	/* All seven bits of the tenth group are the sign. */
	uint64_t value = leb_groups(c, 0x7f, &shift, &last);

	if (!c->failed && shift < 64 && (last & 0x40))
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

const char *pf_cursor_string(struct pf_cursor *c)
{
	size_t left = pf_cursor_left(c);
	const void *end = left ? memchr(c->base + c->at, 0, left) : NULL;

	if (!end) {
		c->failed = true;
		return NULL;
	}
	return pf_cursor_bytes(c, (size_t)((const uint8_t *)end - (c->base + c->at)) + 1);
}
