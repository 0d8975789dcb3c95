/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/vectors-format.md against the code: the page's own hexdump must decode to what the page says is in it, and the
 * encoder must make exactly these bytes of that.  Run with --print to see the hexdump as the code makes it. */
#include "perfdata/vectors-codec.h"
#include "testsuite/unit/hexpage.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char page[] = "doc/vectors-format.md";

static uint32_t path_one[] = { 0, 1, 0, 1, 2 };
static uint32_t path_two[] = { 1, 0, 1 };
static struct pf_vec_process processes[] = { { .pid = 100, .ppid = 99, .comm = "demo", .exe = "/bin/demo" } };
static struct pf_vec_map maps[] = {
	{ .start = 0x401000,
	  .end = 0x403000,
	  .offset = 0x1000,
	  .path = "/bin/demo",
	  .time = 7,
	  .build_id = { 0xde, 0xad, 0xbe, 0xef },
	  .build_id_size = 4 },
};
static struct pf_vec_edge edges[] = {
	{ .from_map = 0, .to_map = 0, .kind = PF_EDGE_COND, .start = 0x401000, .from = 0x401010, .to = 0x401008 },
	{ .from_map = 0, .to_map = 0, .kind = PF_EDGE_JUMP, .start = 0x401008, .from = 0x401014, .to = 0x401000 },
	{ .from_map = 0,
	  .to_map = UINT32_MAX,
	  .kind = PF_EDGE_CALL,
	  .start = 0x401000,
	  .from = 0x401020,
	  .to = 0x500000 },
};
static struct pf_vec_burst bursts[] = {
	{ .tid = 100, .time = 1000, .period = 500, .elapsed = 9, .repeat = 1, .edge_count = 5, .edges = path_one },
	{ .tid = 101,
	  .time = 2000,
	  .period = 400,
	  .elapsed = 8,
	  .repeat = 2,
	  .edge_count = 3,
	  .end_reason = 1,
	  .edges = path_two },
};
static struct pf_vec_count counts[] = { { .edge = 2, .count = 1000 } };
static struct pf_vec_value values[] = {
	{ .kind = PF_VEC_DIVISOR, .part = PF_VEC_ONE, .address = 0x40100c, .value = -10, .count = 90 },
	{ .kind = PF_VEC_DIVISOR, .part = PF_VEC_OTHER, .address = 0x40100c, .count = 7 },
};
static const struct pf_vectors example = {
	.process_count = 1,
	.map_count = 1,
	.edge_count = 3,
	.burst_count = 2,
	.count_count = 1,
	.nominal_length = 5,
	.frequency = 100,
	.cpu_ns = 1000000,
	.cost_ns = 5000,
	.processes = processes,
	.maps = maps,
	.edges = edges,
	.bursts = bursts,
	.counts = counts,
	.value_count = 2,
	.values = values,
};

static void compare_tables(const struct pf_vectors *v)
{
	ck_assert_uint_eq(v->nominal_length, 5);
	ck_assert_uint_eq(v->frequency, 100);
	ck_assert_uint_eq(v->cpu_ns, 1000000);
	ck_assert_uint_eq(v->cost_ns, 5000);
	ck_assert_uint_eq(v->process_count, 1);
	ck_assert_uint_eq(v->processes[0].pid, 100);
	ck_assert_uint_eq(v->processes[0].ppid, 99);
	ck_assert_str_eq(v->processes[0].comm, "demo");
	ck_assert_str_eq(v->processes[0].exe, "/bin/demo");
	ck_assert_uint_eq(v->map_count, 1);
	ck_assert_uint_eq(v->maps[0].end, 0x403000);
	ck_assert_uint_eq(v->maps[0].offset, 0x1000);
	ck_assert_mem_eq(v->maps[0].build_id, "\xde\xad\xbe\xef", 4);
	ck_assert_str_eq(v->maps[0].path, "/bin/demo");
	ck_assert_uint_eq(v->edge_count, 3);
	ck_assert_uint_eq(v->edges[1].from, 0x401014);
	ck_assert_uint_eq(v->edges[2].to, 0x500000);
	ck_assert_uint_eq(v->edges[2].to_map, UINT32_MAX);
	ck_assert_uint_eq(v->count_count, 1);
	ck_assert_uint_eq(v->counts[0].edge, 2);
	ck_assert_uint_eq(v->counts[0].count, 1000);
	ck_assert_uint_eq(v->value_count, 2);
	ck_assert_uint_eq(v->values[1].address, 0x40100c);
	ck_assert_int_eq(v->values[0].value, -10);
	ck_assert_uint_eq(v->values[1].count, 7);
}

START_TEST(page_decodes)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_cursor c = pf_cursor_over(bytes, size, 0);
	struct pf_vectors *v;
	struct pf_error error;

	ck_assert_uint_gt(size, 100);
	ck_assert_msg(pf_vectors_decode(page, &c, &v, &error) == PF_OK, "%s", error.text);
	compare_tables(v);
	ck_assert_uint_eq(v->burst_count, 2);
	ck_assert_uint_eq(v->bursts[0].edge_count, 5);
	ck_assert_mem_eq(v->bursts[0].edges, path_one, sizeof path_one);
	ck_assert_uint_eq(v->bursts[1].tid, 101);
	ck_assert_uint_eq(v->bursts[1].time, 2000);
	ck_assert_uint_eq(v->bursts[1].repeat, 2);
	ck_assert_mem_eq(v->bursts[1].edges, path_two, sizeof path_two);
	pf_vectors_free(v);
}
END_TEST

START_TEST(encoder_makes_the_page)
{
	uint8_t bytes[4096];
	size_t size = read_page(page, bytes, sizeof bytes);
	struct pf_buffer b = { 0 };

	ck_assert_int_eq(pf_vectors_encode(&example, &b, NULL), PF_OK);
	ck_assert_uint_eq(b.size, size);
	ck_assert_mem_eq(b.data, bytes, size);
	pf_buffer_fini(&b);
}
END_TEST

static int print(void)
{
	struct pf_buffer b = { 0 };

	if (pf_vectors_encode(&example, &b, NULL) < 0)
		return 1;
	for (size_t i = 0; i < b.size; i++) {
		if (i % 16 == 0)
			printf("%s    %08zx:", i ? "\n" : "", i);
		printf(" %02x", b.data[i]);
	}
	putchar('\n');
	pf_buffer_fini(&b);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--print") == 0)
		return print();

	return RUN_SUITE("perfdata-page", page_decodes, encoder_makes_the_page);
}
