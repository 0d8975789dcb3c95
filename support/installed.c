/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rule for all that the command needs besides itself, relative to its own file: a tree that is moved, unpacked or
 * installed without root stays whole, since no folder is compiled in. */
#include "support/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

bool pf_installed_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

static bool is_in(const char *folder, const char *suffix, const char *name, char path[PATH_MAX])
{
	char joined[2 * PATH_MAX];
	int length = snprintf(joined, sizeof joined, "%s%s/%s", folder, suffix, name);

	return length < (int)sizeof joined && pf_installed_is_file(joined) && realpath(joined, path);
}

/* NAME in the folder of the running executable with SUFFIX FIRST, else SECOND. */
static bool find(const char *first, const char *second, const char *name, char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *name_of_start = (const char *)getauxval(AT_EXECFN); /* where /proc is not mounted */
	char *slash;

	if (length > 0)
		self[length] = '\0';
	else if (!name_of_start || !realpath(name_of_start, self))
		return false;
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return is_in(self, first, name, path) || is_in(self, second, name, path);
}

bool pf_installed_find(const char *name, char path[PATH_MAX])
{
	return find("", "/../lib/pathfdo", name, path);
}

bool pf_installed_find_page(const char *name, char path[PATH_MAX])
{
	return find("/man", "/../share/man/man1", name, path);
}
