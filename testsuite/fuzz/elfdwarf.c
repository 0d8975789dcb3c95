/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole ELF file with debug information from memory: tables, build-id, links, symbols, every section decompressed,
 * every function read from DWARF and its code decoded.  What comes out must be consistent.
 *
 * DWARF is read in a child process, as the converter does it, so that a crash inside libdwarf is no finding.  To hunt
 * in our own reader as well, set PATHFDO_FUZZ_WALK: then it happens in this process, and libdwarf's crashes show. */
#include "converter/code.h"
#include "converter/package.h"
#include "converter/source.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void require(int condition)
{
	if (!condition)
		abort();
}

static void read_function(const struct pf_elf *elf, const struct pf_source *source, const struct pf_source_function *f)
{
	struct pf_code code;
	uint64_t leader = f->nodes.at[0].entry;
	uint64_t bytes = 0;

	for (size_t i = 0; i < f->nodes.count; i++) {
		const struct pf_source_node *node = &f->nodes.at[i];

		require(node->parent <= i && node->origin < source->origins.count);
		require(node->first_range + node->range_count <= f->ranges.count);
		sink += strlen(source->origins.at[node->origin].name) + strlen(source->origins.at[node->origin].file);
	}
	for (uint32_t i = 0; i < f->nodes.at[0].range_count; i++)
		bytes += f->ranges.at[i].end - f->ranges.at[i].start;
	if (bytes > 1u << 20 || pf_code_read(elf, source, f, &leader, 1, &code) < 0)
		return;
	for (size_t i = 0; i < code.insns.count; i++) {
		require(code.insns.at[i].node < f->nodes.count);
		require(code.insns.at[i].block < code.block_count);
		sink += pf_code_first_placed(&code, (uint32_t)i);
	}
	pf_code_fini(&code);
}

/* The index of a package, by the ids at its head. */
static void read_package(struct pf_elf *elf)
{
	struct pf_elf_section *s = pf_elf_find(elf, ".debug_cu_index");
	struct pf_dwarf_piece pieces[PF_DWARF_PARTS];
	const uint8_t *bytes;
	uint64_t size, id;

	if (!s || pf_elf_contents(elf, s, &bytes, &size, NULL) < 0)
		return;
	for (uint64_t at = 16; at + 8 <= size && at < 16 + 8 * 8; at += 8) {
		memcpy(&id, bytes + at, sizeof id);
		if (pf_package_find(elf, id, pieces))
			sink += pieces[PF_DWARF_INFO].offset;
	}
}

static void read_debug(struct pf_elf *elf)
{
	const struct pf_debug_files files = { .binary = elf, .debug = elf, .supplement = elf, .package = elf };
	struct pf_error error = { 0 };
	struct pf_source source;
	int status;
	/* Addresses that touch every function near where small files have theirs. */
	uint64_t touched[512];

	for (size_t i = 0; i < 512; i++)
		touched[i] = i * 16;
	status = getenv("PATHFDO_FUZZ_WALK") ? pf_source_walk(&files, touched, 512, &source, &error)
					     : pf_source_read(&files, touched, 512, &source, &error);
	if (status < 0) {
		require(error.text[0]);
		return;
	}
	for (size_t i = 0; i < source.functions.count; i++)
		read_function(elf, &source, &source.functions.at[i]);
	pf_source_fini(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_error error = { 0 };
	struct pf_elf elf;
	const uint8_t *bytes;
	uint64_t length;
	uint32_t crc;

	if (pf_elf_over(data, size, "input", &elf, &error) < 0) {
		require(error.text[0]);
		return 0;
	}
	for (size_t i = 0; i < elf.sections.count; i++) {
		if (pf_elf_contents(&elf, &elf.sections.at[i], &bytes, &length, &error) == PF_OK && length > 0)
			sink += bytes[0] + bytes[length - 1];
	}
	if (pf_elf_debuglink(&elf, &crc))
		sink += crc;
	if (pf_elf_load_symbols(&elf, &elf, &error) == PF_OK && elf.symbols.count > 0)
		require(pf_elf_symbol_at(&elf, elf.symbols.at[0].address) != NULL);
	read_package(&elf);
	read_debug(&elf);
	pf_elf_close(&elf);
	return 0;
}
