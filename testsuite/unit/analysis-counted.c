/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/paths-format.md against the reader: the page's own hexdump must decode to what the page says is in it; a file
 * that is cut anywhere, or has anything behind its end, is refused; what two files have of a function adds up; and a
 * small file cannot ask for hours of work. */
#include "analysis/countedpaths.h"
#include "support/buffer.h"
#include "testsuite/unit/hexpage.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <string.h>

static const char page[] = "doc/paths-format.md";

static void check_function(const struct pf_counted_function *f, uint64_t times)
{
	uint32_t blocks[8];

	ck_assert_str_eq(f->name, "libf");
	ck_assert_str_eq(f->where.file, "lib.c");
	ck_assert_uint_eq(f->where.line, 1);
	ck_assert_uint_eq(f->graph->block_count, 6);
	ck_assert_uint_eq(f->graph->edge_count, 6);
	ck_assert_uint_eq(f->numbers.count, 2);
	ck_assert_uint_eq(f->paths.count, 2);
	ck_assert_uint_eq(f->total, 10 * times);
	ck_assert_uint_eq(f->unfinished, 0);
	ck_assert_uint_eq(f->paths.at[0].number, 0);
	ck_assert_uint_eq(f->paths.at[0].count, 6 * times);
	ck_assert_uint_eq(f->paths.at[1].count, 4 * times);
	/* Over 3, the block that doubles, or over 4. */
	ck_assert_uint_eq(pf_counted_blocks(f, 0, blocks), 3);
	ck_assert_uint_eq(blocks[1], 3);
	ck_assert_uint_eq(pf_counted_blocks(f, 1, blocks), 3);
	ck_assert_uint_eq(blocks[1], 4);
	ck_assert_uint_eq(f->graph->blocks[3].count, 6 * times);
	ck_assert_uint_eq(f->graph->blocks[4].count, 4 * times);
	ck_assert_uint_eq(f->graph->blocks[5].count, 10 * times);
}

START_TEST(page_decodes)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_counted c = { 0 };
	struct pf_error error;

	ck_assert_uint_gt(size, 100);
	for (int times = 0; times < 3; times++)
		ck_assert_msg(pf_counted_parse(&c, bytes, size, page, &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(pf_counted_finish(&c, &error), PF_OK);
	ck_assert_str_eq(c.module, "libx.so");
	ck_assert_uint_eq(c.functions.count, 1);
	ck_assert_uint_eq(c.total, 30);
	check_function(&c.functions.at[0], 3);
	pf_counted_fini(&c);
}
END_TEST

START_TEST(refuses)
{
	uint8_t bytes[4096] = { 0 };
	size_t size = read_page(page, bytes, sizeof bytes - 1);
	struct pf_counted c = { 0 };
	struct pf_error error;

	for (size_t cut = 0; cut < size; cut++) {
		ck_assert_int_lt(pf_counted_parse(&c, bytes, cut, "cut", &error), 0);
		ck_assert(strstr(error.text, "cut: ") == error.text);
		pf_counted_fini(&c);
		c = (struct pf_counted) { 0 };
	}
	ck_assert_int_eq(pf_counted_parse(&c, bytes, size + 1, "long", &error), PF_EFORMAT);
	pf_counted_fini(&c);
	c = (struct pf_counted) { 0 };
	bytes[8] = 3;
	ck_assert_int_eq(pf_counted_parse(&c, bytes, size, "new", &error), PF_EVERSION);
	ck_assert(strstr(error.text, "version 3"));
	pf_counted_fini(&c);
	c = (struct pf_counted) { 0 };
	bytes[8] = 2;
	/* A path of the function's two with the number 2: the first pair's number lies behind two fields of 8 bytes. */
	bytes[0x31 + 8 + 0x32 + 16] = 2;
	ck_assert_int_eq(pf_counted_parse(&c, bytes, size, "number", &error), PF_EFORMAT);
	ck_assert(strstr(error.text, "a path that its function has not"));
	pf_counted_fini(&c);
}
END_TEST

/* The page's file with an event, of which the first path took 70 and the second 5. */
static int parse_measured(struct pf_counted *c, const char *event, struct pf_error *error)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_buffer file = { 0 };
	int status;

	pf_buffer_bytes(&file, bytes, 0x28);
	pf_buffer_string(&file, event);
	pf_buffer_bytes(&file, bytes + 0x29, size - 0x29 - 16);
	pf_buffer_u64(&file, 70);
	pf_buffer_bytes(&file, bytes + size - 16, 16);
	pf_buffer_u64(&file, 5);
	status = pf_counted_parse(c, file.data, file.size, event, error);
	pf_buffer_fini(&file);
	return status;
}

START_TEST(measures)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_counted c = { 0 };
	struct pf_error error;

	for (int times = 0; times < 2; times++)
		ck_assert_msg(parse_measured(&c, "branch-misses", &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(parse_measured(&c, "cycles", &error), PF_EMISMATCH);
	ck_assert_msg(strstr(error.text, "it has cycles, and files before it have branch-misses"), "%s", error.text);
	pf_counted_fini(&c);
	c = (struct pf_counted) { 0 };
	ck_assert_int_eq(parse_measured(&c, "a\"b", &error), PF_EFORMAT);
	pf_counted_fini(&c);
	c = (struct pf_counted) { 0 };
	for (int times = 0; times < 2; times++)
		ck_assert_int_eq(parse_measured(&c, "branch-misses", &error), PF_OK);
	ck_assert_int_eq(pf_counted_finish(&c, &error), PF_OK);
	ck_assert_str_eq(c.metric, "branch-misses");
	ck_assert_uint_eq(c.took, 150);
	ck_assert_uint_eq(c.functions.at[0].paths.at[0].took, 140);
	ck_assert_uint_eq(c.functions.at[0].paths.at[1].took, 10);
	pf_counted_fini(&c);
	c = (struct pf_counted) { 0 };
	ck_assert_int_eq(pf_counted_parse(&c, bytes, size, "plain", &error), PF_OK);
	ck_assert_int_eq(parse_measured(&c, "cycles", &error), PF_EMISMATCH);
	ck_assert_msg(strstr(error.text, "some have cycles and some counts alone"), "%s", error.text);
	pf_counted_fini(&c);
}
END_TEST

enum { FORKS = 17, CHAIN = 3000 };

static void put_edge(struct pf_buffer *b, uint32_t from, uint32_t to)
{
	pf_buffer_uleb(b, from);
	pf_buffer_uleb(b, to);
	pf_buffer_u8(b, 0);
}

/* A function of FORKS decisions one after the other, each of two empty arms, with CHAIN blocks behind them: the arms of
 * fork i are 3i + 3 and 3i + 4, and meet in 3i + 5. */
static void put_description(struct pf_buffer *b)
{
	uint32_t last = 2 + 3 * FORKS, blocks = last + CHAIN + 1;

	pf_buffer_uleb(b, 1);
	pf_buffer_string(b, "long.c");
	pf_buffer_uleb(b, 1);
	pf_buffer_string(b, "decide");
	pf_buffer_uleb(b, 0);
	pf_buffer_uleb(b, 1);
	pf_buffer_uleb(b, blocks);
	pf_buffer_uleb(b, 1 + 4 * FORKS + CHAIN + 1);
	put_edge(b, 0, 2);
	for (uint32_t at = 2; at < last; at += 3) {
		put_edge(b, at, at + 1);
		put_edge(b, at, at + 2);
		put_edge(b, at + 1, at + 3);
		put_edge(b, at + 2, at + 3);
	}
	for (uint32_t at = last; at < last + CHAIN; at++)
		put_edge(b, at, at + 1);
	put_edge(b, last + CHAIN, 1);
	pf_buffer_uleb(b, UINT64_C(1) << FORKS);
	for (uint32_t at = 0; at < blocks; at++)
		pf_buffer_uleb(b, 0);
}

/* The first PATHS paths of that function, each of which ran once. */
static void put_file(struct pf_buffer *file, uint64_t paths)
{
	struct pf_buffer description = { 0 };

	put_description(&description);
	pf_buffer_bytes(file, "PFPATHS", 8);
	for (int word = 0; word < 3; word++)
		pf_buffer_u64(file, word == 0);
	pf_buffer_string(file, "long");
	pf_buffer_u64(file, 1);
	pf_buffer_u64(file, description.size);
	pf_buffer_bytes(file, description.data, description.size);
	pf_buffer_u64(file, paths);
	pf_buffer_u64(file, paths);
	for (uint64_t i = 0; i < paths; i++) {
		pf_buffer_u64(file, i);
		pf_buffer_u64(file, 1);
	}
	pf_buffer_fini(&description);
}

START_TEST(work_is_bounded)
{
	/* 1,000 paths of some 3,000 blocks are none too many; all 131,072 are, 398 million blocks of a file of 2 MB. */
	static const struct {
		uint64_t paths;
		int status;
	} files[] = { { 1000, PF_OK }, { UINT64_C(1) << FORKS, PF_EFORMAT } };

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct pf_buffer file = { 0 };
		struct pf_counted c = { 0 };
		struct pf_error error = { 0 };

		put_file(&file, files[i].paths);
		ck_assert_msg(pf_counted_parse(&c, file.data, file.size, "long.paths", &error) == PF_OK, "%s",
			      error.text);
		ck_assert_int_eq(pf_counted_finish(&c, &error), files[i].status);
		if (files[i].status == PF_OK)
			ck_assert_uint_eq(c.functions.at[0].graph->blocks[2 + 3 * FORKS].count, files[i].paths);
		else
			ck_assert_msg(strstr(error.text, "decide"), "%s", error.text);
		pf_counted_fini(&c);
		pf_buffer_fini(&file);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-counted", page_decodes, measures, refuses, work_is_bounded);
}
