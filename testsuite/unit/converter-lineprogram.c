/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line tables row by row: those of this very program have the rows that libdwarf makes of them; one that is written
 * down here has those of the standard's description, and is refused in each way in which it can be damaged. */
#include "converter/die.h"
#include "converter/lineprogram.h"
#include "testsuite/unit/suite.h"

#include <string.h>

/* Of DWARF 2: minimum length 1, rows are statements, lines -5 to 8 of 14, 13 opcodes of which 10 to 12 are not what
 * later standards make of them: 10 has two operands.  No folders, no files, and a byte of the head that nobody knows.
 */
static const uint8_t table[] = {
	/* length, version, length of the head */
	59, 0, 0, 0, 2, 0, 20, 0, 0, 0,
	/* head */
	1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 2, 0, 1, 0, 0, 0,
	/* address 0x401000, column 7, and line 10 by +9 */
	0, 9, 2, 0x00, 0x10, 0x40, 0, 0, 0, 0, 0, 5, 7, 3, 9, 1,
	/* discriminator 3; special opcode 13 + 5 + 3 + 14 * 2: two bytes and three lines on; stepped over */
	0, 2, 4, 3, 49, 10, 0x81, 1, 7,
	/* -4 lines, 100 bytes, end of the sequence */
	3, 0x7c, 2, 0xe4, 0, 0, 1, 1
};

#define HEAD_LENGTH 6
#define LINE_RANGE 13
#define LAST_ADVANCE 56

/* Reads the SIZE bytes of a table; its rows, or PF_EFORMAT. */
static int read_table(const uint8_t *bytes, uint64_t size, struct pf_line_row rows[8])
{
	struct pf_dwarf dwarf = { .sections[PF_DWARF_LINE] = { .at = bytes, .size = size } };
	struct pf_line_program program;
	int count = 0, more = pf_line_program_open(&program, &dwarf, 0);

	while (more >= 0 && (more = pf_line_program_next(&program, &rows[count])) > 0)
		ck_assert_int_lt(++count, 8);
	return more < 0 ? more : count;
}

START_TEST(rows_of_the_standard)
{
	static const struct pf_line_row want[] = { { .address = 0x401000, .line = 10, .column = 7 },
						   { .address = 0x401002, .line = 13, .column = 7, .discriminator = 3 },
						   { .address = 0x401066, .line = 9, .column = 7, .ends = true } };
	struct pf_line_row rows[8];

	ck_assert_int_eq(read_table(table, sizeof table, rows), 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(rows[i].address, want[i].address);
		ck_assert_uint_eq(rows[i].line, want[i].line);
		ck_assert_uint_eq(rows[i].column, want[i].column);
		ck_assert_uint_eq(rows[i].discriminator, want[i].discriminator);
		ck_assert_int_eq(rows[i].ends, want[i].ends);
	}
}
END_TEST

static void check_refused(size_t at, uint8_t byte)
{
	uint8_t damaged[sizeof table];
	struct pf_line_row rows[8];

	memcpy(damaged, table, sizeof table);
	damaged[at] = byte;
	ck_assert_int_eq(read_table(damaged, sizeof table, rows), PF_EFORMAT);
}

START_TEST(damage_is_refused)
{
	struct pf_line_row rows[8];

	for (size_t size = 0; size < sizeof table; size++)
		ck_assert_int_eq(read_table(table, size, rows), PF_EFORMAT);
	check_refused(0, table[0] + 1); /* longer than the section */
	check_refused(3, 0xff);         /* as well, and reserved */
	check_refused(4, 1);            /* versions that are not there */
	check_refused(4, 6);
	check_refused(HEAD_LENGTH, 200); /* a head behind the table */
	check_refused(LINE_RANGE, 0);
	check_refused(LINE_RANGE + 1, 0);   /* no opcodes */
	check_refused(LAST_ADVANCE, 0x40);  /* a line below 0 */
	check_refused(sizeof table - 2, 9); /* an operand behind the end */
}
END_TEST

/* Compares the rows of UNIT with libdwarf's; their number. */
static Dwarf_Signed compare_unit(const struct pf_dwarf *dwarf, Dwarf_Die unit, uint64_t offset)
{
	struct pf_line_program program;
	struct pf_line_row row;
	Dwarf_Line_Context context = NULL;
	Dwarf_Line *lines = NULL;
	Dwarf_Signed count = 0;
	Dwarf_Unsigned version, line, column, isa, discriminator;
	Dwarf_Small tables;
	Dwarf_Addr address;
	Dwarf_Bool ends, prologue, epilogue;

	ck_assert_int_eq(dwarf_srclines_b(unit, &version, &tables, &context, NULL), DW_DLV_OK);
	ck_assert_int_eq(dwarf_srclines_from_linecontext(context, &lines, &count, NULL), DW_DLV_OK);
	ck_assert_int_eq(pf_line_program_open(&program, dwarf, offset), PF_OK);
	for (Dwarf_Signed i = 0; i < count; i++) {
		ck_assert_int_eq(pf_line_program_next(&program, &row), 1);
		dwarf_lineaddr(lines[i], &address, NULL);
		dwarf_lineno(lines[i], &line, NULL);
		dwarf_lineoff_b(lines[i], &column, NULL);
		dwarf_lineendsequence(lines[i], &ends, NULL);
		dwarf_prologue_end_etc(lines[i], &prologue, &epilogue, &isa, &discriminator, NULL);
		ck_assert_uint_eq(row.address, address);
		ck_assert_uint_eq(row.line, line);
		ck_assert_uint_eq(row.column, column);
		ck_assert_uint_eq(row.discriminator, discriminator);
		/* libdwarf of 2021 says it of rows at which an epilogue begins (LLVM), too. */
		ck_assert_int_eq(row.ends, ends && !epilogue);
	}
	ck_assert_int_eq(pf_line_program_next(&program, &row), 0);
	dwarf_srclines_dealloc_b(context);
	return count;
}

START_TEST(rows_are_those_of_libdwarf)
{
	struct pf_elf elf;
	struct pf_dwarf dwarf;
	struct pf_dwarf_header header;
	struct pf_error error;
	uint64_t offset;
	bool indexed;
	Dwarf_Signed rows = 0;

	ck_assert_int_eq(pf_elf_open("/proc/self/exe", &elf, &error), PF_OK);
	if (!pf_elf_find(&elf, ".debug_info")) { /* built without -g */
		pf_elf_close(&elf);
		return;
	}
	ck_assert_int_eq(pf_dwarf_open(&elf, &dwarf, &error), PF_OK);
	while (pf_dwarf_next(&dwarf, &header) > 0) {
		if (pf_die_offset(&dwarf, header.die, DW_AT_stmt_list, &offset, &indexed))
			rows += compare_unit(&dwarf, header.die, offset);
		pf_die_release(&dwarf, header.die);
	}
	ck_assert_int_gt(rows, 1000);
	pf_dwarf_close(&dwarf);
	pf_elf_close(&elf);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-lineprogram", rows_of_the_standard, damage_is_refused, rows_are_those_of_libdwarf);
}
