/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/context-format.md against the reader: the page's own hexdump must decode to what the page says is in it; files
 * add up; and a file that is cut anywhere, has anything behind its end, or says what no tree can be is refused. */
#include "analysis/contexts.h"
#include "testsuite/unit/hexpage.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <string.h>

static const char page[] = "doc/context-format.md";

static void check_node(const struct pf_contexts *c, uint32_t node, const char *name, uint32_t line, uint64_t count)
{
	const struct pf_context_node *n = &c->nodes.at[node];

	ck_assert_str_eq(c->functions.at[n->function].name, name);
	ck_assert_uint_eq(pf_contexts_line(c, node), line);
	ck_assert_uint_eq(n->count, count);
	ck_assert_uint_eq(n->leads, node);
}

static void parse(struct pf_contexts *c, int times, bool by_site)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_error error;

	ck_assert_uint_gt(size, 80);
	for (int i = 0; i < times; i++)
		ck_assert_msg(pf_contexts_parse(c, bytes, size, page, &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(pf_contexts_finish(c, by_site, false, &error), PF_OK);
}

START_TEST(page_decodes)
{
	struct pf_contexts c = { 0 };
	struct pf_context_statistics s;
	struct pf_error error;

	parse(&c, 3, true);
	ck_assert_str_eq(c.module, "libx.so");
	ck_assert_uint_eq(c.nodes.count, 4);
	ck_assert_uint_eq(c.nodes.at[0].below, 90);
	check_node(&c, pf_contexts_next(&c, 0), "libf", 0, 30);
	check_node(&c, 2, "leaf", 2, 30);
	check_node(&c, 3, "leaf", 2, 30);
	ck_assert_uint_eq(pf_contexts_next(&c, 3), PF_CONTEXT_NOTHING);
	ck_assert_int_eq(pf_contexts_measure(&c, &s, &error), PF_OK);
	ck_assert_uint_eq(s.records, 3);
	ck_assert_uint_eq(s.functions, 2);
	ck_assert_uint_eq(s.replication, 2);
	ck_assert_uint_eq(s.sites, 2);
	ck_assert_uint_eq(s.used_sites, 2);
	ck_assert_double_eq(s.height, 2);
	ck_assert_double_eq(s.out_degree, 2);
	/* One with two call sites, and two without. */
	ck_assert_double_eq(s.record_size * 3, 3 * 80 + 2 * 8);
	pf_contexts_fini(&c);
}
END_TEST

START_TEST(sites_add_up)
{
	struct pf_contexts c = { 0 };

	parse(&c, 1, false);
	ck_assert_uint_eq(c.nodes.count, 3);
	check_node(&c, 2, "leaf", 0, 20);
	pf_contexts_fini(&c);
}
END_TEST

/* WHAT the file says, with the byte at AT changed to VALUE. */
static void check_refused(const uint8_t *good, size_t size, size_t at, uint8_t value, const char *what)
{
	uint8_t bytes[4096];
	struct pf_contexts c = { 0 };
	struct pf_error error;

	memcpy(bytes, good, size);
	bytes[at] = value;
	ck_assert_int_lt(pf_contexts_parse(&c, bytes, size, "changed", &error), 0);
	ck_assert_msg(strstr(error.text, what) && strstr(error.text, "changed: "), "byte %zu: %s", at, error.text);
	pf_contexts_fini(&c);
}

START_TEST(refuses)
{
	uint8_t bytes[4096] = { 0 };
	size_t size = read_page(page, bytes, sizeof bytes - 1);
	struct pf_contexts c = { 0 };
	struct pf_error error;

	for (size_t cut = 0; cut < size; cut++) {
		ck_assert_int_lt(pf_contexts_parse(&c, bytes, cut, "cut", &error), 0);
		ck_assert(strstr(error.text, "cut: ") == error.text);
		pf_contexts_fini(&c);
		c = (struct pf_contexts) { 0 };
	}
	ck_assert_int_eq(pf_contexts_parse(&c, bytes, size + 1, "long", &error), PF_EFORMAT);
	pf_contexts_fini(&c);
	check_refused(bytes, size, 8, 2, "version 2");
	check_refused(bytes, size, 0x38, 2, "two functions have one number");
	/* The last arc: from record 1, site 1, function 2, count 10, no cycles, to record 3. */
	check_refused(bytes, size, 0x57, 4, "a call from or to what is not there");
	check_refused(bytes, size, 0x58, 2, "a call that its function cannot make");
	check_refused(bytes, size, 0x59, 3, "a call from or to what is not there");
	/* libf in libf, as a record of its own; and another record for leaf, which is no ancestor. */
	check_refused(bytes, size, 0x59, 1, "a call that its function cannot make");
	check_refused(bytes, size, 0x5C, 2, "a call that its function cannot make");
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-contexts", page_decodes, sites_add_up, refuses);
}
