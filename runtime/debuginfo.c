/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks for the names of sections in the section headers.  Hard case: a file whose headers lie, or are gone; nothing is
 * claimed of it then, for a wrong warning is worse than none. */
#include "runtime/debuginfo.h"

#include "runtime/buildid.h"
#include "runtime/elffile.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"
#define MAX_NAMES (1u << 20)

enum answer { UNKNOWN, THERE, MISSING };

static bool is_debug(const char *name)
{
	static const char *const names[] = { ".debug_info", ".zdebug_info", ".gnu_debuglink" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* NAMES is the table of names, of SIZE bytes and a zero behind them. */
static enum answer look_through(int fd, const Elf64_Ehdr *elf, const char *names, size_t size)
{
	for (uint32_t i = 0; i < elf->e_shnum; i++) {
		Elf64_Shdr section;

		if (!pf_elffile_read(fd, &section, sizeof section, elf->e_shoff + (uint64_t)i * sizeof section))
			return UNKNOWN;
		if (section.sh_name < size && is_debug(names + section.sh_name))
			return THERE;
	}
	return MISSING;
}

static enum answer ask_sections(int fd, const Elf64_Ehdr *elf)
{
	Elf64_Shdr table;
	enum answer answer = UNKNOWN;
	char *names;

	if (elf->e_shentsize != sizeof table || elf->e_shstrndx >= elf->e_shnum ||
	    !pf_elffile_read(fd, &table, sizeof table, elf->e_shoff + (uint64_t)elf->e_shstrndx * sizeof table) ||
	    table.sh_size > MAX_NAMES)
		return UNKNOWN;
	names = calloc(1, table.sh_size + 1);
	if (names && pf_elffile_read(fd, names, table.sh_size, table.sh_offset))
		answer = look_through(fd, elf, names, table.sh_size);
	free(names);
	return answer;
}

/* Where distributions put what they take out of a program. */
static bool has_separate_file(const char *path)
{
	char file[sizeof DEBUG_FOLDER + 60];
	uint8_t id[20], size = pf_buildid_read(path, id);
	int length = snprintf(file, sizeof file, DEBUG_FOLDER "/");

	for (uint8_t i = 0; i < size; i++)
		length += snprintf(file + length, sizeof file - (size_t)length, i == 1 ? "/%02x" : "%02x", id[i]);
	strcpy(file + length, ".debug");
	return size > 1 && access(file, F_OK) == 0;
}

bool pf_debuginfo_is_missing(const char *path)
{
	Elf64_Ehdr elf;
	int fd = pf_elffile_open(path, &elf);
	enum answer answer;

	if (fd < 0)
		return false;
	answer = ask_sections(fd, &elf);
	close(fd);
	return answer == MISSING && !has_separate_file(path);
}
