/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of a line table, run step by step: one row at a time, and none of them kept.  libdwarf makes an object of
 * each row before it shows the first; most rows are of functions that never ran. */
#ifndef PF_CONVERTER_LINEPROGRAM_H
#define PF_CONVERTER_LINEPROGRAM_H

#include "converter/dwarfobject.h"

struct pf_line_row {
	uint64_t address;
	uint32_t line, column, discriminator;
	uint32_t file; /* its number in the table's head */
	bool ends;     /* it is no instruction's: the sequence ends in front of it */
};

struct pf_line_program {
	struct pf_cursor code;
	const uint8_t *operands; /* of the opcodes from 1 on, how many each has */
	uint16_t version;        /* the table's own, which need not be its unit's */
	uint8_t step, line_range, opcode_base;
	int8_t line_base;
	struct pf_line_row row; /* the registers */
};

/* Opens the table at OFFSET of DWARF's line tables, of DWARF 2 to 5.  PF_EFORMAT (no message). */
int pf_line_program_open(struct pf_line_program *program, const struct pf_dwarf *dwarf, uint64_t offset);

/* Runs to the next row.  1, 0 behind the last, PF_EFORMAT. */
int pf_line_program_next(struct pf_line_program *program, struct pf_line_row *row);

#endif
