/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See lineprogram.h.  The hard case is opcodes of others: the table tells how many operands its standard opcodes have,
 * so one that has another number of them than we know, or that we do not know, is stepped over. */
#include "converter/lineprogram.h"

#include <dwarf.h>

#define LONG_FORMAT 0xffffffff     /* a length of 8 bytes follows */
#define RESERVED_LENGTH 0xfffffff0 /* from here on a length of 4 bytes is none */

/* Operands of the standard opcodes that are acted on or known to change nothing here. */
static const uint8_t known_operands[] = {
	[DW_LNS_copy] = 0,
	[DW_LNS_advance_pc] = 1,
	[DW_LNS_advance_line] = 1,
	[DW_LNS_set_file] = 1,
	[DW_LNS_set_column] = 1,
	[DW_LNS_negate_stmt] = 0,
	[DW_LNS_set_basic_block] = 0,
	[DW_LNS_const_add_pc] = 0,
	[DW_LNS_fixed_advance_pc] = 1,
};

static void start_sequence(struct pf_line_program *p)
{
	p->row = (struct pf_line_row) { .line = 1, .file = 1 };
}

int pf_line_program_open(struct pf_line_program *p, const struct pf_dwarf *dwarf, uint64_t offset)
{
	struct pf_cursor c = pf_dwarf_cursor(dwarf, PF_DWARF_LINE, offset), head;
	uint64_t length = pf_cursor_u32(&c);
	bool is_long = length == LONG_FORMAT;

	*p = (struct pf_line_program) { 0 };
	if (!is_long && length >= RESERVED_LENGTH)
		return PF_EFORMAT;
	p->code = pf_cursor_sub(&c, is_long ? pf_cursor_u64(&c) : length);
	p->version = pf_cursor_u16(&p->code);
	if (p->version >= 5)
		pf_cursor_u16(&p->code); /* sizes of an address and of a segment's number */
	head = pf_cursor_sub(&p->code, is_long ? pf_cursor_u64(&p->code) : pf_cursor_u32(&p->code));
	p->step = pf_cursor_u8(&head);
	if (p->version >= 4)
		pf_cursor_u8(&head); /* operations of an instruction: one, on this machine */
	pf_cursor_u8(&head);         /* whether rows are statements */
	p->line_base = (int8_t)pf_cursor_u8(&head);
	p->line_range = pf_cursor_u8(&head);
	p->opcode_base = pf_cursor_u8(&head);
	p->operands = pf_cursor_bytes(&head, p->opcode_base > 0 ? p->opcode_base - 1u : 0);
	start_sequence(p);
	return head.failed || p->version < 2 || p->version > 5 || p->line_range == 0 || p->opcode_base == 0 ? PF_EFORMAT
													    : PF_OK;
}

/* Lines are never below 0, nor as many as that. */
static void move_line(struct pf_line_program *p, int64_t by)
{
	int64_t line;

	if (__builtin_add_overflow((int64_t)p->row.line, by, &line) || line < 0 || line > UINT32_MAX)
		p->code.failed = true;
	else
		p->row.line = (uint32_t)line;
}

static void move_address(struct pf_line_program *p, uint64_t steps)
{
	p->row.address += steps * p->step;
}

/* Whether it makes a row. */
static bool run_extended(struct pf_line_program *p)
{
	struct pf_cursor c = pf_cursor_sub(&p->code, pf_cursor_uleb(&p->code));

	switch (pf_cursor_u8(&c)) {
	case DW_LNE_end_sequence:
		p->row.ends = true;
		break;
	case DW_LNE_set_address:
		p->row.address = pf_cursor_u64(&c);
		break;
	case DW_LNE_set_discriminator:
		p->row.discriminator = (uint32_t)pf_cursor_uleb(&c);
		break;
	default:
		break;
	}
	p->code.failed |= c.failed;
	return p->row.ends;
}

static void skip_operands(struct pf_line_program *p, uint8_t opcode)
{
	for (uint8_t i = 0; i < p->operands[opcode - 1]; i++)
		pf_cursor_uleb(&p->code);
}

static bool is_known(const struct pf_line_program *p, uint8_t opcode)
{
	return opcode < sizeof known_operands && p->operands[opcode - 1] == known_operands[opcode];
}

/* Whether it makes a row. */
static bool run_standard(struct pf_line_program *p, uint8_t opcode)
{
	switch (is_known(p, opcode) ? opcode : 0) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		move_address(p, pf_cursor_uleb(&p->code));
		break;
	case DW_LNS_advance_line:
		move_line(p, pf_cursor_sleb(&p->code));
		break;
	case DW_LNS_set_file:
		p->row.file = (uint32_t)pf_cursor_uleb(&p->code);
		break;
	case DW_LNS_set_column:
		p->row.column = (uint32_t)pf_cursor_uleb(&p->code);
		break;
	case DW_LNS_const_add_pc:
		move_address(p, (255u - p->opcode_base) / p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->row.address += pf_cursor_u16(&p->code);
		break;
	default:
		skip_operands(p, opcode);
	}
	return false;
}

static bool run_special(struct pf_line_program *p, uint8_t opcode)
{
	uint8_t rest = opcode - p->opcode_base;

	move_address(p, rest / p->line_range);
	move_line(p, p->line_base + rest % p->line_range);
	return true;
}

/* Whether the next instruction makes a row. */
static bool run_next(struct pf_line_program *p)
{
	uint8_t opcode = pf_cursor_u8(&p->code);

	if (opcode >= p->opcode_base)
		return run_special(p, opcode);
	return opcode ? run_standard(p, opcode) : run_extended(p);
}

int pf_line_program_next(struct pf_line_program *p, struct pf_line_row *row)
{
	bool made = false;

	while (!made && pf_cursor_left(&p->code) > 0)
		made = run_next(p);
	if (p->code.failed)
		return PF_EFORMAT;
	*row = p->row;
	p->row.discriminator = 0;
	if (row->ends)
		start_sequence(p);
	return made;
}
