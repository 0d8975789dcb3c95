/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/context-format.md against the reader: the page's own hexdump must decode to what the page says is in it; files
 * add up; and a file that is cut anywhere, has anything behind its end, or says what no tree can be is refused. */
#include "analysis/contexts.h"
#include "analysis/countedclasses.h"
#include "support/buffer.h"
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
	/* One with two call sites and one path, and two with two paths. */
	ck_assert_double_eq(s.record_size * 3, 3 * 96 + 3 * 8 + 2 * 2 * 8);
	pf_contexts_fini(&c);
}
END_TEST

static void check_paths(const struct pf_contexts *c, uint32_t node, uint64_t first, uint64_t second)
{
	const struct pf_context_node *n = &c->nodes.at[node];

	ck_assert_uint_eq(n->path_count, 2);
	ck_assert_uint_eq(n->ran, first + second);
	ck_assert_uint_eq(c->paths.at[n->first_path].number, 0);
	ck_assert_uint_eq(c->paths.at[n->first_path].count, first);
	ck_assert_uint_eq(c->paths.at[n->first_path + 1].number, 1);
	ck_assert_uint_eq(c->paths.at[n->first_path + 1].count, second);
}

/* leaf(x) and leaf(2 * x) for x from 0 to 9: how often the argument is above 3, and how often it is not. */
START_TEST(paths_by_context)
{
	struct pf_contexts c = { 0 };

	parse(&c, 3, true);
	check_paths(&c, 2, 3 * 6, 3 * 4);
	check_paths(&c, 3, 3 * 8, 3 * 2);
	pf_contexts_fini(&c);
	c = (struct pf_contexts) { 0 };
	parse(&c, 2, false);
	check_paths(&c, 2, 2 * (6 + 8), 2 * (4 + 2));
	pf_contexts_fini(&c);
}
END_TEST

START_TEST(paths_of_all_contexts)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_contexts c = { 0 };
	struct pf_counted counted = { 0 };
	struct pf_error error;

	ck_assert_int_eq(pf_contexts_parse(&c, bytes, size, page, &error), PF_OK);
	ck_assert_msg(pf_contexts_take_paths(&c, &counted, page, &error) == PF_OK, "%s", error.text);
	pf_contexts_fini(&c);
	ck_assert_int_eq(pf_counted_finish(&counted, &error), PF_OK);
	ck_assert_uint_eq(counted.total, 30);
	ck_assert_str_eq(counted.functions.at[0].name, "leaf");
	ck_assert_uint_eq(counted.functions.at[0].paths.count, 2);
	ck_assert_uint_eq(counted.functions.at[0].paths.at[0].count, 14);
	ck_assert_uint_eq(counted.functions.at[0].paths.at[1].count, 6);
	ck_assert_uint_eq(counted.functions.at[0].unfinished, 0);
	pf_counted_fini(&counted);
}
END_TEST

/* A file of version 1, where no function has paths. */
START_TEST(older_version)
{
	uint8_t bytes[512];
	FILE *stream = fopen("testsuite/fuzz/corpus/contexts/good", "rb");
	size_t size = stream ? fread(bytes, 1, sizeof bytes, stream) : 0;
	struct pf_contexts c = { 0 };
	struct pf_counted counted = { 0 };
	struct pf_error error;

	ck_assert_uint_gt(size, 80);
	fclose(stream);
	ck_assert_uint_eq(bytes[8], 1);
	ck_assert_msg(pf_contexts_parse(&c, bytes, size, "one", &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(pf_contexts_take_paths(&c, &counted, "one", &error), PF_EMISMATCH);
	ck_assert_msg(strstr(error.text, "one: paths were not counted"), "%s", error.text);
	ck_assert_int_eq(pf_contexts_finish(&c, true, false, &error), PF_OK);
	ck_assert_uint_eq(c.nodes.at[0].below, 30);
	pf_contexts_fini(&c);
	pf_counted_fini(&counted);
}
END_TEST

static void check_group(const struct pf_counted_group *g, uint64_t members, uint64_t paths, uint64_t metric,
			uint64_t lines)
{
	ck_assert_uint_eq(g->members, members);
	ck_assert_uint_eq(g->paths, paths);
	ck_assert_uint_eq(g->metric, metric);
	ck_assert_uint_eq(g->lines, lines);
}

static void classify(const uint8_t *bytes, size_t size, double threshold, struct pf_counted_classes *found)
{
	struct pf_contexts c = { 0 };
	struct pf_counted counted = { 0 };
	struct pf_error error;

	ck_assert_int_eq(pf_contexts_parse(&c, bytes, size, page, &error), PF_OK);
	ck_assert_int_eq(pf_contexts_take_paths(&c, &counted, page, &error), PF_OK);
	pf_contexts_fini(&c);
	ck_assert_int_eq(pf_counted_finish(&counted, &error), PF_OK);
	ck_assert_int_eq(pf_counted_classify(found, &counted, threshold, &error), PF_OK);
	pf_counted_fini(&counted);
}

/* A path of leaf has three lines, one in each block, that of libf one.  By cycles there are 96 in 70 lines: leaf's path
 * 0 has 84 in 14 * 3, more than the average; libf's has 10 in 10, which is less; and 2 are below 5%. */
START_TEST(dense_and_sparse)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_counted_classes classes;

	classify(bytes, size, 0.25, &classes);
	ck_assert(!classes.measured);
	ck_assert_uint_eq(classes.metric, 30);
	check_group(&classes.paths[PF_COUNTED_DENSE], 2, 2, 14 + 10, 14 * 3 + 10);
	check_group(&classes.paths[PF_COUNTED_COLD], 1, 1, 6, 6 * 3);
	check_group(&classes.functions[PF_COUNTED_DENSE], 2, 3, 30, 70);
	bytes[8] = 2; /* where what calls took is cycles */
	memmove(bytes + 0x28, bytes + 0x29, --size - 0x28);
	bytes[0x8E] = 120; /* libf, with what it calls */
	bytes[0x93] = 10;  /* libf */
	bytes[0x9D] = 60;  /* leaf, from its first site */
	bytes[0xAA] = 24;  /* and from its second */
	bytes[0xAD] = 2;
	classify(bytes, size, 0.05, &classes);
	ck_assert_str_eq(classes.measured, "cycles");
	ck_assert_uint_eq(classes.metric, 96);
	ck_assert_uint_eq(classes.lines, 70);
	check_group(&classes.paths[PF_COUNTED_DENSE], 1, 1, 84, 42);
	check_group(&classes.paths[PF_COUNTED_SPARSE], 1, 1, 10, 10);
	check_group(&classes.paths[PF_COUNTED_COLD], 1, 1, 2, 18);
	check_group(&classes.functions[PF_COUNTED_DENSE], 1, 2, 86, 60);
	check_group(&classes.functions[PF_COUNTED_SPARSE], 1, 1, 10, 10);
	check_group(&classes.functions[PF_COUNTED_COLD], 0, 0, 0, 0);
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

/* Files of two events do not add up. */
START_TEST(events)
{
	uint8_t bytes[4096] = { 0 };
	size_t size = read_page(page, bytes, sizeof bytes - 1);
	struct pf_contexts c = { 0 };
	struct pf_error error;

	memmove(bytes + 0x29, bytes + 0x28, size++ - 0x28);
	for (int event = 'a'; event < 'c'; event++) {
		bytes[0x28] = (uint8_t)event;
		ck_assert_int_eq(pf_contexts_parse(&c, bytes, size, "some", &error),
				 event == 'a' ? PF_OK : PF_EMISMATCH);
	}
	ck_assert_msg(strstr(error.text, "some: it has b, and files before it have a"), "%s", error.text);
	ck_assert_str_eq(c.metric, "a");
	/* The same without any: the event is in the byte that was put in. */
	memmove(bytes + 0x28, bytes + 0x29, --size - 0x28);
	ck_assert_int_eq(pf_contexts_parse(&c, bytes, size, "some", &error), PF_EMISMATCH);
	ck_assert_msg(strstr(error.text, "some have a and some counts alone"), "%s", error.text);
	pf_contexts_fini(&c);
}
END_TEST

/* The page's file, which measured EVENT, or nothing if it is 0, and its paths added to COUNTED. */
static int take_measured(struct pf_counted *counted, char event, struct pf_error *error)
{
	uint8_t bytes[4096] = { 0 };
	size_t size = read_page(page, bytes, sizeof bytes - 1);
	struct pf_contexts c = { 0 };
	int status;

	if (event) {
		memmove(bytes + 0x29, bytes + 0x28, size++ - 0x28);
		bytes[0x28] = (uint8_t)event;
	}
	ck_assert_int_eq(pf_contexts_parse(&c, bytes, size, "some", error), PF_OK);
	status = pf_contexts_take_paths(&c, counted, "some", error);
	pf_contexts_fini(&c);
	return status;
}

/* Neither two events add up, nor an event and nothing, in whatever order; paths of several files are no exception. */
START_TEST(mixed_measurements)
{
	static const struct {
		char first, second;
		int status;
	} cases[] = { { 'a', 'a', PF_OK },
		      { 0, 0, PF_OK },
		      { 'a', 'b', PF_EMISMATCH },
		      { 'a', 0, PF_EMISMATCH },
		      { 0, 'a', PF_EMISMATCH } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pf_counted counted = { 0 };
		struct pf_error error;

		ck_assert_int_eq(take_measured(&counted, cases[i].first, &error), PF_OK);
		ck_assert_int_eq(take_measured(&counted, cases[i].second, &error), cases[i].status);
		pf_counted_fini(&counted);
	}
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
	check_refused(bytes, size, 8, 4, "version 4");
	check_refused(bytes, size, 8, 0, "version 0");
	check_refused(bytes, size, 0x63, 2, "two functions have one number");
	/* The graph of leaf: its paths are two; its first edge leads to block 2; its first line's file is of one. */
	check_refused(bytes, size, 0x54, 3, "another number of paths");
	check_refused(bytes, size, 0x43, 0, "an edge that no flow graph has");
	check_refused(bytes, size, 0x58, 1, "a line of no source file");
	/* The last arc: from record 1, site 1, function 2, count 10, no cycles, to record 3; 2 paths, 0 and 1. */
	check_refused(bytes, size, 0xA2, 4, "a call from or to what is not there");
	check_refused(bytes, size, 0xA3, 2, "a call that its function cannot make");
	check_refused(bytes, size, 0xA4, 3, "a call from or to what is not there");
	/* libf in libf, as a record of its own; and another record for leaf, which is no ancestor. */
	check_refused(bytes, size, 0xA4, 1, "a call that its function cannot make");
	check_refused(bytes, size, 0xA7, 2, "a call that its function cannot make");
	check_refused(bytes, size, 0xAC, 2, "a path that its function has not");
}
END_TEST

#define DEPTH 300u
#define ARCS 900000u

static void put_arc(struct pf_buffer *b, uint64_t from, uint64_t function, uint64_t to)
{
	const uint64_t fields[] = { from, 0, function, 1, 0, to };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		pf_buffer_uleb(b, fields[i]);
}

/* A chain of functions, the last of which calls one more, which is as many contexts: a large program's tree is. */
START_TEST(large_tree)
{
	struct pf_buffer b = { 0 };
	struct pf_contexts c = { 0 };
	struct pf_error error;

	pf_buffer_bytes(&b, "PFCTREE\0\3\0\0\0\0\0\0", 16);
	for (int i = 0; i < 16; i++)
		pf_buffer_u8(&b, 0);
	pf_buffer_bytes(&b, "m\0", 3);
	pf_buffer_uleb(&b, DEPTH + 1);
	for (unsigned f = 0; f <= DEPTH; f++) {
		pf_buffer_uleb(&b, f);
		pf_buffer_bytes(&b,
				"\x07"
				"f\0c\0\1\1\1",
				8);
	}
	pf_buffer_uleb(&b, 1);
	pf_buffer_uleb(&b, DEPTH + ARCS);
	for (unsigned f = 0; f < DEPTH; f++)
		put_arc(&b, f, f, f + 1);
	for (unsigned i = 0; i < ARCS; i++)
		put_arc(&b, DEPTH, DEPTH, DEPTH + 1 + i);
	ck_assert(!b.failed);
	ck_assert_msg(pf_contexts_parse(&c, b.data, b.size, "large", &error) == PF_OK, "%s", error.text);
	ck_assert_uint_eq(c.nodes.count, 1 + DEPTH + ARCS);
	pf_contexts_fini(&c);
	pf_buffer_fini(&b);
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-contexts", page_decodes, paths_by_context, paths_of_all_contexts, older_version,
			 dense_and_sparse, sites_add_up, events, mixed_measurements, large_tree, refuses);
}
