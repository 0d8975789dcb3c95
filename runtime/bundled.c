/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See bundled.h.  The loader leaves word of what it runs where a program looks for it: in the auxiliary vector on the
 * stack, behind arguments and environment, where it writes over what the kernel said of the loader itself.  The hard
 * case: these are the program's memory, and may be anything by now; what is found is looked up in its mappings. */
#include "runtime/bundled.h"

#include "runtime/procfs.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WORDS (1u << 19) /* of arguments and environment: the kernel allows 6 MB of them and their texts */
#define MOST_ENTRIES 64
#define HIGHEST_TYPE 64

static bool get(int memory, uint64_t from, uint64_t *word)
{
	return pread(memory, word, sizeof *word, (off_t)from) == (ssize_t)sizeof *word;
}

/* What is behind the next word that is 0; 0 where there is none. */
static uint64_t skip_list(int memory, uint64_t at)
{
	uint64_t words[512];

	for (uint32_t done = 0; done < MOST_WORDS;) {
		ssize_t size = pread(memory, words, sizeof words, (off_t)at);

		if (size < (ssize_t)sizeof *words)
			return 0;
		for (size_t i = 0; i < (size_t)size / sizeof *words; i++, done++, at += sizeof *words) {
			if (words[i] == 0)
				return at + sizeof *words;
		}
	}
	return 0;
}

/* Where the vector on the stack is; 0: nowhere.  A variable that was taken out of the environment leaves one more 0. */
static uint64_t find_vector(pid_t pid, int memory)
{
	uint64_t stack = pf_procfs_stack(pid), at = stack ? skip_list(memory, stack + sizeof stack) : 0, type = 0;

	at = at ? skip_list(memory, at) : 0;
	while (at && get(memory, at, &type) && type == 0 && at - stack < MOST_WORDS * sizeof stack)
		at += sizeof type;
	return type && type < HIGHEST_TYPE ? at : 0;
}

static uint64_t *find_entry(uint64_t (*vector)[2], size_t count, uint64_t type)
{
	for (size_t i = 0; i < count && vector[i][0] != AT_NULL; i++) {
		if (vector[i][0] == type)
			return &vector[i][1];
	}
	return NULL;
}

static bool has_loader(uint64_t (*vector)[2], size_t count)
{
	const uint64_t *loader = find_entry(vector, count, AT_BASE);

	return loader && *loader;
}

bool pf_bundled_vector(pid_t pid, int memory, uint64_t (*vector)[2], size_t count)
{
	static const uint64_t places[] = { AT_PHDR, AT_PHNUM, AT_ENTRY };
	uint64_t seen[MOST_ENTRIES][2] = { { AT_NULL, 0 } }, at;

	if (has_loader(vector, count))
		return false;
	at = find_vector(pid, memory);
	if (!at || pread(memory, seen, sizeof seen, (off_t)at) <= 0)
		return true;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		uint64_t *to = find_entry(vector, count, places[i]);
		const uint64_t *from = find_entry(seen, MOST_ENTRIES, places[i]);

		if (to && from)
			*to = *from;
	}
	return true;
}

/* The file that PID has mapped at ADDRESS. */
static bool find_mapped(pid_t pid, uint64_t address, char path[PATH_MAX])
{
	char maps[64], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *file;

	snprintf(maps, sizeof maps, "/proc/%d/maps", pid);
	file = fopen(maps, "re");
	while (file && !found && getline(&line, &room, file) > 0) {
		uint64_t start, length, offset;
		uint32_t protection;
		const char *name;

		if (!pf_procfs_parse_mapping(line, &start, &length, &offset, &protection, &name) ||
		    address - start >= length)
			continue;
		found = *name == '/' && strlen(name) < PATH_MAX;
		if (found)
			strcpy(path, name);
	}
	if (file)
		fclose(file);
	free(line);
	return found;
}

bool pf_bundled_program(pid_t pid, char path[PATH_MAX])
{
	uint64_t vector[MOST_ENTRIES][2] = { { AT_NULL, 0 } };
	const uint64_t *headers = NULL;
	char name[64];
	int memory;

	/* Of all others, whose names are looked at, too, the memory is none of ours. */
	if (pf_procfs_read(pid, 0, "auxv", (char *)vector, sizeof vector) <= 0 || has_loader(vector, MOST_ENTRIES))
		return false;
	snprintf(name, sizeof name, "/proc/%d/mem", pid);
	memory = open(name, O_RDONLY | O_CLOEXEC);
	if (memory >= 0 && pf_bundled_vector(pid, memory, vector, MOST_ENTRIES))
		headers = find_entry(vector, MOST_ENTRIES, AT_PHDR);
	if (memory >= 0)
		close(memory);
	return headers && find_mapped(pid, *headers, path);
}
