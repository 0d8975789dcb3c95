/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See living.h.  The mapping tells them, and not their parents or groups: a daemon has left both.  Hard cases: a
 * process in the midst of its end, whose table of mappings is empty already; one whose first thread has ended; and one
 * that has just executed a program, which has not mapped the file yet. */
#include "runtime/living.h"

#include "runtime/procfs.h"

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

static bool is_told(pid_t pid, const char *path)
{
	static const char key[] = "PATHFDO_DIR=";
	char name[64], *variable = NULL;
	size_t room = 0;
	bool found = false;
	FILE *variables;

	snprintf(name, sizeof name, "/proc/%d/environ", pid);
	variables = fopen(name, "re");
	if (!variables)
		return false;
	while (!found && getdelim(&variable, &room, 0, variables) > 0)
		found = strncmp(variable, key, sizeof key - 1) == 0 && strcmp(variable + sizeof key - 1, path) == 0;
	free(variable);
	fclose(variables);
	return found;
}

bool pf_living_may_come(const char *path)
{
	pid_t *processes;
	size_t all = pf_procfs_processes(&processes), i;

	for (i = 0; i < all && !is_told(processes[i], path); i++)
		continue;
	free(processes);
	return i < all;
}
