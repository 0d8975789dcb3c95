/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing byte buffer with little-endian appends: the writing twin of pf_cursor.  Failure to grow is sticky, so a
 * writer checks `failed` once at the end. */
#ifndef PF_SUPPORT_BUFFER_H
#define PF_SUPPORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_buffer {
	uint8_t *data;   /* owned; NULL while empty */
	size_t size;     /* bytes written */
	size_t capacity; /* bytes allocated */
	bool failed;     /* out of memory; sticky, later appends do nothing */
};

/* A zeroed pf_buffer is empty and ready.  Releases the memory and makes it empty again. */
void pf_buffer_fini(struct pf_buffer *b);

/* Appends SIZE bytes (zeroes if BYTES is NULL). */
void pf_buffer_bytes(struct pf_buffer *b, const void *bytes, size_t size);
void pf_buffer_u8(struct pf_buffer *b, uint8_t value);
void pf_buffer_u16(struct pf_buffer *b, uint16_t value);
void pf_buffer_u32(struct pf_buffer *b, uint32_t value);
void pf_buffer_u64(struct pf_buffer *b, uint64_t value);
void pf_buffer_uleb(struct pf_buffer *b, uint64_t value);
void pf_buffer_sleb(struct pf_buffer *b, int64_t value);

/* Appends STRING with its NUL. */
void pf_buffer_string(struct pf_buffer *b, const char *string);

/* Appends formatted text without a NUL. */
void pf_buffer_printf(struct pf_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends zeroes until the size is a multiple of ALIGNMENT. */
void pf_buffer_align(struct pf_buffer *b, size_t alignment);

/* Overwrites bytes that were written before: AT + the field's size must not exceed b->size. */
void pf_buffer_patch_u32(struct pf_buffer *b, size_t at, uint32_t value);
void pf_buffer_patch_u64(struct pf_buffer *b, size_t at, uint64_t value);

#endif
