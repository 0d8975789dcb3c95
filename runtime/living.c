/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See living.h.  The mapping tells them, and not their parents or groups: a daemon has left both.  Hard case: a process
 * in the midst of its end; its table of mappings is empty already. */
#include "runtime/living.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_mapped(const char *pid, const char *path)
{
	char name[PATH_MAX], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof name, "/proc/%s/maps", pid);
	maps = fopen(name, "re");
	if (!maps)
		return false;
	while (!found && getline(&line, &room, maps) > 0)
		found = strstr(line, path) != NULL;
	free(line);
	fclose(maps);
	return found;
}

size_t pf_living_count(const char *path, pid_t *first)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	*first = 0;
	while (processes && (entry = readdir(processes))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || !has_mapped(entry->d_name, path))
			continue;
		if (count++ == 0)
			*first = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	if (processes)
		closedir(processes);
	return count;
}
