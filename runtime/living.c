/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See living.h.  The mapping tells them, and not their parents or groups: a daemon has left both.  Hard cases: a
 * process in the midst of its end, whose table of mappings is empty already, and one whose first thread has ended. */
#include "runtime/living.h"

#include "runtime/procfs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_mapped(pid_t pid, const char *path)
{
	char name[64], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof name, "/proc/%d/task/%d/maps", pid, pf_procfs_witness(pid));
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
	pid_t *processes;
	size_t all = pf_procfs_processes(&processes), count = 0;

	*first = 0;
	for (size_t i = 0; i < all; i++) {
		if (has_mapped(processes[i], path) && count++ == 0)
			*first = processes[i];
	}
	free(processes);
	return count;
}
