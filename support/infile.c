/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See infile.h.  The hard case is a named pipe: to open it waits for a writer, and to open it without waiting does not
 * tell whether there is one.  So it is copied from, into a pipe of our own, without taking anything out: that is the
 * end of the file if nobody writes, and else something, or nothing yet. */
#include "support/infile.h"
#include "support/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NULL_DEVICE makedev(1, 3)

const char *pf_infile_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int cannot_read(const char *path, struct pf_error *error)
{
	return pf_fail(error, PF_EIO, "%s: cannot read: %s", pf_infile_name(path), strerror(errno));
}

/* Our descriptor that PATH is another name of; PF_NO_DESCRIPTOR also for a regular file, which is opened anew, so that
 * it can be read from its beginning once more. */
static int known_descriptor(const char *path)
{
	struct stat st;
	int descriptor;

	if (strcmp(path, "-") == 0)
		return STDIN_FILENO;
	descriptor = pf_descriptor_find(path);
	if (descriptor != PF_NO_DESCRIPTOR && fstat(descriptor, &st) == 0 && S_ISREG(st.st_mode))
		return PF_NO_DESCRIPTOR;
	return descriptor;
}

static bool has_writer(int fd)
{
	int copy[2];
	ssize_t got;

	if (pipe2(copy, O_CLOEXEC) != 0)
		return true;
	got = tee(fd, copy[1], 1, SPLICE_F_NONBLOCK);
	close(copy[0]);
	close(copy[1]);
	return got != 0;
}

/* Why FD, which was opened anew if NAMED, cannot be read to an end; NULL if it can. */
static const char *find_fault(int fd, const struct stat *st, bool named)
{
	if (fcntl(fd, F_GETFL) & O_PATH)
		return "is closed";
	if (S_ISDIR(st->st_mode))
		return "is a directory; name a file";
	if (S_ISBLK(st->st_mode) || (S_ISCHR(st->st_mode) && st->st_rdev != NULL_DEVICE && !isatty(fd)))
		return "is a device; name a file";
	if (named && S_ISFIFO(st->st_mode) && !has_writer(fd))
		return "is a pipe that nobody writes to; start what writes to it first";
	return NULL;
}

static int open_path(const char *path, struct pf_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (!*path)
		return pf_fail(error, PF_EIO, "the name of an input is empty");
	if (fd < 0 && errno == ENXIO)
		return pf_fail(error, PF_EUNSUPPORTED, "%s: is a socket, or a device that is not there; name a file",
			       path);
	return fd < 0 ? cannot_read(path, error) : fd;
}

int pf_infile_open(const char *path, struct pf_error *error)
{
	int known = known_descriptor(path), fd;
	const char *fault;
	struct stat st;

	fd = known == PF_NO_DESCRIPTOR ? open_path(path, error) : fcntl(known, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return known == PF_NO_DESCRIPTOR ? fd : cannot_read(path, error);
	if (fstat(fd, &st) != 0) {
		cannot_read(path, error);
		close(fd);
		return PF_EIO;
	}
	fault = find_fault(fd, &st, known == PF_NO_DESCRIPTOR);
	if (fault) {
		close(fd);
		return pf_fail(error, PF_EUNSUPPORTED, "%s: %s", pf_infile_name(path), fault);
	}
	if (known == PF_NO_DESCRIPTOR)
		fcntl(fd, F_SETFL, O_RDONLY); /* not to wait was for the opening alone */
	return fd;
}

int pf_infile_stream(const char *path, FILE **stream, struct pf_error *error)
{
	int fd = pf_infile_open(path, error);

	*stream = fd < 0 ? NULL : fdopen(fd, "rb");
	if (fd < 0 || *stream)
		return fd < 0 ? fd : PF_OK;
	close(fd);
	return pf_fail(error, PF_ENOMEM, "%s: out of memory", pf_infile_name(path));
}

int pf_infile_check_folder(const char *option, const char *path, struct pf_error *error)
{
	struct stat st;

	if (!path || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return PF_OK;
	return pf_fail(error, PF_ENOTFOUND, "%s=%s: there is no such folder", option, path);
}
