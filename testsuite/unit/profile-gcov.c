/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exporter to GCC's AutoFDO file, by a reader of the bytes that is written from doc/afdo-format.md alone.  It
 * prints what it reads, a line each, so that a test can say what must be there; the page's own hexdump goes through it
 * too. */
#include "profile/exporting.h"
#include "testsuite/unit/profile-helpers.h"

#include <ctype.h>
#include <inttypes.h>

static struct pf_buffer file;
static size_t at;

static uint64_t get(size_t size)
{
	uint64_t value = 0;

	ck_assert_msg(at + size <= file.size, "the file ends at %zu, within a field", at);
	for (size_t i = size; i-- > 0;)
		value = value << 8 | file.data[at + i];
	at += size;
	return value;
}

static const char *strings[64];
static uint32_t string_count;

/* Checks that the section with TAG begins here; returns where it ends, by its length. */
static size_t enter(uint32_t tag)
{
	uint32_t words;

	ck_assert_uint_eq(get(4), tag);
	words = (uint32_t)get(4);
	return at + (size_t)words * 4;
}

/* Lengths are rounded up to words. */
static void leave(size_t end)
{
	ck_assert_uint_ge(end, at);
	ck_assert_uint_lt(end - at, 4);
}

static void read_strings(void)
{
	size_t end = enter(0xaa000000);

	string_count = (uint32_t)get(4);
	ck_assert_uint_le(string_count, 64);
	for (uint32_t i = 0; i < string_count; i++) {
		uint32_t length = (uint32_t)get(4);

		ck_assert_uint_ge(length, 1);
		strings[i] = (const char *)file.data + at;
		at += length;
		ck_assert_uint_le(at, file.size);
		ck_assert_uint_eq(strlen(strings[i]) + 1, length);
		ck_assert_ptr_null(strchr(strings[i], '.'));
		for (uint32_t j = 0; j < i; j++)
			ck_assert_str_ne(strings[i], strings[j]);
	}
	leave(end);
}

static const char *name_of(uint64_t index)
{
	ck_assert_uint_gt(index, 0);
	ck_assert_uint_lt(index, string_count);
	return strings[index];
}

static void read_line(struct pf_buffer *out, unsigned depth)
{
	uint32_t offset = (uint32_t)get(4), targets = (uint32_t)get(4);
	uint64_t count = get(8);

	ck_assert_uint_eq(offset & 0xffff, 0);
	ck_assert_uint_gt(count, 0);
	pf_buffer_printf(out, "%*s%u %" PRIu64, (int)depth, "", offset >> 16, count);
	while (targets--) {
		ck_assert_uint_eq(get(4), 7);
		pf_buffer_printf(out, " %s", name_of(get(8)));
		pf_buffer_printf(out, ":%" PRIu64, get(8));
	}
	pf_buffer_printf(out, "\n");
}

/* NAME, its lines and, indented, what is inlined at each line. */
static void read_instance(struct pf_buffer *out, unsigned depth)
{
	uint32_t lines, sites;
	int64_t last = -1;

	pf_buffer_printf(out, "%s\n", name_of(get(4)));
	lines = (uint32_t)get(4);
	sites = (uint32_t)get(4);
	while (lines--) {
		int64_t line = file.data[at + 2] | file.data[at + 3] << 8;

		ck_assert_int_gt(line, last);
		last = line;
		read_line(out, depth + 1);
	}
	while (sites--) {
		uint32_t offset = (uint32_t)get(4);

		ck_assert_uint_eq(offset & 0xffff, 0);
		pf_buffer_printf(out, "%*s@%u ", (int)depth + 1, "", offset >> 16);
		read_instance(out, depth + 2);
	}
}

static void read_functions(struct pf_buffer *out)
{
	size_t end = enter(0xac000000);
	uint32_t count = (uint32_t)get(4);

	while (count--) {
		pf_buffer_printf(out, "%" PRIu64 " ", get(8));
		read_instance(out, 0);
	}
	leave(end);
}

static uint32_t blocks[128];
static uint64_t minima[128];

static void read_rest(void)
{
	size_t end = enter(0xae000000);

	ck_assert_uint_eq(get(4), 0);
	leave(end);
	end = enter(0xaf000000);
	for (int i = 0; i < 128; i++) {
		blocks[i] = (uint32_t)get(4);
		minima[i] = get(8);
	}
	leave(end);
	ck_assert_uint_eq(at, file.size);
}

/* All of the file as text, to free. */
static char *read_file(void)
{
	struct pf_buffer out = { 0 };

	at = 0;
	ck_assert_uint_eq(get(4), 0x67636461);
	ck_assert_uint_eq(get(4), 2);
	ck_assert_uint_eq(get(4), 0);
	read_strings();
	read_functions(&out);
	read_rest();
	pf_buffer_u8(&out, 0);
	return (char *)out.data;
}

/* Exports the profile that TEXT (without its first two lines) is, to the file; NOTES may be NULL. */
static void export_text(const char *text, struct pf_buffer *notes)
{
	struct pf_buffer whole = { 0 }, unread = { 0 };
	struct pf_profile *profile;
	struct pf_error error = { 0 };

	pf_buffer_printf(&whole, "%s%s", HEAD, text);
	pf_buffer_u8(&whole, 0);
	profile = profile_of((const char *)whole.data);
	file.size = 0;
	ck_assert_msg(pf_export_find("gcov")->write(profile, &file, notes ? notes : &unread, &error) == PF_OK, "%s",
		      error.text);
	pf_profile_free(profile);
	pf_buffer_fini(&whole);
	pf_buffer_fini(&unread);
}

static void check_export(const char *text, const char *wanted)
{
	char *got;

	export_text(text, NULL);
	got = read_file();
	ck_assert_str_eq(got, wanted);
	free(got);
}

START_TEST(a_line_has_its_highest_count)
{
	check_export("function f f.c:1 head 3\n 1:2 count 10\n 1:9 count 30\n 1:9.2 count 7\n 2 count 5 max 900\n",
		     "3 f\n 1 30\n 2 5\n");
}
END_TEST

START_TEST(two_instances_of_a_line_are_one)
{
	check_export(
	    "function f f.c:1 head 1\n 4:1 count 10\n"
	    " inline @1 g g.h:9 at 4:1 entries 6\n  1 count 6\n  2 count 1\n"
	    " inline @2 g g.h:9 at 4:8.3 entries 9\n  1 count 9\n  inline @3 h g.h:2 at 1 entries 2\n   0 count 2\n"
	    " inline @4 k g.h:9 at 4:8 entries 8\n  1 count 8\n",
	    "1 f\n 4 10\n @4 g\n   1 9\n   2 1\n   @1 h\n     0 2\n @4 k\n   1 8\n");
}
END_TEST

START_TEST(functions_of_one_name_are_added)
{
	struct pf_buffer notes = { 0 };
	char *got;

	export_text("function f a.c:1 head 3\n 1:2 count 10\n 1:9 count 30\n inline @1 g g.h:9 at 2\n  1 count 6\n"
		    "function f b.c:8 head 4\n 1 count 5\n 3 count 2\n inline @1 g g.h:9 at 2\n  1 count 9\n"
		    "function nested.0 b.c:8 head 4\n 1 count 5\nfunction nested.1 b.c:88 head 1\n 1 count 6\n",
		    &notes);
	got = read_file();
	ck_assert_str_eq(got, "7 f\n 1 35\n 3 2\n @2 g\n   1 15\n5 nested\n 1 11\n");
	pf_buffer_u8(&notes, 0);
	ck_assert_ptr_nonnull(strstr((char *)notes.data, "several functions: 2 (the first is 'f', for 2)"));
	pf_buffer_fini(&notes);
	free(got);
}
END_TEST

START_TEST(what_never_ran)
{
	/* Zeros in a function that ran become one, and a head of zero; a function that did not run at all is absent. */
	check_export("function cold f.c:1 head 0\n 1 count 0\n"
		     "function f f.c:1 head 0\n 1 count 0\n 2 count 9\n inline @1 g g.h:9 at 4\n  1 count 0\n",
		     "1 f\n 1 1\n 2 9\n @4 g\n   1 1\n");
}
END_TEST

START_TEST(targets_are_those_of_one_call)
{
	check_export("function f f.c:1 head 1\n"
		     " 1:2 count 500\n  call direct 500\n" /* more, but of one callee */
		     " 1:7 count 90\n  call b 50\n  call a 30\n"
		     " 1:7.1 count 90\n  call a 40\n  call never 0\n" /* the same call in another block */
		     " 2:3 count 8\n  call x 8\n 2:4 count 9\n  call y 9\n"
		     "function .hidden f.c:1 head 1\n 1 count 1\n",
		     "1 f\n 1 500 a:70 b:50\n 2 9 y:9\n");
}
END_TEST

START_TEST(offsets_are_modulo_16_bits)
{
	struct pf_buffer notes = { 0 };
	char *got;

	export_text("function f f.c:100000 head 1\n -1 count 4\n 65535 count 3\n 65541 count 9\n 5 count 2\n"
		    " inline @1 g g.h:9 at -2\n  1 count 6\n",
		    &notes);
	got = read_file();
	ck_assert_str_eq(got, "1 f\n 5 9\n 65535 4\n @65534 g\n   1 6\n");
	pf_buffer_u8(&notes, 0);
	ck_assert_ptr_nonnull(
	    strstr((char *)notes.data, "more than 65535 lines from their function's declaration: 1;"));
	pf_buffer_fini(&notes);
	free(got);
}
END_TEST

START_TEST(counts_are_brought_into_range)
{
	struct pf_buffer notes = { 0 };
	char *got;

	/* The highest becomes 2^32; a quarter of it a quarter; what ran stays above zero. */
	export_text("function f f.c:1 head 18446744073709551612\n 1 count 4611686018427387904\n 2 count 1\n"
		    " 3 count 18446744073709551615\n  call g 9223372036854775808\n",
		    &notes);
	got = read_file();
	ck_assert_str_eq(got, "4294967295 f\n 1 1073741824\n 2 1\n 3 4294967296 g:2147483648\n");
	ck_assert_uint_eq(minima[0], 4294967296);
	pf_buffer_u8(&notes, 0);
	ck_assert_ptr_nonnull(strstr((char *)notes.data, "the highest count is 18446744073709551615;"));
	pf_buffer_fini(&notes);
	free(got);
	check_export("function f f.c:1 head 2\n 1 count 4294967296\n 2 count 1\n", "2 f\n 1 4294967296\n 2 1\n");
}
END_TEST

START_TEST(the_working_set)
{
	/* 40 instructions that ran 96 times make up 3/4 of 5120, 128 that ran 10 times the rest. */
	export_text("function f f.c:1 head 1\n 1 count 96 instructions 40\n 2 count 10 instructions 128\n", NULL);
	free(read_file());
	ck_assert_uint_eq(blocks[0], 4);
	ck_assert_uint_eq(minima[0], 96);
	ck_assert_uint_eq(blocks[95], 4);
	ck_assert_uint_eq(minima[95], 96);
	ck_assert_uint_eq(blocks[96], 16);
	ck_assert_uint_eq(minima[96], 10);
	ck_assert_uint_eq(blocks[127], 16);
}
END_TEST

START_TEST(nothing_to_write_is_an_error)
{
	static const char *const empty[] = {
		HEAD,
		HEAD "function f f.c:1 head 5\n 1 count 0\n",
		HEAD "function .f f.c:1 head 5\n 1 count 7\n",
	};
	struct pf_buffer notes = { 0 };
	struct pf_error error = { 0 };

	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
		struct pf_profile *profile = profile_of(empty[i]);

		file.size = 0;
		ck_assert_int_eq(pf_export_find("gcov")->write(profile, &file, &notes, &error), PF_EEMPTY);
		ck_assert_ptr_nonnull(strstr(error.text, "no function that ran"));
		pf_profile_free(profile);
	}
	ck_assert_ptr_null(pf_export_find("nonsense"));
}
END_TEST

/* Reads doc/afdo-format.md: its text form to TEXT, its hexdump to BYTES. */
static void read_page(struct pf_buffer *text, struct pf_buffer *bytes)
{
	FILE *page = fopen("doc/afdo-format.md", "r");
	bool in_text = false;
	char line[512];

	ck_assert_ptr_nonnull(page);
	while (fgets(line, sizeof line, page)) {
		unsigned offset, byte;
		int used = 0;

		if (strcmp(line, "```\n") == 0) {
			in_text = !in_text;
		} else if (in_text) {
			pf_buffer_bytes(text, line, strlen(line));
		} else if (strncmp(line, "    0", 5) == 0 && sscanf(line, "    %8x: %n", &offset, &used) == 1) {
			ck_assert_uint_eq(offset, bytes->size);
			for (char *hex = line + used; isxdigit((unsigned char)*hex); hex += hex[2] == ' ' ? 3 : 2) {
				ck_assert_int_eq(sscanf(hex, "%2x", &byte), 1);
				pf_buffer_u8(bytes, (uint8_t)byte);
			}
		}
	}
	fclose(page);
	pf_buffer_u8(text, 0);
}

START_TEST(the_page_shows_a_real_file)
{
	struct pf_buffer text = { 0 }, bytes = { 0 };
	char *got;

	read_page(&text, &bytes);
	export_text((const char *)text.data + strlen(HEAD), NULL);
	/* The page leaves out the 127 further steps of the working set. */
	ck_assert_uint_eq(bytes.size + (size_t)127 * 12, file.size);
	ck_assert_mem_eq(file.data, bytes.data, bytes.size);
	got = read_file();
	ck_assert_str_eq(got, "1 main\n 2 40 less:30 more:10\n 3 1\n @65535 helper\n   1 39\n");
	free(got);
	pf_buffer_fini(&text);
	pf_buffer_fini(&bytes);
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-gcov", a_line_has_its_highest_count, two_instances_of_a_line_are_one,
			 functions_of_one_name_are_added, what_never_ran, targets_are_those_of_one_call,
			 offsets_are_modulo_16_bits, counts_are_brought_into_range, the_working_set,
			 nothing_to_write_is_an_error, the_page_shows_a_real_file);
}
