/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See outfile.h.  Hard case: an error that only shows when the data are flushed; it must still leave the old file, and
 * what cannot be made again must not be lost with it: the stream goes on in another folder, where what was written so
 * far is copied to.  The file is held by its descriptor until all is done, since its name may be gone before.  And
 * /dev/stdout, which looks like a plain file when output goes to one: it is a link to /proc/self/fd/1, where a rename
 * would put the file in the link's place for all programs of the machine.  Where the file system can, a file has no
 * name at all until it is whole, so that nothing is left of it when the process ends before, however that ends.
 * Programs that are started while a file is written do not get its descriptor. */
#include "support/outfile.h"
#include "support/descriptor.h"
#include "support/outplace.h"
#include "support/recordingpart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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

/* A file with a name that nobody has, made of the template NAME; or -1.  mkostemp makes it its owner's alone. */
static int open_named(char *name, bool private)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	fd = name ? mkostemp(name, O_CLOEXEC) : -1;
	/* A user's file has the mode that their umask leaves. */
	if (fd >= 0 && !private)
		fchmod(fd, 0666 & ~mask);
	return fd;
}

/* Whether all that was written to FD is where it should be: some file systems tell when a descriptor is closed. */
static bool is_written(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy >= 0 && close(copy) == 0;
}

/* Goes on in a copy of what is written so far: in a new file by the template NAME, which is taken over. */
static bool go_on_in(struct pf_outfile *out, char *name, bool private)
{
	off_t done = 0, at = lseek(out->fd, 0, SEEK_CUR);
	int to = open_named(name, private), why;
	ssize_t copied = to >= 0;
	struct stat st;

	while (copied > 0)
		copied = sendfile(to, out->fd, &done, MOST_AT_ONCE);
	/* Where the limit on file sizes ends it that is no error to sendfile. */
	if (copied == 0 && to >= 0 && fstat(out->fd, &st) == 0 && done != st.st_size) {
		copied = -1;
		errno = EFBIG;
	}
	if (to < 0 || copied < 0 || !is_written(to) || lseek(to, at, SEEK_SET) != at) {
		why = errno;
		if (to >= 0 && close(to) == 0)
			unlink(name);
		free(name);
		errno = why;
		return false;
	}
	if (!out->unnamed)
		unlink(out->temporary);
	free(out->temporary);
	close(out->fd);
	out->temporary = name;
	out->unnamed = false;
	out->fd = to;
	return true;
}

/* The FOLDER, of which LENGTH characters are the name, is of no use, as errno tells. */
static void note_tried(struct pf_outfile *out, const char *folder, size_t length)
{
	pf_buffer_printf(&out->tried, "%s%.*s: %s", out->tried.size ? ", " : "; nor can it be saved: ", (int)length,
			 folder, strerror(errno));
}

/* Goes on in another folder, where only the user may read it: others can look into some of these.  Each is tried once,
 * for where it is the file that is too large, and no disk is full, a copy of it can be made without end. */
static bool go_elsewhere(struct pf_outfile *out)
{
	const char *asked = getenv("TMPDIR"), *folders[] = { asked && *asked ? asked : "/tmp", "/tmp", "." };
	const char *slash = strrchr(out->target, '/'), *base = slash ? slash + 1 : out->target;

	while (out->next < sizeof folders / sizeof *folders) {
		size_t i = out->next++;
		char *name = NULL;

		if (i && strcmp(folders[i], folders[0]) == 0)
			continue;
		if (asprintf(&name, "%s/%.*s.XXXXXX", folders[i], NAME_MAX - 7, base) < 0)
			name = NULL;
		if (go_on_in(out, name, true))
			return out->moved = true;
		note_tried(out, folders[i], strlen(folders[i]));
	}
	return false;
}

static void note_reason(struct pf_outfile *out)
{
	if (!out->reason)
		out->reason = errno;
}

static ssize_t write_on(void *cookie, const char *bytes, size_t size)
{
	struct pf_outfile *out = cookie;
	size_t done = 0;

	while (done < size && !out->failed) {
		ssize_t wrote = write(out->fd, bytes + done, size - done);

		done += wrote > 0 ? (size_t)wrote : 0;
		if (wrote > 0 || (wrote < 0 && errno == EINTR))
			continue;
		note_reason(out);
		if (out->moved)
			note_tried(out, out->temporary, (size_t)(strrchr(out->temporary, '/') - out->temporary));
		out->failed = !out->saved || !go_elsewhere(out);
		errno = out->reason;
	}
	return (ssize_t)done;
}

static int seek_on(void *cookie, off64_t *offset, int whence)
{
	const struct pf_outfile *out = cookie;
	off64_t at = lseek(out->fd, *offset, whence);

	*offset = at;
	return at < 0 ? -1 : 0;
}

/* What is at TARGET is kept by this name, which is the caller's to free; NULL when out of memory. */
static char *old_name(const char *target)
{
	char *name = NULL;

	return asprintf(&name, "%s.old", target) < 0 ? NULL : name;
}

/* Could the file TARGET be kept by its other name? */
static int check_old(const char *target, struct pf_error *error)
{
	char *old = old_name(target);
	int found, status = PF_OK;
	struct stat st;

	if (!old)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", target);
	found = lstat(old, &st);
	if (found != 0 && errno != ENOENT)
		status =
		    pf_fail(error, PF_EIO, "%s: the file that is there cannot be kept as %s: %s; give another name",
			    target, old, strerror(errno));
	else if (found == 0 && S_ISDIR(st.st_mode))
		status = pf_fail(error, PF_EIO,
				 "%s: is a folder, and the file %s would be kept by this name; move one of them, or "
				 "give another name",
				 old, target);
	else if (found == 0)
		status = pf_outplace_check(old, error);
	free(old);
	return status;
}

/* Else all this would show when the file gets its name, after all the work. */
static int check_target(const struct pf_outfile *out, struct pf_error *error)
{
	int status = pf_outplace_check(out->target, error);
	struct stat st;

	if (status < 0 || !out->keep || lstat(out->target, &st) != 0)
		return status;
	return check_old(out->target, error);
}

static int open_temporary(struct pf_outfile *out, struct pf_error *error)
{
	static const cookie_io_functions_t functions = { .write = write_on, .seek = seek_on };
	struct stat st;

	/* Else it would show when the file gets its name, after all the work. */
	if (stat(out->path, &st) != 0 && errno != ENOENT)
		return pf_fail(error, PF_EIO, "%s: cannot create a file there: %s", out->path, strerror(errno));
	out->target = pf_outplace_follow(out->path);
	out->temporary = out->target ? name_beside(out->target, "XXXXXX") : NULL;
	if (!out->temporary)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", out->path);
	out->fd = open_unnamed(out->target);
	out->unnamed = out->fd >= 0;
	if (out->fd < 0)
		out->fd = open_named(out->temporary, false);
	if (out->fd < 0) {
		pf_fail(error, PF_EIO, "%s: cannot create a file there: %s", out->target, strerror(errno));
		out->unnamed = true; /* there is none */
		return PF_EIO;
	}
	out->stream = fopencookie(out, "wb", functions);
	return out->stream ? check_target(out, error) : pf_fail(error, PF_ENOMEM, "%s: out of memory", out->path);
}

int pf_outfile_open(struct pf_outfile *out, const char *path, const struct pf_outfile_options *options,
		    struct pf_error *error)
{
	struct stat st;
	int status, descriptor;
	bool found;

	*out = (struct pf_outfile) { .fd = -1, .keep = options && options->keep };
	out->saved = options ? options->saved : NULL;
	if (!*path)
		return pf_fail(error, PF_EIO, "the name of the output file is empty; give one with -o");
	out->path = strdup(path);
	if (!out->path)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	descriptor = strcmp(path, "-") == 0 ? STDOUT_FILENO : pf_descriptor_find(path);
	found = descriptor == PF_NO_DESCRIPTOR && stat(path, &st) == 0;
	if (found && S_ISDIR(st.st_mode))
		status = pf_fail(error, PF_EIO, "%s: is a folder; name a file", path);
	else if (descriptor != PF_NO_DESCRIPTOR || (found && !S_ISREG(st.st_mode)))
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

int pf_outfile_keeps(const char *output, const char *input, struct pf_error *error)
{
	int status = pf_outfile_spares(output, input, error);
	char *target, *old;
	struct stat st;

	if (status < 0 || !output || stat(output, &st) != 0 || !S_ISREG(st.st_mode))
		return status;
	target = pf_outplace_follow(output);
	old = target ? old_name(target) : NULL;
	status = old ? pf_outfile_spares(old, input, error) : pf_fail(error, PF_ENOMEM, "%s: out of memory", output);
	free(target);
	free(old);
	return status;
}

/* Gives what is at the final name the name PATH.old.  That nothing is there is well. */
static bool keep_old(struct pf_outfile *out)
{
	out->old = old_name(out->target);
	if (!out->old || (rename(out->target, out->old) != 0 && errno != ENOENT))
		return false;
	free(out->old);
	out->old = NULL;
	return true;
}

/* Gives the file a name beside the final one, for a rename alone can put it in the place of another. */
static bool give_name(struct pf_outfile *out)
{
	char link[32], suffix[48];
	unsigned number = 0;
	bool given;

	own_link(out->fd, link);
	do {
		free(out->temporary);
		snprintf(suffix, sizeof suffix, "%ld.%u", (long)getpid(), number);
		out->temporary = name_beside(out->target, suffix);
		given = out->temporary && linkat(AT_FDCWD, link, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0;
	} while (!given && out->temporary && errno == EEXIST && ++number);
	out->unnamed = !given;
	return given;
}

/* A copy has one where the file itself can get none: on a file system that has no links, or where the system forbids
 * them. */
static bool put_in_place(struct pf_outfile *out)
{
	return (!out->unnamed || give_name(out) || go_on_in(out, name_beside(out->target, "XXXXXX"), false)) &&
	       (!out->keep || keep_old(out)) && rename(out->temporary, out->target) == 0;
}

/* Is the file still there by its temporary name? */
static bool is_at_hand(const struct pf_outfile *out)
{
	struct stat own, there;

	return !out->unnamed && fstat(out->fd, &own) == 0 && stat(out->temporary, &there) == 0 && is_same(&own, &there);
}

/* The file is whole, and has not come to its place: it stays by another name. */
static bool save(struct pf_outfile *out)
{
	if (!out->saved || (!is_at_hand(out) && !go_elsewhere(out)))
		return false;
	snprintf(out->saved, PATH_MAX, "%s", out->temporary);
	out->unnamed = true; /* it is not ours any more */
	return true;
}

int pf_outfile_complain(const struct pf_outfile *out, struct pf_error *error)
{
	const char *why = strerror(out->reason ? out->reason : errno);

	if (out->old)
		return pf_fail(error, PF_EIO, "%s: cannot be renamed to %s, to be kept: %s%.*s", out->target, out->old,
			       why, (int)out->tried.size, (const char *)out->tried.data);
	return pf_fail(error, PF_EIO, "%s: cannot write: %s%.*s", name_of(out), why, (int)out->tried.size,
		       (const char *)out->tried.data);
}

static bool commit_directly(struct pf_outfile *out)
{
	bool good = fflush(out->stream) == 0 && !ferror(out->stream);

	if (fclose(out->stream) != 0)
		good = false;
	out->stream = NULL;
	return good;
}

static bool commit_temporary(struct pf_outfile *out)
{
	bool whole = fflush(out->stream) == 0 && !ferror(out->stream) && is_written(out->fd);

	if (whole && !out->moved && put_in_place(out)) {
		out->unnamed = true; /* it has its own name now */
		return true;
	}
	note_reason(out);
	if (whole && save(out))
		pf_buffer_fini(&out->tried);
	return false;
}

int pf_outfile_commit(struct pf_outfile *out, struct pf_error *error)
{
	bool good = out->temporary ? commit_temporary(out) : commit_directly(out);
	int status = good ? PF_OK : pf_outfile_complain(out, error);

	pf_outfile_abandon(out);
	return status;
}

void pf_outfile_abandon(struct pf_outfile *out)
{
	out->failed = true; /* what is still in the stream needs no place any more */
	if (out->stream)
		fclose(out->stream);
	if (out->temporary && !out->unnamed)
		unlink(out->temporary);
	if (out->target && out->fd >= 0)
		close(out->fd);
	pf_buffer_fini(&out->tried);
	free(out->temporary);
	free(out->target);
	free(out->path);
	free(out->old);
	*out = (struct pf_outfile) { .fd = -1 };
}

int pf_outfile_write(const char *path, const void *bytes, size_t size, struct pf_error *error)
{
	struct pf_outfile out;
	int status = pf_outfile_open(&out, path, NULL, error);

	if (status < 0)
		return status;
	fwrite(bytes, 1, size, out.stream);
	return pf_outfile_commit(&out, error);
}
