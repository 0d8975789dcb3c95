/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See textfile.h.  The hard case is a number that no text should hold: of too many digits, with a sign, or missing.
 * Lines end as Unix or Windows has it. */
#include "analysis/textfile.h"
#include "support/infile.h"
#include "support/wholefile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int pf_textfile_open(struct pf_textfile *t, const char *path, struct pf_error *error)
{
	int status;

	*t = (struct pf_textfile) { .path = pf_infile_name(path) };
	status = pf_wholefile_read(path, &t->bytes, error);
	t->cursor = pf_cursor_over(t->bytes.data, t->bytes.size, 0);
	return status;
}

void pf_textfile_over(struct pf_textfile *t, const void *bytes, size_t size, const char *path)
{
	*t = (struct pf_textfile) { .path = path, .cursor = pf_cursor_over(bytes, size, 0) };
}

void pf_textfile_close(struct pf_textfile *t)
{
	pf_buffer_fini(&t->bytes);
	pf_buffer_fini(&t->copy);
}

int pf_textfile_next(struct pf_textfile *t, struct pf_error *error)
{
	size_t left = pf_cursor_left(&t->cursor);
	const uint8_t *start = t->cursor.base + t->cursor.at;
	const uint8_t *end = left > 0 ? memchr(start, '\n', left) : NULL;
	size_t size = end ? (size_t)(end - start) : left;

	if (left == 0)
		return 0;
	pf_cursor_bytes(&t->cursor, size + (end != NULL));
	t->number++;
	if (memchr(start, '\0', size))
		return pf_fail(error, PF_EFORMAT, "%s: line %" PRIu64 " has a NUL byte in it: this is no text", t->path,
			       t->number);
	if (end && size > 0 && start[size - 1] == '\r')
		size--;
	t->copy.size = 0;
	pf_buffer_bytes(&t->copy, start, size);
	pf_buffer_u8(&t->copy, 0);
	t->line = (const char *)t->copy.data;
	return t->copy.failed ? pf_fail(error, PF_ENOMEM, "%s: out of memory", t->path) : 1;
}

bool pf_textfile_word(const char **at, const char *word)
{
	size_t size = strlen(word);
	bool found = strncmp(*at, word, size) == 0;

	*at += found ? size : 0;
	return found;
}

bool pf_textfile_number(const char **at, int base, uint64_t *value)
{
	const char *first = *at + strspn(*at, " ");
	char *end;

	if (!strchr(base == 10 ? "0123456789" : "0123456789abcdefABCDEF", *first) || !*first)
		return false;
	errno = 0;
	*value = strtoull(first, &end, base);
	*at = end;
	return errno == 0;
}
