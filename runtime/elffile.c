/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See elffile.h.  Hard case: to open a device or a pipe can wait or do something, so it is opened without either. */
#include "runtime/elffile.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pf_elffile_read(int fd, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

int pf_elffile_open(const char *path, Elf64_Ehdr *elf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && pf_elffile_read(fd, elf, sizeof *elf, 0) &&
	    memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 && elf->e_ident[EI_CLASS] == ELFCLASS64)
		return fd;
	close(fd);
	return -1;
}
