/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 64-bit little-endian ELF file for x86-64, mapped and checked: segments, sections (decompressed on demand),
 * build-id, debug link, function symbols.  Every number in it is believed only after it is checked; libdwarf sees
 * nothing but sections that this file hands out. */
#ifndef PF_CONVERTER_ELF_H
#define PF_CONVERTER_ELF_H

#include "support/array.h"
#include "support/error.h"

#include <stdint.h>

#define PF_ELF_MARGIN 64u /* zero bytes behind a decompressed section */

struct pf_elf_segment {
	uint64_t address, offset, file_size;
	bool executable;
};

struct pf_elf_section {
	const char *name; /* in the mapping; ".zdebug_x" stays as it is */
	uint32_t type;
	uint64_t flags, address, offset, size;
	uint32_t link;
	uint64_t entry_size;
	uint8_t *inflated; /* owned; NULL until asked for, or when not compressed */
	uint64_t inflated_size;
};

struct pf_elf_symbol {
	uint64_t address, size;
	const char *name;   /* in the mapping */
	bool global, sized; /* sized: STT_FUNC with a size */
};

struct pf_elf {
	char *path;
	const uint8_t *bytes; /* the whole file */
	uint64_t size;
	bool owned;           /* bytes are a mapping of ours */
	bool object;          /* it can be an object file, which has debug information only */
	uint16_t type;        /* ET_EXEC, ET_DYN */
	uint64_t headers_end; /* file offset behind the ELF header and the table of segments */
	bool interpreted;     /* names an interpreter, as programs do (and a few libraries) */
	PF_ARRAY(struct pf_elf_segment) segments, notes; /* PT_LOAD and PT_NOTE */
	PF_ARRAY(struct pf_elf_section) sections;
	PF_ARRAY(struct pf_elf_symbol) symbols; /* functions by address; after pf_elf_load_symbols */
	uint8_t build_id[20];                   /* as recordings keep it: not all of a long one */
	uint8_t build_id_size;                  /* 0: none */
	const uint8_t *note_id;                 /* all of it, in the mapping */
	uint32_t note_id_size;
};

/* Maps PATH and reads the tables.  PF_EIO, PF_EFORMAT (no ELF, other machine or class, an object file, a table that
 * contradicts itself), PF_ETRUNCATED, PF_ENOMEM. */
int pf_elf_open(const char *path, struct pf_elf *elf, struct pf_error *error);

/* The same for what can be an object file: .dwo, .dwp, a supplementary file of dwz. */
int pf_elf_open_object(const char *path, struct pf_elf *elf, struct pf_error *error);

/* As pf_elf_open over SIZE bytes at BYTES, which must outlive ELF; PATH is for messages. */
int pf_elf_over(const void *bytes, uint64_t size, const char *path, struct pf_elf *elf, struct pf_error *error);

void pf_elf_close(struct pf_elf *elf);

/* Whether PATH is named as shared libraries are: libwork.so, libc.so.6; not bench.sort. */
bool pf_elf_is_library_name(const char *path);

/* Whether it is a program, not a shared library. */
bool pf_elf_is_program(const struct pf_elf *elf);

/* The section NAME (".debug_info" also finds ".zdebug_info"), or NULL. */
struct pf_elf_section *pf_elf_find(struct pf_elf *elf, const char *name);

/* The bytes of a section, decompressed; *SIZE is their number.  They live as long as ELF.  PF_ETRUNCATED (outside
 * the file), PF_EFORMAT (damaged compression), PF_EUNSUPPORTED (unknown compression), PF_ENOMEM. */
int pf_elf_contents(struct pf_elf *elf, struct pf_elf_section *section, const uint8_t **bytes, uint64_t *size,
		    struct pf_error *error);

/* Virtual address of a file offset, by the segment that holds it (executable ones first); false if none does. */
bool pf_elf_address(const struct pf_elf *elf, uint64_t offset, uint64_t *address);

/* File bytes from ADDRESS to the end of its segment; NULL if no executable segment has it. */
const uint8_t *pf_elf_code(const struct pf_elf *elf, uint64_t address, uint64_t *left);

/* Appends the function symbols of FROM (ELF itself, or its separate debug file, which must outlive it) and sorts.
 * A damaged table yields the symbols in front of the damage.  PF_ENOMEM. */
int pf_elf_load_symbols(struct pf_elf *elf, struct pf_elf *from, struct pf_error *error);

/* The function symbol at exactly ADDRESS (a global one if there are several), or NULL. */
const struct pf_elf_symbol *pf_elf_symbol_at(const struct pf_elf *elf, uint64_t address);

/* The last function symbol at ADDRESS or in front of it, whatever its size, or NULL. */
const struct pf_elf_symbol *pf_elf_symbol_before(const struct pf_elf *elf, uint64_t address);

/* Name and CRC in .gnu_debuglink; NULL if there is none. */
const char *pf_elf_debuglink(struct pf_elf *elf, uint32_t *crc);

/* Name of the supplementary file that the debug information needs (.gnu_debugaltlink, or .debug_sup of DWARF 5), and
 * its build-id or checksum, *SIZE bytes at *ID; NULL if it needs none. */
const char *pf_elf_supplement(struct pf_elf *elf, const uint8_t **id, uint64_t *size);

/* Whether ELF is the supplementary file with this build-id or checksum. */
bool pf_elf_is_supplement(struct pf_elf *elf, const uint8_t *id, uint64_t size);

#endif
