/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream of a whole run, filled as an agent does and read as the recorder does, in turn: nothing is lost or out of
 * order where the ring's end is met, and what cannot be is read no further. */
#include "runtime/agent/stream.h"
#include "runtime/drain.h"
#include "runtime/keeper.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EDGES 50u
#define MOST 1000u /* ids of a burst */

static char folder[64];
static int keeper;
static struct pf_control *control;
static struct pf_recording recording;
static struct pf_pulse pulse;
static struct pf_drain drain;
static uint64_t edges, bursts, ids_read, ended;
static uint32_t next_id; /* that must come */

static bool take_edge(void *context, uint32_t process, const struct pf_vec_edge *edge, const struct pf_vec_map *from)
{
	(void)context;
	ck_assert_uint_eq(process, 0);
	ck_assert_ptr_null(from);
	ck_assert_uint_eq(edge->from, 0x1000 + 16 * edges);
	ck_assert_uint_eq(edge->start, edge->from - 4);
	edges++;
	return true;
}

static bool take_burst(void *context, uint32_t process, const struct pf_vec_burst *burst)
{
	(void)context;
	(void)process;
	for (uint32_t i = 0; i < burst->edge_count; i++, next_id = (next_id + 1) % EDGES)
		ck_assert_uint_eq(burst->edges[i], next_id);
	ids_read += burst->edge_count;
	bursts++;
	return true;
}

static void end_process(void *context, uint32_t process)
{
	(void)context;
	(void)process;
	ended++;
}

static void set_up(void)
{
	struct pf_keeper_settings settings = {
		.frequency = 100, .branches = MOST, .budget_ppm = 10000, .limit = 1 << 20, .whole = true
	};
	struct pf_drain_sink sink = { .edge = take_edge, .burst = take_burst, .end = end_process };
	struct pf_error error;

	strcpy(folder, "/tmp/runtime-drain.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = pf_keeper_make(folder, &settings, &error);
	ck_assert_msg(keeper >= 0, "%s", error.text);
	control = pf_control_open(folder);
	ck_assert_ptr_nonnull(control);
	ck_assert_uint_eq(control->whole, 1);
	ck_assert_int_eq(pf_drain_init(&drain, keeper, "file", &sink, &error), PF_OK);
	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/x", 1), PF_REFUSE_NONE);
	for (uint64_t i = 0; i < EDGES; i++) {
		struct pf_wire_edge edge = { 0x1000 + 16 * i, 0x2000, 4, PF_NO_MAP, PF_NO_MAP, PF_EDGE_COND };

		ck_assert_uint_eq(pf_recording_edge(&recording, &edge), i);
	}
}

static void tear_down(void)
{
	char path[96];

	pf_drain_fini(&drain);
	pf_recording_leave(&recording);
	munmap(control, PF_WIRE_PAGE);
	close(keeper);
	snprintf(path, sizeof path, "%s/" PF_WIRE_FILE, folder);
	remove(path);
	rmdir(folder);
}

static void poll(bool moves)
{
	bool moved;

	ck_assert_int_eq(pf_drain_poll(&drain, &moved, NULL), PF_OK);
	ck_assert(moved == moves);
}

static bool put(uint32_t count)
{
	static uint32_t id;
	static uint32_t ids[MOST];
	struct pf_wire_burst burst = { .tid = 7, .edge_count = count };

	for (uint32_t i = 0; i < count; i++, id = (id + 1) % EDGES)
		ids[i] = id;
	return pf_stream_burst(&recording, &pulse, &burst, ids, NULL);
}

START_TEST(many_times_round)
{
	uint64_t sent = 0;

	/* Lengths that leave less than a burst's header, and more, at the ring's end. */
	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t count = 1 + i * 37 % MOST;

		ck_assert(put(count));
		sent += count;
		if (i % 3 == 0)
			poll(true);
	}
	poll(true);
	poll(false);
	ck_assert_uint_eq(ids_read, sent);
	ck_assert_uint_eq(bursts, 5000);
	ck_assert_uint_eq(edges, EDGES);
	ck_assert_uint_eq(recording.header->branches_recorded, sent);
	ck_assert_uint_gt(recording.header->stream_head, 4 * pf_stream_size(&control->layout));
	ck_assert_uint_eq(drain.damaged, 0);
}
END_TEST

static uint32_t accesses_read;
static uint64_t next_address;

static bool take_accesses(void *context, uint32_t process, const struct pf_vec_access *accesses, uint32_t count)
{
	(void)context;
	ck_assert_uint_eq(process, 0);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(accesses[i].address, next_address++);
	accesses_read += count;
	return true;
}

/* A burst's accesses come with it, many times round; where nobody wants them they are passed over. */
START_TEST(accesses_of_bursts)
{
	static struct pf_vec_access accesses[200];
	uint64_t sent = 0;

	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t id = i % EDGES;
		struct pf_wire_burst burst = { .edge_count = 1, .accesses = i * 37 % 200 };

		drain.sink.accesses = i < 2000 ? take_accesses : NULL;
		for (uint32_t k = 0; k < burst.accesses; k++)
			accesses[k].address = sent++;
		ck_assert(pf_stream_burst(&recording, &pulse, &burst, &id, accesses));
		poll(true);
		ck_assert_uint_eq(bursts, i + 1);
		if (i < 2000)
			ck_assert_uint_eq(accesses_read, sent);
	}
	ck_assert_uint_lt(accesses_read, sent);
	ck_assert_uint_gt(recording.header->stream_head, 4 * pf_stream_size(&control->layout));
	ck_assert_uint_eq(drain.damaged, 0);
	ck_assert_uint_eq(ids_read, 3000);
}
END_TEST

START_TEST(an_end)
{
	ck_assert(put(3));
	recording.header->state = PF_WIRE_EXITED;
	poll(true);
	ck_assert_uint_eq(ended, 0);
	poll(false);
	poll(false);
	ck_assert_uint_eq(ended, 1);
}
END_TEST

/* Nobody reads, and the recorder has said that it is at its end: the program does not wait. */
START_TEST(a_full_ring)
{
	uint64_t fit = 0, each = pf_wire_burst_size(MOST);

	pf_keeper_end(keeper);
	while (put(MOST))
		fit++;
	ck_assert_uint_eq(fit, pf_stream_size(&control->layout) / each);
	ck_assert_uint_eq(recording.header->lost_bursts, 1);
}
END_TEST

START_TEST(what_cannot_be)
{
	struct pf_wire_burst *first =
	    (struct pf_wire_burst *)(void *)((uint8_t *)recording.header + control->layout.chunks.offset);

	ck_assert(put(3));
	((uint32_t *)(void *)(first + 1))[1] = EDGES; /* there is no such edge */
	poll(true);
	ck_assert_uint_eq(bursts, 0);
	ck_assert_uint_eq(drain.damaged, 1);
	ck_assert(put(3));
	poll(false);
}
END_TEST

START_TEST(a_head_out_of_reach)
{
	recording.header->stream_head = 1ull << 40;
	poll(false);
	ck_assert_uint_eq(drain.damaged, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { many_times_round, accesses_of_bursts, an_end,
				       a_full_ring,      what_cannot_be,     a_head_out_of_reach };
	TCase *cases = tcase_create("runtime-drain");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("runtime-drain", cases);
}
