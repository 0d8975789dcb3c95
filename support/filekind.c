/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See filekind.h.  Only what stands on or beside pathfdo's road is named: its own files, and what is taken for one. */
#include "support/filekind.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *name, *magic;
} kinds[] = {
	{ "a program or library", "\x7f"
				  "ELF" },
	{ "a profile of `pathfdo convert`", "\x89pfdo" },
	{ "a recording", "PERFILE" },
	{ "the counts of paths of an instrumented program", "PFPATHS" },
	{ "the calling contexts of an instrumented program", "PFCTREE" },
	{ "a profile or a count of gcov's", "adcg" },
	{ "a library of objects", "!<arch>" },
	{ "a script", "#!" },
	{ "a file compressed by gzip", "\x1f\x8b" },
	{ "a file compressed by xz", "\xfd"
				     "7zXZ" },
	{ "a file compressed by zstd", "\x28\xb5\x2f\xfd" },
};

bool pf_filekind_begins(const char *path, const void *magic, size_t size)
{
	char bytes[16];
	struct stat st;
	FILE *file = size <= sizeof bytes && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
	bool begins = file && fread(bytes, 1, size, file) == size && memcmp(bytes, magic, size) == 0;

	if (file)
		fclose(file);
	return begins;
}

/* NULL if the bytes say nothing. */
static const char *name_kind(const void *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t length = strlen(kinds[i].magic);

		if (size >= length && memcmp(bytes, kinds[i].magic, length) == 0)
			return kinds[i].name;
	}
	return NULL;
}

int pf_filekind_refuse(const char *path, const void *bytes, size_t size, const char *wanted, const char *cure,
		       struct pf_error *error)
{
	const char *kind = size ? name_kind(bytes, size) : NULL;

	if (!size)
		return pf_fail(error, PF_ETRUNCATED, "%s: is empty; %s", path, cure);
	if (!kind)
		return pf_fail(error, PF_EFORMAT, "%s: is not %s; %s", path, wanted, cure);
	return pf_fail(error, PF_EFORMAT, "%s: is %s, not %s; %s", path, kind, wanted, cure);
}
