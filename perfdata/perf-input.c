/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See perf-input.h.  Hard case: records have no alignment that can be relied on (compressed ones end anywhere), so the
 * window is placed at the record that did not fit, whatever its offset. */
#include "perfdata/perf-input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 1 << 20 };

static int check_kind(const struct pf_input *input, const struct stat *st, struct pf_error *error)
{
	if (S_ISDIR(st->st_mode))
		return pf_fail(error, PF_EUNSUPPORTED, "%s: is a directory; name a recording", input->path);
	if (!S_ISREG(st->st_mode))
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%s: is not a regular file; name one (perf record -o FILE), or - for standard input",
			       input->path);
	return PF_OK;
}

int pf_input_open(struct pf_input *input, const char *path, struct pf_error *error)
{
	struct stat st;
	int status;

	*input = (struct pf_input) { .fd = -1, .path = strdup(path), .window = malloc(WINDOW) };
	if (!input->path || !input->window) {
		pf_input_close(input);
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	}
	/* O_NONBLOCK: opening a pipe without a writer must not hang. */
	input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (input->fd < 0 || fstat(input->fd, &st) != 0)
		status = pf_fail(error, PF_EIO, "%s: cannot read: %s", path, strerror(errno));
	else
		status = check_kind(input, &st, error);
	if (status < 0) {
		pf_input_close(input);
		return status;
	}
	input->size = (uint64_t)st.st_size;
	return PF_OK;
}

void pf_input_close(struct pf_input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	free(input->window);
	free(input->path);
	*input = (struct pf_input) { .fd = -1 };
}

/* Reads SIZE bytes, or fewer at the end of the file; the number read, or -1 with errno. */
static ssize_t read_at(int fd, uint8_t *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, to + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int too_short(const struct pf_input *input, uint64_t offset, uint64_t size, const char *what,
		     struct pf_error *error)
{
	return pf_fail(error, PF_ETRUNCATED,
		       "%s: %s at offset %" PRIu64 " should have %" PRIu64 " bytes, but the file ends at %" PRIu64
		       ": it was cut short or is damaged; copy or record it again",
		       input->path, what, offset, size, input->size);
}

static bool inside(const struct pf_input *input, uint64_t offset, uint64_t size)
{
	return offset <= input->size && size <= input->size - offset;
}

int pf_input_get(struct pf_input *input, uint64_t offset, size_t size, const uint8_t **bytes, struct pf_error *error)
{
	if (!inside(input, offset, size))
		return too_short(input, offset, size, "the record", error);
	if (offset < input->start || offset + size > input->start + input->filled) {
		ssize_t got = read_at(input->fd, input->window, WINDOW, offset);

		input->start = offset;
		input->filled = got > 0 ? (size_t)got : 0;
		if (got < 0)
			return pf_fail(error, PF_EIO, "%s: cannot read at offset %" PRIu64 ": %s", input->path, offset,
				       strerror(errno));
		if (input->filled < size) {
			input->size = offset + input->filled;
			return too_short(input, offset, size, "the record", error);
		}
	}
	*bytes = input->window + (offset - input->start);
	return PF_OK;
}

int pf_input_load(struct pf_input *input, uint64_t offset, uint64_t size, const char *what, uint8_t **bytes,
		  struct pf_error *error)
{
	uint8_t *memory;
	ssize_t got;

	if (!inside(input, offset, size))
		return too_short(input, offset, size, what, error);
	memory = malloc(size ? size : 1);
	if (!memory)
		return pf_fail(error, PF_ENOMEM, "%s: no memory for the %" PRIu64 " bytes of %s", input->path, size,
			       what);
	got = read_at(input->fd, memory, size, offset);
	if (got < 0 || (uint64_t)got < size) {
		int saved = errno;

		free(memory);
		if (got >= 0)
			return too_short(input, offset, size, what, error);
		return pf_fail(error, PF_EIO, "%s: cannot read %s at offset %" PRIu64 ": %s", input->path, what, offset,
			       strerror(saved));
	}
	*bytes = memory;
	return PF_OK;
}
