/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/pfdo-format.md cannot drift: its hexdump is a file that reads as the text beside it, and that text, written, is
 * the hexdump.  The summary is decoded here by the page's own offsets, not by the reader. */
#include "testsuite/unit/profile-helpers.h"

#include <ctype.h>
#include <unistd.h>

static struct pf_buffer text, bytes;
static unsigned minor; /* version, as the page has it in words */

/* Takes a line of the dump: "    00000010: e0 03 ...  ascii". */
static void take_dump_line(const char *line)
{
	unsigned offset, byte;
	int used;

	if (sscanf(line, "    %8x: %n", &offset, &used) != 1 || strncmp(line, "    0", 5) != 0)
		return;
	ck_assert_uint_eq(offset, bytes.size);
	for (line += used; isxdigit((unsigned char)line[0]) && isxdigit((unsigned char)line[1]); line += 3) {
		ck_assert_int_eq(sscanf(line, "%2x", &byte), 1);
		pf_buffer_u8(&bytes, (uint8_t)byte);
		if (line[2] != ' ' || line[3] == ' ')
			return;
	}
}

static void load_page(void)
{
	FILE *page = fopen("doc/pfdo-format.md", "r");
	char line[512];
	bool in_text = false;

	ck_assert_ptr_nonnull(page);
	while (fgets(line, sizeof line, page)) {
		sscanf(line, "| 10 | u16 | minor version: %u |", &minor);
		if (strcmp(line, "```\n") == 0)
			in_text = !in_text;
		else if (in_text)
			pf_buffer_bytes(&text, line, strlen(line));
		else
			take_dump_line(line);
	}
	fclose(page);
	pf_buffer_u8(&text, 0);
	ck_assert_uint_gt(bytes.size, 500);
}

START_TEST(the_dump_reads_as_the_text)
{
	char path[] = "/tmp/profile-page.XXXXXX", *got;
	struct pf_profile *profile;
	struct pf_error error = { 0 };
	int fd = mkstemp(path);

	load_page();
	ck_assert_int_eq(write(fd, bytes.data, bytes.size), (int)bytes.size);
	close(fd);
	ck_assert_msg(pf_pfdo_read(path, &profile, &error) == PF_OK, "%s", error.text);
	unlink(path);
	got = text_of(profile);
	ck_assert_str_eq(got, (const char *)text.data);
	free(got);
	pf_profile_free(profile);
}
END_TEST

START_TEST(the_text_writes_as_the_dump)
{
	struct pf_profile *profile;
	struct pf_buffer written;

	load_page();
	profile = profile_of((const char *)text.data);
	written = bytes_of(profile);
	ck_assert_uint_eq(written.size, bytes.size);
	ck_assert_mem_eq(written.data, bytes.data, bytes.size);
	pf_buffer_fini(&written);
	pf_profile_free(profile);
}
END_TEST

static uint64_t at(size_t offset, size_t size)
{
	uint64_t value = 0;

	ck_assert_uint_le(offset + size, bytes.size);
	while (size--)
		value = value << 8 | bytes.data[offset + size];
	return value;
}

START_TEST(fields_stand_where_the_page_says)
{
	static const char tags[] = "SUMMPROVSTRSFIDXFUNCHIDXHOSTPATHcompagrerank";
	size_t summary, provenance, strings, index, functions, compiled, agreement, values;

	load_page();
	ck_assert_uint_eq(at(8, 2), 1);
	ck_assert_uint_eq(at(10, 2), 7);
	ck_assert_uint_eq(at(10, 2), minor);
	ck_assert_uint_eq(at(12, 4), 12);
	ck_assert_uint_eq(at(16, 8), bytes.size);
	for (size_t c = 0; c < 11; c++)
		ck_assert_mem_eq(bytes.data + 32 + 32 * c, tags + 4 * c, 4);
	summary = at(32 + 8, 8);
	provenance = at(32 + 32 + 8, 8);
	strings = at(32 + 2 * 32 + 8, 8);
	index = at(32 + 3 * 32 + 8, 8);
	functions = at(32 + 4 * 32 + 8, 8);
	ck_assert_uint_eq(at(summary, 4), 1);
	ck_assert_uint_eq(at(summary + 4, 4), 1);
	ck_assert_uint_eq(at(summary + 8, 8), 81);
	ck_assert_uint_eq(at(summary + 16, 8), 40);
	ck_assert_uint_eq(at(summary + 24, 8), 3);
	ck_assert_uint_eq(at(32 + 16, 8), 36 + 15 * 20);
	ck_assert_uint_eq(at(provenance + 4, 4), 2);
	ck_assert_str_eq((char *)bytes.data + strings + at(provenance + 12, 4), "/usr/bin/demo");
	ck_assert_uint_eq(at(provenance + 4 + 28, 8), 100);
	ck_assert_uint_eq(at(index, 4), 1);
	ck_assert_str_eq((char *)bytes.data + strings + at(index + 32, 4), "main");
	ck_assert_uint_eq(at(index + 24, 8), 0);
	ck_assert_uint_eq(functions, 0x3e8);
	ck_assert_uint_eq(at(functions, 4), 0x3d);
	compiled = at(32 + 8 * 32 + 8, 8);
	ck_assert_uint_eq(at(32 + 8 * 32 + 16, 8), 16);
	/* The keys are from the page's formula, calculated in another language. */
	ck_assert_uint_eq(at(compiled, 4), 0x457a695f);
	ck_assert_str_eq((char *)bytes.data + strings + at(compiled + 4, 4), "/usr/src/demo/main.c");
	ck_assert_uint_eq(at(compiled + 8, 4), 0xee4908a7);
	ck_assert_str_eq((char *)bytes.data + strings + at(compiled + 12, 4), "/usr/src/demo/report.c");
	agreement = at(32 + 9 * 32 + 8, 8);
	ck_assert_uint_eq(at(32 + 9 * 32 + 16, 8), 16);
	ck_assert_uint_eq(at(agreement, 8), 100);
	ck_assert_uint_eq(at(agreement + 8, 8), 16900 * 16900);
	ck_assert_uint_eq(at(32 + 10 * 32 + 16, 8), 4);
	ck_assert_uint_eq(at(at(32 + 10 * 32 + 8, 8), 4), 1);
	values = at(32 + 11 * 32 + 8, 8);
	ck_assert_uint_eq(at(values, 4), 1);
	ck_assert_uint_eq(at(values + 8, 8), 0);
	ck_assert_uint_eq(at(values + 20, 4), 12);
	ck_assert_uint_eq(at(values + 24 + 3, 1), 4 * PF_VALUE_DIVISOR);
	ck_assert_uint_eq(at(values + 24 + 5, 1), 38);
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-format-page", the_dump_reads_as_the_text, the_text_writes_as_the_dump,
			 fields_stand_where_the_page_says);
}
