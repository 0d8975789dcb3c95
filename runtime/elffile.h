/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The little that the recorder asks of program files, without libelf: any file can have been mapped, a special or
 * damaged one too. */
#ifndef PF_RUNTIME_ELFFILE_H
#define PF_RUNTIME_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens PATH and reads its header into *ELF.  The descriptor, the caller's to close; -1 if it cannot be read or is no
 * plain 64-bit ELF file. */
int pf_elffile_open(const char *path, Elf64_Ehdr *elf);

/* Reads SIZE bytes at OFFSET; false if there are not so many. */
bool pf_elffile_read(int fd, void *to, size_t size, uint64_t offset);

#endif
