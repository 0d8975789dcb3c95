/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See wholefile.h.  The hard case is what has no size beforehand, such as a pipe or what is in /proc: only what is no
 * regular file is limited, as it need not end. */
#include "support/wholefile.h"
#include "support/infile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_OF_A_STREAM ((size_t)1 << 30)

/* Reads FD to its end.  PF_ELIMIT beyond MOST bytes, without a sentence. */
static int read_all(int fd, const char *name, size_t most, struct pf_buffer *bytes, struct pf_error *error)
{
	size_t before = bytes->size;
	uint8_t piece[65536];
	ssize_t got = 1;

	while (got != 0) {
		got = read(fd, piece, sizeof piece);
		if (got < 0 && errno != EINTR)
			return pf_fail(error, PF_EIO, "%s: cannot read: %s", name, strerror(errno));
		if (got > 0)
			pf_buffer_bytes(bytes, piece, (size_t)got);
		if (bytes->failed)
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", name);
		if (bytes->size - before > most)
			return PF_ELIMIT;
	}
	return PF_OK;
}

int pf_wholefile_read(const char *path, struct pf_buffer *bytes, struct pf_error *error)
{
	int fd = pf_infile_open(path, error), status;
	struct stat st;
	bool ends;

	if (fd < 0)
		return fd;
	ends = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	status = read_all(fd, pf_infile_name(path), ends ? SIZE_MAX : MOST_OF_A_STREAM, bytes, error);
	close(fd);
	if (status == PF_ELIMIT)
		return pf_fail(error, status, "%s: does not end within 1 GiB; write it to a file first",
			       pf_infile_name(path));
	return status;
}

int pf_wholefile_read_within(const char *path, size_t most, struct pf_buffer *bytes, struct pf_error *error)
{
	int fd = pf_infile_open(path, error), status;

	if (fd < 0)
		return fd;
	status = read_all(fd, pf_infile_name(path), most, bytes, error);
	close(fd);
	return status;
}
