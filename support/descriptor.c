/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See descriptor.h.  The hard case is that /dev/stdout is a link to /proc/self/fd/1, and that to a file: the links are
 * followed one by one, to the last that is still in that folder. */
#include "support/descriptor.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40
#define SELF "/proc/self/fd/" /* known as such also where /proc is not mounted */

/* NAME as a number of a descriptor, or PF_NO_DESCRIPTOR. */
static int number_of(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return end > name && !*end && number >= 0 && number <= INT_MAX ? (int)number : PF_NO_DESCRIPTOR;
}

/* The number of ours that PATH, in FOLDER, is another name of, or PF_NO_DESCRIPTOR. */
static int own_descriptor(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/');
	char own[64];

	snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
	return strcmp(folder, own) == 0 ? number_of(slash ? slash + 1 : path) : PF_NO_DESCRIPTOR;
}

/* The folder of PATH, without links; false if there is none. */
static bool folder_of(const char *path, char folder[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];

	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
	return realpath(name, folder) != NULL;
}

int pf_descriptor_find(const char *path)
{
	char at[PATH_MAX], folder[PATH_MAX], target[PATH_MAX];

	if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
		return PF_NO_DESCRIPTOR;
	for (int links = 0; links < MAX_LINKS; links++) {
		int number =
		    strncmp(at, SELF, sizeof SELF - 1) == 0 ? number_of(at + sizeof SELF - 1) : PF_NO_DESCRIPTOR;
		ssize_t size;

		if (number == PF_NO_DESCRIPTOR && !folder_of(at, folder))
			return PF_NO_DESCRIPTOR;
		if (number == PF_NO_DESCRIPTOR)
			number = own_descriptor(at, folder);
		if (number != PF_NO_DESCRIPTOR)
			return number;
		size = readlink(at, target, sizeof target - 1);
		if (size <= 0)
			return PF_NO_DESCRIPTOR;
		target[size] = 0;
		if (snprintf(at, sizeof at, "%s%s%s", *target == '/' ? "" : folder, *target == '/' ? "" : "/",
			     target) >= (int)sizeof at)
			return PF_NO_DESCRIPTOR;
	}
	return PF_NO_DESCRIPTOR;
}
