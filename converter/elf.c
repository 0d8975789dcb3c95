/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See elf.h: opening, tables, symbols.  The hard case is a file whose tables point anywhere: each table is one cursor
 * over bytes whose place and size were checked against the file first. */
#include "converter/elf.h"
#include "support/cursor.h"
#include "support/filekind.h"
#include "support/search.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A cursor over SIZE bytes at OFFSET, failed if the file does not have them. */
static struct pf_cursor window(const struct pf_elf *elf, uint64_t offset, uint64_t size)
{
	struct pf_cursor whole = pf_cursor_over(elf->bytes, elf->size, 0);

	pf_cursor_bytes(&whole, offset);
	return pf_cursor_sub(&whole, size);
}

static int add_segment(struct pf_elf *elf, struct pf_cursor *c)
{
	struct pf_elf_segment s = { 0 }, *new;
	uint32_t type = pf_cursor_u32(c), flags = pf_cursor_u32(c);

	s.offset = pf_cursor_u64(c);
	s.address = pf_cursor_u64(c);
	pf_cursor_u64(c);
	s.file_size = pf_cursor_u64(c);
	pf_cursor_bytes(c, 16);
	s.executable = flags & PF_X;
	elf->interpreted |= !c->failed && type == PT_INTERP;
	if (c->failed || (type != PT_LOAD && type != PT_NOTE) || s.offset > elf->size ||
	    s.address > UINT64_MAX - s.file_size)
		return PF_OK;
	if (s.file_size > elf->size - s.offset)
		s.file_size = elf->size - s.offset;
	new = type == PT_LOAD ? pf_array_push(&elf->segments) : pf_array_push(&elf->notes);
	if (!new)
		return PF_ENOMEM;
	*new = s;
	return PF_OK;
}

static int add_section(struct pf_elf *elf, struct pf_cursor *c, uint32_t *name)
{
	struct pf_elf_section *s = pf_array_push(&elf->sections);

	if (!s)
		return PF_ENOMEM;
	*name = pf_cursor_u32(c);
	s->type = pf_cursor_u32(c);
	s->flags = pf_cursor_u64(c);
	s->address = pf_cursor_u64(c);
	s->offset = pf_cursor_u64(c);
	s->size = pf_cursor_u64(c);
	s->link = pf_cursor_u32(c);
	pf_cursor_u32(c);
	pf_cursor_u64(c);
	s->entry_size = pf_cursor_u64(c);
	return PF_OK;
}

/* The string at OFFSET of section number LINK, or "". */
static const char *string_in(const struct pf_elf *elf, uint32_t link, uint64_t offset)
{
	const struct pf_elf_section *s = link < elf->sections.count ? &elf->sections.at[link] : NULL;
	struct pf_cursor c;
	const char *string;

	if (!s || s->type == SHT_NOBITS || offset >= s->size)
		return "";
	c = window(elf, s->offset, s->size);
	pf_cursor_bytes(&c, offset);
	string = pf_cursor_string(&c);
	return string ? string : "";
}

static int read_sections(struct pf_elf *elf, uint64_t offset, uint16_t count, uint16_t names)
{
	struct pf_cursor c = window(elf, offset, (uint64_t)count * sizeof(Elf64_Shdr));
	uint32_t *name_offsets;
	int status = PF_OK;

	if (count == 0)
		return PF_OK;
	if (c.failed)
		return PF_ETRUNCATED;
	name_offsets = calloc(count, sizeof *name_offsets);
	if (!name_offsets)
		return PF_ENOMEM;
	for (uint16_t i = 0; i < count && status == PF_OK; i++)
		status = add_section(elf, &c, &name_offsets[i]);
	for (size_t i = 0; i < elf->sections.count; i++)
		elf->sections.at[i].name = string_in(elf, names, name_offsets[i]);
	free(name_offsets);
	return status;
}

/* Takes the build-id out of SIZE bytes of notes at OFFSET, if it is there and none is known.  Of one that is longer
 * than recordings can hold (of mold's --build-id=sha256), what they have of it.  The last of the notes may lack the
 * bytes that pad it (of ld's --build-id=0x...). */
static void read_notes(struct pf_elf *elf, uint64_t offset, uint64_t size)
{
	struct pf_cursor c = window(elf, offset, size);

	while (elf->build_id_size == 0 && pf_cursor_left(&c) >= 12) {
		uint32_t name_size = pf_cursor_u32(&c), length = pf_cursor_u32(&c), type = pf_cursor_u32(&c);
		const char *name = pf_cursor_bytes(&c, ((uint64_t)name_size + 3) & ~3ull);
		const uint8_t *id = pf_cursor_bytes(&c, length);

		if (name && id && type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0 &&
		    length > 0) {
			elf->build_id_size = (uint8_t)(length < sizeof elf->build_id ? length : sizeof elf->build_id);
			memcpy(elf->build_id, id, elf->build_id_size);
			elf->note_id = id;
			elf->note_id_size = length;
		}
		pf_cursor_bytes(&c, -length % 4);
	}
}

static void read_build_id(struct pf_elf *elf)
{
	for (size_t i = 0; i < elf->sections.count; i++) {
		if (elf->sections.at[i].type == SHT_NOTE)
			read_notes(elf, elf->sections.at[i].offset, elf->sections.at[i].size);
	}
	/* A file may have no sections; what is loaded has the notes that the kernel reads. */
	for (size_t i = 0; i < elf->notes.count; i++)
		read_notes(elf, elf->notes.at[i].offset, elf->notes.at[i].file_size);
}

static int check_header(const struct pf_elf *elf, const char *path, struct pf_error *error)
{
	if (elf->size < EI_NIDENT || memcmp(elf->bytes, ELFMAG, SELFMAG) != 0)
		return pf_filekind_refuse(path, elf->bytes, elf->size, "an ELF file",
					  "name the program or library that was recorded", error);
	if (elf->bytes[EI_CLASS] != ELFCLASS64 || elf->bytes[EI_DATA] != ELFDATA2LSB)
		return pf_fail(error, PF_EFORMAT, "%s: not a 64-bit little-endian ELF file; only x86-64 is supported",
			       path);
	if (elf->size < sizeof(Elf64_Ehdr))
		return pf_fail(error, PF_ETRUNCATED, "%s: ends inside its ELF header; it is truncated, copy it again",
			       path);
	return PF_OK;
}

static int read_tables(struct pf_elf *elf, const char *path, struct pf_error *error)
{
	struct pf_cursor c = pf_cursor_over(elf->bytes, elf->size, 0), headers;
	uint64_t segments_at, sections_at;
	uint16_t machine, segment_size, segment_count, section_size, section_count, names;
	int status = PF_OK;

	pf_cursor_bytes(&c, EI_NIDENT);
	elf->type = pf_cursor_u16(&c);
	machine = pf_cursor_u16(&c);
	pf_cursor_bytes(&c, 12);
	segments_at = pf_cursor_u64(&c);
	sections_at = pf_cursor_u64(&c);
	pf_cursor_bytes(&c, 6);
	segment_size = pf_cursor_u16(&c);
	segment_count = pf_cursor_u16(&c);
	section_size = pf_cursor_u16(&c);
	section_count = pf_cursor_u16(&c);
	names = pf_cursor_u16(&c);
	if (machine != EM_X86_64 ||
	    (elf->type != ET_EXEC && elf->type != ET_DYN && !(elf->object && elf->type == ET_REL)))
		return pf_fail(error, PF_EFORMAT,
			       "%s: not an x86-64 program or shared library (ELF type %u, machine %u)", path, elf->type,
			       machine);
	if ((segment_count && segment_size != sizeof(Elf64_Phdr)) ||
	    (section_count && section_size != sizeof(Elf64_Shdr)))
		return pf_fail(error, PF_EFORMAT,
			       "%s: its ELF header gives an impossible size of table entries; it is damaged", path);
	elf->headers_end = segments_at + (uint64_t)segment_count * sizeof(Elf64_Phdr);
	headers = window(elf, segments_at, (uint64_t)segment_count * sizeof(Elf64_Phdr));
	for (uint16_t i = 0; i < segment_count && status == PF_OK; i++)
		status = add_segment(elf, &headers);
	if (status == PF_OK)
		status = read_sections(elf, sections_at, section_count, names);
	if (status == PF_ETRUNCATED || headers.failed)
		return pf_fail(error, PF_ETRUNCATED,
			       "%s: its section or segment table lies beyond its end; it is truncated", path);
	return status < 0 ? pf_fail(error, status, "%s: out of memory", path) : PF_OK;
}

static int open_over(const void *bytes, uint64_t size, const char *path, bool object, struct pf_elf *elf,
		     struct pf_error *error)
{
	int status;

	*elf = (struct pf_elf) { .bytes = bytes, .size = size, .path = strdup(path), .object = object };
	status = elf->path ? check_header(elf, path, error) : pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (status == PF_OK)
		status = read_tables(elf, path, error);
	if (status == PF_OK)
		read_build_id(elf);
	else
		pf_elf_close(elf);
	return status;
}

int pf_elf_over(const void *bytes, uint64_t size, const char *path, struct pf_elf *elf, struct pf_error *error)
{
	return open_over(bytes, size, path, false, elf, error);
}

static int map_file(int fd, const char *path, const void **bytes, uint64_t *size, struct pf_error *error)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return pf_fail(error, PF_EIO, "%s: cannot read: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return pf_fail(error, PF_EFORMAT,
			       "%s: not a regular file; name the program or library that was recorded", path);
	if (st.st_size == 0)
		return pf_fail(error, PF_ETRUNCATED, "%s: empty file; name the program or library that was recorded",
			       path);
	*size = (uint64_t)st.st_size;
	*bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (*bytes == MAP_FAILED)
		return pf_fail(error, PF_EIO, "%s: cannot map: %s", path, strerror(errno));
	return PF_OK;
}

static int open_file(const char *path, bool object, struct pf_elf *elf, struct pf_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO of the name is no reason to wait */
	const void *bytes = NULL;
	uint64_t size = 0;
	int status;

	*elf = (struct pf_elf) { 0 };
	if (fd < 0)
		return pf_fail(error, PF_EIO, "%s: cannot open: %s", path, strerror(errno));
	status = map_file(fd, path, &bytes, &size, error);
	close(fd);
	if (status < 0)
		return status;
	status = open_over(bytes, size, path, object, elf, error);
	if (status == PF_OK)
		elf->owned = true;
	else
		munmap((void *)bytes, size);
	return status;
}

int pf_elf_open(const char *path, struct pf_elf *elf, struct pf_error *error)
{
	return open_file(path, false, elf, error);
}

int pf_elf_open_object(const char *path, struct pf_elf *elf, struct pf_error *error)
{
	return open_file(path, true, elf, error);
}

void pf_elf_close(struct pf_elf *elf)
{
	for (size_t i = 0; i < elf->sections.count; i++)
		free(elf->sections.at[i].inflated);
	pf_array_fini(&elf->sections);
	pf_array_fini(&elf->segments);
	pf_array_fini(&elf->notes);
	pf_array_fini(&elf->symbols);
	free(elf->path);
	if (elf->owned)
		munmap((void *)elf->bytes, elf->size);
	*elf = (struct pf_elf) { 0 };
}

bool pf_elf_is_library_name(const char *path)
{
	const char *at = strrchr(path, '/');

	for (at = strstr(at ? at : path, ".so"); at; at = strstr(at + 1, ".so")) {
		/* The name ends, or a version follows, or what the kernel says of a deleted file. */
		if (strchr(". ", at[3]))
			return true;
	}
	return false;
}

bool pf_elf_is_program(const struct pf_elf *elf)
{
	/* libc.so.6 and the loader can be run as programs, too. */
	return elf->type == ET_EXEC || (elf->interpreted && !pf_elf_is_library_name(elf->path));
}

bool pf_elf_address(const struct pf_elf *elf, uint64_t offset, uint64_t *address)
{
	for (int executable = 1; executable >= 0; executable--) {
		for (size_t i = 0; i < elf->segments.count; i++) {
			const struct pf_elf_segment *s = &elf->segments.at[i];

			if (s->executable == (executable == 1) && offset >= s->offset &&
			    offset - s->offset < s->file_size) {
				*address = offset - s->offset + s->address;
				return true;
			}
		}
	}
	return false;
}

const uint8_t *pf_elf_code(const struct pf_elf *elf, uint64_t address, uint64_t *left)
{
	for (size_t i = 0; i < elf->segments.count; i++) {
		const struct pf_elf_segment *s = &elf->segments.at[i];

		if (s->executable && address >= s->address && address - s->address < s->file_size) {
			*left = s->file_size - (address - s->address);
			return elf->bytes + s->offset + (address - s->address);
		}
	}
	*left = 0;
	return NULL;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pf_elf_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->sized != y->sized)
		return x->sized ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int add_symbols(struct pf_elf *elf, const struct pf_elf *from, const struct pf_elf_section *table)
{
	struct pf_cursor c = window(from, table->offset, table->size);

	while (pf_cursor_left(&c) >= sizeof(Elf64_Sym)) {
		uint32_t name = pf_cursor_u32(&c);
		uint8_t info = pf_cursor_u8(&c);
		uint16_t section = (pf_cursor_u8(&c), pf_cursor_u16(&c));
		uint64_t address = pf_cursor_u64(&c), size = pf_cursor_u64(&c);
		uint8_t type = ELF64_ST_TYPE(info);
		struct pf_elf_symbol *symbol;

		if (section == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
		    address == 0)
			continue;
		symbol = pf_array_push(&elf->symbols);
		if (!symbol)
			return PF_ENOMEM;
		*symbol = (struct pf_elf_symbol) { .address = address,
						   .size = size,
						   .name = string_in(from, table->link, name),
						   .global = ELF64_ST_BIND(info) != STB_LOCAL,
						   .sized = type != STT_NOTYPE && size > 0 };
	}
	return PF_OK;
}

int pf_elf_load_symbols(struct pf_elf *elf, struct pf_elf *from, struct pf_error *error)
{
	int status = PF_OK;

	for (size_t i = 0; i < from->sections.count && status == PF_OK; i++) {
		const struct pf_elf_section *s = &from->sections.at[i];

		if (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM)
			status = add_symbols(elf, from, s);
	}
	pf_array_sort(&elf->symbols, compare_symbols);
	return status < 0 ? pf_fail(error, status, "%s: out of memory", from->path) : PF_OK;
}

/* The first symbol at ADDRESS or behind it. */
static size_t first_symbol(const struct pf_elf *elf, uint64_t address)
{
	struct pf_search search = pf_search_over(elf->symbols.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, elf->symbols.at[search.middle].address < address);
	return search.low;
}

const struct pf_elf_symbol *pf_elf_symbol_at(const struct pf_elf *elf, uint64_t address)
{
	size_t i = first_symbol(elf, address);

	return i < elf->symbols.count && elf->symbols.at[i].address == address ? &elf->symbols.at[i] : NULL;
}

const struct pf_elf_symbol *pf_elf_symbol_before(const struct pf_elf *elf, uint64_t address)
{
	size_t behind = first_symbol(elf, address + 1);

	return behind > 0 ? &elf->symbols.at[behind - 1] : NULL;
}
