/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See target.h.  Hard case: a script names its interpreter, which may be a script again (the kernel follows four), or
 * `env`, which preloads like any other program.  What cannot be read is taken as preloadable: execution does not need
 * read permission, and the recorder notices afterwards that nothing came. */
#include "runtime/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_INTERPRETERS 4
#define MAX_PROGRAM_HEADERS 65536u

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Looks through PATH.  True when TARGET->path is the program; *SEEN tells that a file of the name was there. */
static bool search_path(struct pf_target *target, const char *command, bool *seen)
{
	const char *at = getenv("PATH");

	at = at ? at : "/bin:/usr/bin";
	for (;;) {
		size_t length = strcspn(at, ":");
		const char *folder = length ? at : ".";
		int size =
		    snprintf(target->path, sizeof target->path, "%.*s/%s", (int)(length ? length : 1), folder, command);

		if (size > 0 && (size_t)size < sizeof target->path) {
			if (is_program(target->path))
				return true;
			*seen |= access(target->path, F_OK) == 0;
		}
		if (!at[length])
			return false;
		at += length + 1;
	}
}

int pf_target_find(struct pf_target *target, const char *command, struct pf_error *error)
{
	bool seen = false, found;

	if (!*command)
		return pf_fail(error, PF_ENOTFOUND, "the name of the program to record is empty");
	if (strchr(command, '/')) {
		if (strlen(command) >= sizeof target->path)
			return pf_fail(error, PF_ENOTFOUND, "%s: the path is too long", command);
		strcpy(target->path, command);
		found = is_program(command);
		if (!found && access(command, F_OK) != 0)
			return pf_fail(error, errno == ENOENT || errno == ENOTDIR ? PF_ENOTFOUND : PF_EIO,
				       "%s: cannot run it: %s", command, strerror(errno));
		seen = true;
	} else {
		found = search_path(target, command, &seen);
	}
	if (found)
		return PF_OK;
	if (seen)
		return pf_fail(error, PF_EIO, "%s: cannot run it: it is not an executable file", command);
	return pf_fail(error, PF_ENOTFOUND, "%s: no such program in PATH", command);
}

/* Reads up to SIZE bytes at OFFSET; the number read, 0 on any failure. */
static size_t read_some(int fd, void *to, size_t size, uint64_t offset)
{
	ssize_t got = offset <= INT64_MAX ? pread(fd, to, size, (off_t)offset) : 0;

	return got > 0 ? (size_t)got : 0;
}

/* Puts a script's interpreter into PATH; false if there is none. */
static bool interpreter(const char *head, size_t size, char *path)
{
	size_t begin = 2, length;

	while (begin < size && (head[begin] == ' ' || head[begin] == '\t'))
		begin++;
	for (length = 0; begin + length < size && !strchr(" \t\n\r", head[begin + length]);)
		length++;
	if (length == 0 || length >= PATH_MAX)
		return false;
	memcpy(path, head + begin, length);
	path[length] = 0;
	return true;
}

static bool has_interpreter_segment(int fd, const Elf64_Ehdr *elf)
{
	for (uint32_t i = 0; i < elf->e_phnum && i < MAX_PROGRAM_HEADERS; i++) {
		Elf64_Phdr segment;

		if (read_some(fd, &segment, sizeof segment, elf->e_phoff + (uint64_t)i * elf->e_phentsize) !=
		    sizeof segment)
			return false;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

#define CURE "record it with --source=clock"

static int check_elf(int fd, const char *path, const Elf64_Ehdr *elf, struct pf_error *error)
{
	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != EM_X86_64)
		return pf_fail(
		    error, PF_EUNSUPPORTED,
		    "%s: it is a program for another architecture than x86-64, into which the recorder library "
		    "cannot be loaded; " CURE,
		    path);
	if (!has_interpreter_segment(fd, elf))
		return pf_fail(
		    error, PF_EUNSUPPORTED,
		    "%s: it is statically linked, so that the recorder library cannot be loaded into it; " CURE, path);
	return PF_OK;
}

static int check_privilege(int fd, const char *path, struct pf_error *error)
{
	struct stat st;
	const char *why = NULL;

	if (fstat(fd, &st) != 0)
		return PF_OK;
	if ((st.st_mode & S_ISUID) && st.st_uid != geteuid())
		why = "set-user-id";
	else if ((st.st_mode & S_ISGID) && st.st_gid != getegid())
		why = "set-group-id";
	else if (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		why = "given file capabilities";
	if (!why)
		return PF_OK;
	return pf_fail(error, PF_EUNSUPPORTED,
		       "%s: it is %s, and the dynamic loader ignores preloaded libraries there; " CURE, path, why);
}

/* Checks the file PATH (PATH_MAX bytes); 1 if it is a script, whose interpreter then is in PATH. */
static int check_file(char *path, struct pf_error *error)
{
	union {
		Elf64_Ehdr elf;
		char text[256];
	} head = { 0 };
	int status = PF_OK, fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size;

	if (fd < 0)
		return PF_OK;
	size = read_some(fd, &head, sizeof head, 0);
	if (size > 2 && memcmp(head.text, "#!", 2) == 0) {
		status = interpreter(head.text, size, path);
	} else if (size >= sizeof head.elf && memcmp(head.elf.e_ident, ELFMAG, SELFMAG) == 0) {
		status = check_elf(fd, path, &head.elf, error);
		if (status == PF_OK)
			status = check_privilege(fd, path, error);
	}
	close(fd);
	return status;
}

int pf_target_preloadable(const struct pf_target *target, struct pf_error *error)
{
	char path[PATH_MAX];
	int status = 1;

	memcpy(path, target->path, sizeof path);
	for (int i = 0; status == 1 && i <= MAX_INTERPRETERS; i++)
		status = check_file(path, error);
	return status < 0 ? status : PF_OK;
}
