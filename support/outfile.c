/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See outfile.h.  Hard case: an error that only shows when the data are flushed; it must still leave the old file.  And
 * /dev/stdout, which looks like a plain file when output goes to one: it is a link to /proc/self/fd/1, where a rename
 * would put the file in the link's place for all programs of the machine.  Where the file system can, a file has no
 * name at all until it is whole, so that nothing is left of it when the process ends before, however that ends.
 * Programs that are started while a file is written do not get its descriptor. */
#include "support/outfile.h"
#include "support/descriptor.h"
#include "support/recordingpart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_AT_ONCE ((size_t)1 << 30)

static const char *name_of(const struct pf_outfile *out)
{
	return strcmp(out->path, "-") == 0 ? "standard output" : out->path;
}

static int open_directly(struct pf_outfile *out, int descriptor, struct pf_error *error)
{
	int flags = descriptor != PF_NO_DESCRIPTOR ? fcntl(descriptor, F_GETFL) : 0;

	if (flags < 0 || flags & O_PATH)
		return pf_fail(error, PF_EIO, "%s: is closed", name_of(out));
	out->stream = descriptor != PF_NO_DESCRIPTOR ? fdopen(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "wb")
						     : fopen(out->path, "wbe");
	return out->stream ? PF_OK : pf_fail(error, PF_EIO, "%s: cannot write: %s", name_of(out), strerror(errno));
}

static char *own_link(int fd, char link[32])
{
	snprintf(link, 32, "/proc/self/fd/%d", fd);
	return link;
}

/* The file that PATH leads to, where it is a link to one; else PATH itself.  The caller's to free, NULL when out of
 * memory.  A rename to PATH would put the file in the link's place, and leave what the link is for as it was.  The
 * kernel follows it, which in folders that all write to is choosy about whose links it follows. */
static char *follow(const char *path)
{
	char link[32], target[PATH_MAX];
	struct stat there, same;
	ssize_t size;
	int fd = lstat(path, &there) == 0 && S_ISLNK(there.st_mode) ? open(path, O_PATH | O_CLOEXEC) : -1;

	if (fd < 0)
		return strdup(path);
	size = readlink(own_link(fd, link), target, sizeof target - 1);
	target[size > 0 ? size : 0] = '\0';
	/* It could have been deleted or moved meanwhile, or /proc is not there. */
	if (fstat(fd, &there) != 0 || stat(target, &same) != 0 || there.st_dev != same.st_dev ||
	    there.st_ino != same.st_ino)
		strcpy(target, "");
	close(fd);
	return strdup(*target ? target : path);
}

/* Room for a name beside PATH that ends in SUFFIX.  It is short, as that of PATH can be as long as names are. */
static char *name_beside(const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/');
	char *name = NULL;

	return asprintf(&name, "%.*s.pathfdo.%s", slash ? (int)(slash + 1 - path) : 0, path, suffix) < 0 ? NULL : name;
}

/* A file without a name in the folder of PATH, which can be given one later; or -1. */
static int open_unnamed(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX], link[32];
	int length = slash ? (int)(slash + 1 - path) : 1, fd;

	if (length >= PATH_MAX)
		return -1;
	memcpy(folder, slash ? path : ".", (size_t)length);
	folder[length] = '\0';
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (fd >= 0 && access(own_link(fd, link), F_OK) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A file with a name that nobody has; or -1. */
static int open_named(struct pf_outfile *out)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	fd = mkostemp(out->temporary, O_CLOEXEC);
	/* It has mode 0600; a user's file has the mode that their umask leaves. */
	if (fd >= 0)
		fchmod(fd, 0666 & ~mask);
	return fd;
}

static int open_temporary(struct pf_outfile *out, struct pf_error *error)
{
	struct stat st;
	int fd;

	/* Else it would show when the file gets its name, after all the work. */
	if (stat(out->path, &st) != 0 && errno != ENOENT)
		return pf_fail(error, PF_EIO, "%s: cannot create a file there: %s", out->path, strerror(errno));
	out->target = follow(out->path);
	out->temporary = out->target ? name_beside(out->target, "XXXXXX") : NULL;
	if (!out->temporary)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", out->path);
	fd = open_unnamed(out->target);
	out->unnamed = fd >= 0;
	if (fd < 0)
		fd = open_named(out);
	if (fd < 0) {
		pf_fail(error, PF_EIO, "%s: cannot create a file there: %s", out->path, strerror(errno));
		out->unnamed = true; /* there is none */
		return PF_EIO;
	}
	out->stream = fdopen(fd, "wb");
	if (!out->stream) {
		close(fd);
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", out->path);
	}
	return PF_OK;
}

int pf_outfile_open(struct pf_outfile *out, const char *path, struct pf_error *error)
{
	struct stat st;
	int status, descriptor;

	*out = (struct pf_outfile) { 0 };
	if (!*path)
		return pf_fail(error, PF_EIO, "the name of the output file is empty; give one with -o");
	out->path = strdup(path);
	if (!out->path)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	descriptor = strcmp(path, "-") == 0 ? STDOUT_FILENO : pf_descriptor_find(path);
	if (descriptor != PF_NO_DESCRIPTOR || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		status = open_directly(out, descriptor, error);
	else
		status = open_temporary(out, error);
	if (status < 0)
		pf_outfile_abandon(out);
	return status;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether the file TO is INPUT, or one of the files in it. */
static bool is_in(const struct stat *to, const char *input)
{
	char part[PATH_MAX];
	struct stat from;

	if (strcmp(input, "-") == 0)
		return fstat(STDIN_FILENO, &from) == 0 && is_same(to, &from);
	for (uint32_t number = 0; pf_recording_part(input, number, part); number++) {
		if (stat(part, &from) == 0 && is_same(to, &from))
			return true;
	}
	return false;
}

int pf_outfile_spares(const char *output, const char *input, struct pf_error *error)
{
	struct stat to;

	if (!output || !input || strcmp(output, "-") == 0 || stat(output, &to) != 0 || !S_ISREG(to.st_mode))
		return PF_OK;
	if (!is_in(&to, input))
		return PF_OK;
	return pf_fail(error, PF_EINVAL, "%s: is the input %s, which would be lost; give the output another name",
		       output, input);
}

/* What is at TARGET is kept by this name, which is the caller's to free; NULL when out of memory. */
static char *old_name(const char *target)
{
	char *name = NULL;

	return asprintf(&name, "%s.old", target) < 0 ? NULL : name;
}

int pf_outfile_keeps(const char *output, const char *input, struct pf_error *error)
{
	int status = pf_outfile_spares(output, input, error);
	char *target, *old;
	struct stat st;

	if (status < 0 || !output || stat(output, &st) != 0 || !S_ISREG(st.st_mode))
		return status;
	target = follow(output);
	old = target ? old_name(target) : NULL;
	status = old ? pf_outfile_spares(old, input, error) : pf_fail(error, PF_ENOMEM, "%s: out of memory", output);
	free(target);
	free(old);
	return status;
}

/* Gives what is at the final name the name PATH.old.  That nothing is there is well. */
static bool keep_old(const struct pf_outfile *out)
{
	char *old = old_name(out->target);
	bool good;

	if (!old)
		return false;
	good = rename(out->target, old) == 0 || errno == ENOENT;
	free(old);
	return good;
}

/* Gives the file a name beside the final one, for a rename alone can put it in the place of another. */
static bool give_name(struct pf_outfile *out)
{
	char link[32], suffix[48];
	unsigned number = 0;
	bool given;

	own_link(fileno(out->stream), link);
	do {
		free(out->temporary);
		snprintf(suffix, sizeof suffix, "%ld.%u", (long)getpid(), number);
		out->temporary = name_beside(out->target, suffix);
		given = out->temporary && linkat(AT_FDCWD, link, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0;
	} while (!given && out->temporary && errno == EEXIST && ++number);
	out->unnamed = !given;
	return given;
}

/* Puts what is in the file without a name into one that has a name, where the first can get none: on a file system that
 * has no links, or where the system forbids them. */
static bool copy_named(struct pf_outfile *out)
{
	off_t done = 0;
	ssize_t copied = 1;
	int to;

	free(out->temporary);
	out->temporary = name_beside(out->target, "XXXXXX");
	to = out->temporary ? open_named(out) : -1;
	out->unnamed = to < 0;
	while (to >= 0 && copied > 0)
		copied = sendfile(to, fileno(out->stream), &done, MOST_AT_ONCE);
	return to >= 0 && close(to) == 0 && copied == 0;
}

int pf_outfile_commit(struct pf_outfile *out, struct pf_error *error)
{
	int status = PF_OK;
	bool good = fflush(out->stream) == 0 && !ferror(out->stream);

	if (good && out->unnamed)
		good = give_name(out) || copy_named(out);
	if (fclose(out->stream) != 0)
		good = false;
	out->stream = NULL;
	if (good && out->temporary && out->keep)
		good = keep_old(out);
	if (!good || (out->temporary && rename(out->temporary, out->target) != 0)) {
		status = pf_fail(error, PF_EIO, "%s: cannot write: %s", name_of(out), strerror(errno));
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
	if (out->temporary && !out->unnamed)
		unlink(out->temporary);
	free(out->temporary);
	free(out->target);
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
