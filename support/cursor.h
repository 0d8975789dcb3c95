/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only way in which this project reads bytes that it did not make: a window over memory that cannot be read past
 * its end.  A read that does not fit returns zero and marks the cursor as failed; a caller checks once, after a group
 * of fields, instead of after each.  All integers are little-endian. */
#ifndef PF_SUPPORT_CURSOR_H
#define PF_SUPPORT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_cursor {
	const uint8_t *base; /* start of the window, not owned */
	size_t size;         /* bytes in the window */
	size_t at;           /* next byte to read, <= size */
	uint64_t origin;     /* offset of base in the file, for messages */
	bool failed;         /* a read did not fit; sticky */
};

/* A cursor over SIZE bytes at BASE, which stands at offset ORIGIN of its file. */
struct pf_cursor pf_cursor_over(const void *base, size_t size, uint64_t origin);

/* A cursor over the next SIZE bytes of C, which moves past them.  If they are not there both are marked failed. */
struct pf_cursor pf_cursor_sub(struct pf_cursor *c, size_t size);

/* Each reads one little-endian integer and moves on; 0 once failed. */
static inline uint8_t pf_cursor_u8(struct pf_cursor *c)
{
	if (c->failed || c->at == c->size) {
		c->failed = true;
		return 0;
	}
	return c->base[c->at++];
}

uint16_t pf_cursor_u16(struct pf_cursor *c);
uint32_t pf_cursor_u32(struct pf_cursor *c);
uint64_t pf_cursor_u64(struct pf_cursor *c);

/* Unsigned and signed LEB128 of at most 64 bits; one that is longer, unfinished or of a larger
 * value fails the cursor. */
uint64_t pf_cursor_uleb(struct pf_cursor *c);
int64_t pf_cursor_sleb(struct pf_cursor *c);

/* The next SIZE bytes in place, or NULL (and failed).  They live as long as the window. */
const void *pf_cursor_bytes(struct pf_cursor *c, size_t size);

/* The NUL-terminated string that starts here, in place, moving past its NUL; NULL (and failed) without a NUL. */
const char *pf_cursor_string(struct pf_cursor *c);

/* Bytes left; 0 once failed. */
static inline size_t pf_cursor_left(const struct pf_cursor *c)
{
	return c->failed ? 0 : c->size - c->at;
}

/* File offset of the next byte, for messages. */
uint64_t pf_cursor_offset(const struct pf_cursor *c);

#endif
