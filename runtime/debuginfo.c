/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks for the names of sections in the section headers.  Hard case: a file whose headers lie, or are gone; nothing is
 * claimed of it then, for a wrong warning is worse than none. */
#include "runtime/debuginfo.h"

#include "runtime/buildid.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"
#define MAX_NAMES (1u << 20)

enum answer { UNKNOWN, THERE, MISSING };

static bool read_fully(int fd, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

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

		if (!read_fully(fd, &section, sizeof section, elf->e_shoff + (uint64_t)i * sizeof section))
			return UNKNOWN;
		if (section.sh_name < size && is_debug(names + section.sh_name))
			return THERE;
	}
	return MISSING;
}

static enum answer ask_sections(int fd)
{
	Elf64_Ehdr elf;
	Elf64_Shdr table;
	enum answer answer = UNKNOWN;
	char *names;

	if (!read_fully(fd, &elf, sizeof elf, 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_shentsize != sizeof table || elf.e_shstrndx >= elf.e_shnum ||
	    !read_fully(fd, &table, sizeof table, elf.e_shoff + (uint64_t)elf.e_shstrndx * sizeof table) ||
	    table.sh_size > MAX_NAMES)
		return UNKNOWN;
	names = calloc(1, table.sh_size + 1);
	if (names && read_fully(fd, names, table.sh_size, table.sh_offset))
		answer = look_through(fd, &elf, names, table.sh_size);
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
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum answer answer = UNKNOWN;
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		answer = ask_sections(fd);
	close(fd);
	return answer == MISSING && !has_separate_file(path);
}
