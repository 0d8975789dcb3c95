/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line table from memory: its program ends, in no more rows than it has bytes, and an error ends it for good. */
#include "converter/lineprogram.h"
#include "support/error.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void require(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_dwarf dwarf = { .sections[PF_DWARF_LINE] = { .at = data, .size = size } };
	struct pf_line_program program;
	struct pf_line_row row;
	size_t rows = 0;
	int more = pf_line_program_open(&program, &dwarf, 0);

	require(more == PF_OK || more == PF_EFORMAT);
	while (more >= 0 && (more = pf_line_program_next(&program, &row)) > 0) {
		require(++rows <= size);
		sink += row.address + row.line + row.column + row.discriminator + row.ends;
	}
	if (rows > 0)
		require(pf_line_program_next(&program, &row) == more);
	return 0;
}
