/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See buffer.h.  Hard case: running out of memory in the middle of a record, kept as a sticky flag. */
#include "support/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_buffer_fini(struct pf_buffer *b)
{
	free(b->data);
	*b = (struct pf_buffer) { 0 };
}

/* Makes room for SIZE more bytes and returns where they go, or NULL. */
static uint8_t *reserve(struct pf_buffer *b, size_t size)
{
	if (!b->failed && size > b->capacity - b->size) {
		size_t wanted = b->capacity ? b->capacity : 256;
		uint8_t *grown = NULL;

		while (wanted && wanted - b->size < size)
			wanted = wanted > SIZE_MAX / 2 ? 0 : wanted * 2;
		if (wanted)
			grown = realloc(b->data, wanted);
		if (grown) {
			b->data = grown;
			b->capacity = wanted;
		} else {
			b->failed = true;
		}
	}
	return b->failed ? NULL : b->data + b->size;
}

void pf_buffer_bytes(struct pf_buffer *b, const void *bytes, size_t size)
{
	uint8_t *to = size ? reserve(b, size) : NULL;

	if (!to)
		return;
	if (bytes)
		memcpy(to, bytes, size);
	else
		memset(to, 0, size);
	b->size += size;
}

static void put_little_endian(uint8_t *to, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static void append(struct pf_buffer *b, uint64_t value, size_t size)
{
	uint8_t *to = reserve(b, size);

	if (!to)
		return;
	put_little_endian(to, value, size);
	b->size += size;
}

void pf_buffer_u8(struct pf_buffer *b, uint8_t value)
{
	append(b, value, 1);
}

void pf_buffer_u16(struct pf_buffer *b, uint16_t value)
{
	append(b, value, 2);
}

void pf_buffer_u32(struct pf_buffer *b, uint32_t value)
{
	append(b, value, 4);
}

void pf_buffer_u64(struct pf_buffer *b, uint64_t value)
{
	append(b, value, 8);
}

void pf_buffer_uleb(struct pf_buffer *b, uint64_t value)
{
	while (value > 0x7f) {
		pf_buffer_u8(b, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	pf_buffer_u8(b, (uint8_t)value);
}

void pf_buffer_sleb(struct pf_buffer *b, int64_t value)
{
	for (;;) {
		uint8_t group = value & 0x7f;

		value >>= 7;
		if ((value == 0 && !(group & 0x40)) || (value == -1 && (group & 0x40))) {
			pf_buffer_u8(b, group);
			return;
		}
		pf_buffer_u8(b, group | 0x80);
	}
}

void pf_buffer_string(struct pf_buffer *b, const char *string)
{
	pf_buffer_bytes(b, string, strlen(string) + 1);
}

void pf_buffer_printf(struct pf_buffer *b, const char *format, ...)
{
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length >= 0) {
		/* vsnprintf writes a NUL, which is reserved but not counted. */
		uint8_t *to = reserve(b, (size_t)length + 1);

		if (to) {
			vsnprintf((char *)to, (size_t)length + 1, format, again);
			b->size += (size_t)length;
		}
	}
	va_end(again);
}

void pf_buffer_align(struct pf_buffer *b, size_t alignment)
{
	size_t over = b->size % alignment;

	if (over)
		pf_buffer_bytes(b, NULL, alignment - over);
}

void pf_buffer_patch_u32(struct pf_buffer *b, size_t at, uint32_t value)
{
	if (b->failed)
		return;
	assert(at <= b->size && b->size - at >= 4);
	put_little_endian(b->data + at, value, 4);
}

void pf_buffer_patch_u64(struct pf_buffer *b, size_t at, uint64_t value)
{
	if (b->failed)
		return;
	assert(at <= b->size && b->size - at >= 8);
	put_little_endian(b->data + at, value, 8);
}
