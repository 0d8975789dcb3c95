/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See duplicates.h.  Hard case: a copy, which has another inode; two recordings of one size are rare enough that all
 * of their bytes can be compared.  A recording that is a folder is known by the first file in it. */
#include "converter/duplicates.h"
#include "support/recordingpart.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool same_bytes(const char *a, const char *b)
{
	FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
	char left[16384], right[sizeof left];
	bool same = x && y;
	size_t got = 1;

	while (same && got > 0) {
		got = fread(left, 1, sizeof left, x);
		same = fread(right, 1, sizeof right, y) == got && memcmp(left, right, got) == 0 && !ferror(x);
	}
	if (x)
		fclose(x);
	if (y)
		fclose(y);
	return same;
}

/* Whether the recordings at A and B have as many files, with the same in them. */
static bool same_parts(const char *a, const char *b)
{
	char x[PATH_MAX], y[PATH_MAX];

	for (uint32_t number = 0;; number++) {
		bool more = pf_recording_part(a, number, x);

		if (pf_recording_part(b, number, y) != more)
			return false;
		if (!more)
			return true;
		if (!same_bytes(x, y))
			return false;
	}
}

static bool is_same(const struct pf_known_files *known, const struct pf_known_file *a, const struct pf_known_file *b)
{
	if (a->device == b->device && a->inode == b->inode)
		return true;
	return !known->counts && a->size == b->size && same_parts(a->path, b->path);
}

int pf_known_files_add(struct pf_known_files *known, const char *path, struct pf_error *error)
{
	struct pf_known_file file = { .path = path }, *new;
	char first[PATH_MAX];
	struct stat st;

	if (!pf_recording_part(path, 0, first) || stat(first, &st) != 0 || !S_ISREG(st.st_mode))
		return PF_OK;
	file.device = st.st_dev;
	file.inode = st.st_ino;
	file.size = st.st_size;
	for (size_t i = 0; i < known->files.count; i++) {
		if (is_same(known, &file, &known->files.at[i]))
			return pf_fail(error, PF_EMISMATCH,
				       "%s: is the same %s as %s, and would count twice; name it once", path,
				       known->counts ? "file" : "recording", known->files.at[i].path);
	}
	new = pf_array_push(&known->files);
	if (!new)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	*new = file;
	return PF_OK;
}

void pf_known_files_fini(struct pf_known_files *known)
{
	pf_array_fini(&known->files);
}
