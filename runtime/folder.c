/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file half of harvest.h: the sections in the order of process id and start, so that equal files give equal
 * recordings, and what the control page counts.  Hard case: the number of sections in use is anybody's to write, and
 * the file may be shorter than its control page says. */
#include "runtime/harvest.h"
#include "runtime/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a section goes in the order. */
struct place {
	uint64_t number, start_ns;
	uint32_t pid;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Where the file, of SIZE bytes, has data at OFFSET or behind it; -1: nowhere. */
static off_t find_data(int fd, off_t offset, off_t size)
{
	off_t data = lseek(fd, offset, SEEK_DATA);

	/* A file system that knows of no holes, which each says in its own way; ENXIO is no data. */
	if (data < 0 && errno != ENXIO)
		data = offset;
	return data < size ? data : -1;
}

/* The sections with data, *COUNT, in their order; malloc's, NULL without memory. */
static struct place *find_sections(int fd, const struct pf_wire_layout *layout, off_t size, uint64_t *count)
{
	struct place *places = calloc(layout->sections, sizeof *places);
	off_t offset = (off_t)layout->first;

	*count = 0;
	while (places && *count < layout->sections && (offset = find_data(fd, offset, size)) >= 0) {
		uint64_t number = ((uint64_t)offset - layout->first) / layout->section_size;
		struct pf_wire_header header;

		if (number >= layout->sections)
			break;
		offset = (off_t)(layout->first + number * layout->section_size);
		if (pread(fd, &header, sizeof header, offset) != (ssize_t)sizeof header)
			header = (struct pf_wire_header) { 0 };
		places[(*count)++] = (struct place) { number, header.start_ns, header.pid };
		offset += (off_t)layout->section_size;
	}
	if (places)
		qsort(places, *count, sizeof *places, compare_places);
	return places;
}

int pf_harvest_file(struct pf_harvest *h, int fd, const char *name, pf_harvest_progress *progress, void *context,
		    struct pf_error *error)
{
	int status = pf_keeper_read(fd, name, &h->control, error);
	struct place *places;
	struct stat st;
	uint64_t count;

	if (status < 0)
		return status;
	if (fstat(fd, &st) != 0)
		return pf_fail(error, PF_EIO, "%s: cannot read: %s", name, strerror(errno));
	h->vectors.nominal_length = h->control.branches;
	h->vectors.frequency = h->control.frequency;
	places = find_sections(fd, &h->control.layout, st.st_size, &count);
	if (!places)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory while reading the recording", name);
	for (uint64_t i = 0; status == PF_OK && i < count; i++) {
		if (progress)
			progress(context, i, count);
		status = pf_harvest_section(h, fd, name, places[i].number, error);
	}
	free(places);
	return status;
}

/* Sixteen hexadecimal digits, as soft.c makes them. */
static int is_inner(const struct dirent *entry)
{
	return strlen(entry->d_name) == 16 && strspn(entry->d_name, "0123456789abcdef") == 16;
}

/* Opens the file in FOLDER, or in a folder in it, as a recorder's private folder has it.  PATH becomes its name,
 * malloc's. O_NOFOLLOW and O_NONBLOCK: a recorded program could have left a link or a pipe there. */
static int open_recording(const char *folder, char **path)
{
	const int mode = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = -1, count, error = ENOENT;
	struct dirent **entries;

	if (asprintf(path, "%s/" PF_WIRE_FILE, folder) >= 0)
		fd = open(*path, mode);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	count = scandir(folder, &entries, is_inner, alphasort);
	for (int i = 0; i < count; i++) {
		if (fd < 0 && error == ENOENT) {
			free(*path);
			if (asprintf(path, "%s/%s/" PF_WIRE_FILE, folder, entries[i]->d_name) >= 0)
				fd = open(*path, mode);
			error = errno == ENOTDIR ? ENOENT : errno;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	errno = error;
	return fd;
}

int pf_harvest_folder(struct pf_harvest *h, const char *folder, pf_harvest_progress *progress, void *context,
		      struct pf_error *error)
{
	char *path = NULL;
	struct stat st;
	int fd = open_recording(folder, &path), status;

	if (fd < 0 && errno == ENOENT)
		status = pf_fail(error, PF_ENOTFOUND,
				 "%s: no recording of the software recorder is there; name a recorder's private folder",
				 folder);
	else if (fd < 0)
		status = pf_fail(error, PF_EIO, "%s: cannot read: %s", path ? path : folder, strerror(errno));
	else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		status = pf_fail(error, PF_EIO, "%s: cannot read: it is not a plain file", path);
	else
		status = pf_harvest_file(h, fd, path, progress, context, error);
	if (fd >= 0)
		close(fd);
	free(path);
	return status;
}
