/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder half of harvest.h: every file of the recorder in it, in the order of process id and sequence, so that
 * equal folders give equal recordings.  Hard case: names that are not ours are passed over, ours that cannot be read
 * are an error. */
#include "runtime/harvest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_wire_file(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = sizeof PF_WIRE_SUFFIX - 1;

	return length > suffix && strcmp(entry->d_name + length - suffix, PF_WIRE_SUFFIX) == 0;
}

static int add_entry(struct pf_harvest *h, const char *folder, const char *name, struct pf_error *error)
{
	char *path = NULL;
	int fd, status;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", folder);
	/* O_NOFOLLOW and O_NONBLOCK: a recorded program could have left a link or a pipe under such a name. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		status = pf_fail(error, PF_EIO, "%s: cannot read: %s", path, strerror(errno));
	} else {
		status = pf_harvest_add(h, fd, path, error);
		close(fd);
	}
	free(path);
	return status;
}

int pf_harvest_folder(struct pf_harvest *h, const char *folder, pf_harvest_progress *progress, void *context,
		      struct pf_error *error)
{
	struct dirent **entries;
	int status = PF_OK, count = scandir(folder, &entries, is_wire_file, versionsort);

	if (count < 0)
		return pf_fail(error, PF_EIO, "%s: cannot read the folder: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (progress && status == PF_OK)
			progress(context, (size_t)i, (size_t)count);
		if (status == PF_OK)
			status = add_entry(h, folder, entries[i]->d_name, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}
