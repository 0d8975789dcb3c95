/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See outfile.h.  Hard case: an error that only shows when the data are flushed; it must still leave the old file.  And
 * /dev/stdout, which looks like a plain file when output goes to one: it is a link to /proc/self/fd/1, where a rename
 * would put the file in the link's place for all programs of the machine.  Programs that are started while a file is
 * written do not get its descriptor. */
#include "support/outfile.h"
#include "support/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_directly(struct pf_outfile *out, int descriptor, struct pf_error *error)
{
	out->stream = descriptor != PF_NO_DESCRIPTOR ? fdopen(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "wb")
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
	descriptor = strcmp(path, "-") == 0 ? STDOUT_FILENO : pf_descriptor_find(path);
	if (descriptor != PF_NO_DESCRIPTOR || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
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
