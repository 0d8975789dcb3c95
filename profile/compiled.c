/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See compiled.h.  The hard case is one file spelled in two ways: the profiled binary was built in another folder, by
 * another user, under -ffile-prefix-map, from the release before.  What is left of a path through all of that is its
 * end. */
#include "profile/compiled.h"
#include "profile/arena.h"
#include "support/filename.h"

#include <stdlib.h>
#include <string.h>

/* A component of a path. */
struct component {
	const char *text;
	size_t length;
};

/* The folder that holds NAME's last component; nothing when there is none in NAME, or it could be any. */
static struct component folder_of(const char *name)
{
	const char *end = pf_filename_base(name), *start;

	if (end == name || end - 1 == name)
		return (struct component) { 0 };
	start = --end;
	while (start > name && start[-1] != '/')
		start--;
	if (end - start == 2 && memcmp(start, "..", 2) == 0)
		return (struct component) { 0 };
	return (struct component) { start, (size_t)(end - start) };
}

/* The length of C without a version at its end: what stands before the first "-", "_" or "." that a digit follows. */
static size_t unversioned(struct component c)
{
	for (size_t i = 1; i + 1 < c.length; i++) {
		if (memchr("-_.", c.text[i], 3) && c.text[i + 1] >= '0' && c.text[i + 1] <= '9')
			return i;
	}
	return c.length;
}

bool pf_compiled_alike(const char *a, const char *b)
{
	struct component x = folder_of(a), y = folder_of(b);
	size_t length;

	if (strcmp(pf_filename_base(a), pf_filename_base(b)) != 0)
		return false;
	if (!x.length || !y.length)
		return true;
	length = unversioned(x);
	return length == unversioned(y) && memcmp(x.text, y.text, length) == 0;
}

uint32_t pf_compiled_key(const char *name)
{
	const char *base = pf_filename_base(name);

	return (uint32_t)(pf_arena_hash(base, strlen(base)) >> 32);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void pf_compiled_sort(struct pf_profile *profile)
{
	uint32_t kept = 0;

	if (profile->compiled_count)
		qsort(profile->compiled, profile->compiled_count, sizeof *profile->compiled, compare_names);
	for (uint32_t i = 0; i < profile->compiled_count; i++) {
		if (!kept || profile->compiled[i] != profile->compiled[kept - 1])
			profile->compiled[kept++] = profile->compiled[i];
	}
	profile->compiled_count = kept;
}
