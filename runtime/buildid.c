/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the build-id from the note segments of a 64-bit ELF file, which need no section headers.  Hard case: any file
 * can have been mapped, a special or damaged one too; whatever is wrong with it means "no build-id". */
#include "runtime/buildid.h"

#include "runtime/elffile.h"
#include "support/cursor.h"

#include <string.h>
#include <unistd.h>

#define MAX_NOTES 8192u

/* Notes are a name size, a data size and a type, then name and data, each padded to 4 bytes. */
static uint8_t find_in_notes(const void *notes, size_t size, uint8_t id[20])
{
	struct pf_cursor c = pf_cursor_over(notes, size, 0);

	while (pf_cursor_left(&c) >= 12) {
		uint32_t name_size = pf_cursor_u32(&c), data_size = pf_cursor_u32(&c), type = pf_cursor_u32(&c);
		const char *name = pf_cursor_bytes(&c, name_size);
		const void *data;

		pf_cursor_bytes(&c, -name_size % 4);
		data = pf_cursor_bytes(&c, data_size);
		if (data && type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0 &&
		    data_size <= 20) {
			memcpy(id, data, data_size);
			return (uint8_t)data_size;
		}
		pf_cursor_bytes(&c, -data_size % 4);
	}
	return 0;
}

static uint8_t find_in_file(int fd, const Elf64_Ehdr *elf, uint8_t id[20])
{
	uint8_t notes[MAX_NOTES], size = 0;

	for (uint32_t i = 0; i < elf->e_phnum && size == 0; i++) {
		Elf64_Phdr segment;

		if (!pf_elffile_read(fd, &segment, sizeof segment, elf->e_phoff + (uint64_t)i * elf->e_phentsize))
			return 0;
		if (segment.p_type == PT_NOTE && segment.p_filesz <= sizeof notes &&
		    pf_elffile_read(fd, notes, segment.p_filesz, segment.p_offset))
			size = find_in_notes(notes, segment.p_filesz, id);
	}
	return size;
}

uint8_t pf_buildid_read(const char *path, uint8_t id[20])
{
	Elf64_Ehdr elf;
	int fd = pf_elffile_open(path, &elf);
	uint8_t size;

	if (fd < 0)
		return 0;
	size = find_in_file(fd, &elf, id);
	close(fd);
	return size;
}
