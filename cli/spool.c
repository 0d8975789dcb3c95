/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See spool.h.  The copy takes the stream's number, so that messages name what the user named and nothing has to be
 * closed.  The hard case is a stream that is a file (a shell's `<`), which is read as it is, unless it may not be
 * opened again: its owner can be the user that the shell had before (su, sudo). */
#include "cli/spool.h"
#include "cli/commands.h"
#include "support/descriptor.h"
#include "support/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where files go that nobody is to keep. */
static const char *temporary_folder(void)
{
	const char *asked = getenv("TMPDIR");

	return asked && *asked ? asked : "/tmp";
}

static int make_file(void)
{
	char name[PATH_MAX];
	int fd;

	if (snprintf(name, sizeof name, "%s/pathfdo.XXXXXX", temporary_folder()) >= (int)sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int pf_spool_file(char name[32], struct pf_error *error)
{
	int fd = make_file();

	if (fd < 0)
		return pf_fail(error, PF_EIO, "%s: cannot make a file there: %s; set TMPDIR to another folder",
			       temporary_folder(), strerror(errno));
	snprintf(name, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno != EINTR)
			return false;
		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
		}
	}
	return true;
}

static int cannot_read(const char *name, struct pf_error *error)
{
	return pf_fail(error, PF_EIO, "%s: cannot read: %s", name, strerror(errno));
}

static int copy(int from, int to, const char *name, struct pf_error *error)
{
	char piece[65536];
	ssize_t got = 1;

	while (to >= 0 && got != 0) {
		got = read(from, piece, sizeof piece);
		if (got < 0 && errno != EINTR)
			return cannot_read(name, error);
		if (got > 0 && !write_all(to, piece, (size_t)got))
			break;
	}
	if (to < 0 || got > 0)
		return pf_fail(error, PF_EIO,
			       "%s: cannot be copied to a file in %s: %s; set TMPDIR to a folder with room for it",
			       name, temporary_folder(), strerror(errno));
	return PF_OK;
}

/* A copy of the stream FROM takes its place as DESCRIPTOR. */
static int replace(int from, int descriptor, const char *name, struct pf_error *error)
{
	int to = make_file(), status = copy(from, to, name, error);

	if (status == PF_OK && (lseek(to, 0, SEEK_SET) != 0 || dup2(to, descriptor) < 0))
		status = cannot_read(name, error);
	if (to >= 0)
		close(to);
	return status;
}

/* Whether FD, of which NAME is another name, is a file that can be read by that from its beginning. */
static bool is_whole_file(int fd, const char *name)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0 && access(name, R_OK) == 0;
}

static int take(const char **file, struct pf_error *error)
{
	bool standard = strcmp(*file, "-") == 0;
	int descriptor = standard ? STDIN_FILENO : pf_descriptor_find(*file), fd, status = PF_OK;

	if (descriptor == PF_NO_DESCRIPTOR)
		return PF_OK;
	fd = pf_infile_open(*file, error);
	if (fd < 0)
		return fd;
	if (!is_whole_file(fd, standard ? "/dev/stdin" : *file))
		status = replace(fd, descriptor, pf_infile_name(*file), error);
	close(fd);
	if (standard)
		*file = "/dev/stdin";
	return status;
}

int pf_spool(const char *command, const char **files, size_t count)
{
	struct pf_error error;
	size_t standard = 0;

	for (size_t i = 0; i < count; i++)
		standard += strcmp(files[i], "-") == 0;
	if (standard > 1) {
		fprintf(stderr, "pathfdo %s: standard input is one file, and cannot be named twice\n", command);
		return PF_EXIT_USAGE;
	}
	for (size_t i = 0; i < count; i++) {
		if (take(&files[i], &error) < 0) {
			fprintf(stderr, "pathfdo %s: %s\n", command, error.text);
			return PF_EXIT_FAILURE;
		}
	}
	return 0;
}
