/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See outfile.h.  Hard case: an error that only shows when the data are flushed; it must still leave the old file.  And
 * /dev/stdout, which looks like a plain file when output goes to one: it is a link to /proc/self/fd/1, where a rename
 * would put the file in the link's place for all programs of the machine.  Programs that are started while a file is
 * written do not get its descriptor. */
#include "support/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_DESCRIPTOR (-1)
#define MAX_LINKS 40

/* The number of ours that PATH, in FOLDER, is another name of, or NO_DESCRIPTOR. */
static int own_descriptor(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char own[64], *end;
	long number = strtol(name, &end, 10);

	snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
	return strcmp(folder, own) == 0 && end > name && !*end && number >= 0 && number <= INT_MAX ? (int)number
												   : NO_DESCRIPTOR;
}

/* The folder of PATH, without links; false if there is none. */
static bool folder_of(const char *path, char folder[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];

	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
	return realpath(name, folder) != NULL;
}

/* The number of ours that PATH leads to by links, as /dev/stdout does, whether it is open or not; else
 * NO_DESCRIPTOR. */
static int find_descriptor(const char *path)
{
	char at[PATH_MAX], folder[PATH_MAX], target[PATH_MAX];

	if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
		return NO_DESCRIPTOR;
	for (int links = 0; links < MAX_LINKS && folder_of(at, folder); links++) {
		int number = own_descriptor(at, folder);
		ssize_t size;

		if (number != NO_DESCRIPTOR)
			return number;
		size = readlink(at, target, sizeof target - 1);
		if (size <= 0)
			return NO_DESCRIPTOR;
		target[size] = 0;
		if (snprintf(at, sizeof at, "%s/%s", *target == '/' ? "" : folder, target) >= (int)sizeof at)
			return NO_DESCRIPTOR;
	}
	return NO_DESCRIPTOR;
}

static int open_directly(struct pf_outfile *out, int descriptor, struct pf_error *error)
{
	out->stream = descriptor != NO_DESCRIPTOR ? fdopen(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "wb")
						 : fopen(out->path, "wbe");
	return out->stream ? PF_OK : pf_fail(error, PF_EIO, "%s: cannot write: %s", out->path, strerror(errno));
}

static int open_temporary(struct pf_outfile *out, struct pf_error *error)
{
	size_t size = strlen(out->path) + sizeof ".XXXXXX";
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	out->temporary = malloc(size);
	if (!out->temporary)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", out->path);
	snprintf(out->temporary, size, "%s.XXXXXX", out->path);
	fd = mkostemp(out->temporary, O_CLOEXEC);
	if (fd < 0) {
		int saved = errno;

		free(out->temporary);
		out->temporary = NULL;
		return pf_fail(error, PF_EIO, "%s: cannot create a file there: %s", out->path, strerror(saved));
	}
	/* mkstemp makes 0600; a user's file has the mode that their umask leaves. */
	if (fchmod(fd, 0666 & ~mask) == 0)
		out->stream = fdopen(fd, "wb");
	if (!out->stream) {
		close(fd);
		return pf_fail(error, PF_EIO, "%s: cannot write: %s", out->temporary, strerror(errno));
	}
	return PF_OK;
}

int pf_outfile_open(struct pf_outfile *out, const char *path, struct pf_error *error)
{
	struct stat st;
	int status, descriptor;

	*out = (struct pf_outfile) { 0 };
	/* Else it would show when the file is renamed, after all the work. */
	if (!*path)
		return pf_fail(error, PF_EIO, "the name of the output file is empty; give one with -o");
	out->path = strdup(path);
	if (!out->path)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	descriptor = strcmp(path, "-") == 0 ? STDOUT_FILENO : find_descriptor(path);
	if (descriptor != NO_DESCRIPTOR || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		status = open_directly(out, descriptor, error);
	else
		status = open_temporary(out, error);
	if (status < 0)
		pf_outfile_abandon(out);
	return status;
}

int pf_outfile_spares(const char *output, const char *input, struct pf_error *error)
{
	struct stat to, from;

	if (!output || !input || strcmp(output, "-") == 0 || strcmp(input, "-") == 0 || stat(output, &to) != 0 ||
	    stat(input, &from) != 0 || !S_ISREG(to.st_mode))
		return PF_OK;
	if (to.st_dev != from.st_dev || to.st_ino != from.st_ino)
		return PF_OK;
	return pf_fail(error, PF_EINVAL, "%s: is the input %s, which would be lost; give the output another name",
		       output, input);
}

/* Gives what is at the final name the name PATH.old.  That nothing is there is well. */
static bool keep_old(const struct pf_outfile *out)
{
	size_t size = strlen(out->path) + sizeof ".old";
	char *old = malloc(size);
	bool good;

	if (!old)
		return false;
	snprintf(old, size, "%s.old", out->path);
	good = rename(out->path, old) == 0 || errno == ENOENT;
	free(old);
	return good;
}

int pf_outfile_commit(struct pf_outfile *out, struct pf_error *error)
{
	int bad = ferror(out->stream);
	int status = PF_OK;

	bad |= fflush(out->stream) != 0;
	bad |= fclose(out->stream) != 0;
	out->stream = NULL;
	bad = bad || (out->temporary && out->keep && !keep_old(out));
	if (bad || (out->temporary && rename(out->temporary, out->path) != 0)) {
		status = pf_fail(error, PF_EIO, "%s: cannot write: %s", out->path, strerror(errno));
	} else {
		free(out->temporary);
		out->temporary = NULL;
	}
	pf_outfile_abandon(out);
	return status;
}

void pf_outfile_abandon(struct pf_outfile *out)
{
	if (out->stream)
		fclose(out->stream);
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	free(out->path);
	*out = (struct pf_outfile) { 0 };
}

int pf_outfile_write(const char *path, const void *bytes, size_t size, struct pf_error *error)
{
	struct pf_outfile out;
	int status = pf_outfile_open(&out, path, error);

	if (status < 0)
		return status;
	fwrite(bytes, 1, size, out.stream);
	return pf_outfile_commit(&out, error);
}
