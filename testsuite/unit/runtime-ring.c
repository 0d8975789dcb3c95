/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring-buffer reader on rings laid out by hand: every record once and whole, wherever the ring's end falls, and a
 * damaged one is an error. */
#include "runtime/ring.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 4096u

static char *memory, *data;
static struct perf_event_mmap_page *control;
static struct pf_ring ring;

static void set_up(void)
{
	long page = sysconf(_SC_PAGESIZE);

	memory = calloc(1, (size_t)page + SIZE);
	ck_assert_ptr_nonnull(memory);
	control = (struct perf_event_mmap_page *)memory;
	data = memory + page;
	ring = (struct pf_ring) { .fd = -1, .size = SIZE, .base = memory };
}

static void tear_down(void)
{
	free(memory);
}

/* The kernel's side: a record of SIZE_OF bytes whose words after the header are VALUE, at data_head. */
static void put(uint16_t size_of, uint64_t value)
{
	uint64_t record[64];
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size_of };

	memcpy(record, &header, sizeof header);
	for (int i = 1; i < size_of / 8; i++)
		record[i] = value;
	for (int i = 0; i < size_of; i++)
		data[(control->data_head + (uint64_t)i) % SIZE] = ((char *)record)[i];
	control->data_head += size_of;
}

/* What came: the value of each record in turn. */
struct seen {
	uint64_t expected;
	int calls, status;
};

static int check_records(void *context, const void *records, size_t size, struct pf_error *error)
{
	struct seen *seen = context;
	size_t at = 0;

	(void)error;
	seen->calls++;
	while (at < size) {
		const uint64_t *record = (const uint64_t *)((const char *)records + at);
		struct perf_event_header header;

		memcpy(&header, record, sizeof header);
		for (int i = 1; i < header.size / 8; i++)
			ck_assert_uint_eq(record[i], seen->expected);
		seen->expected++;
		at += header.size;
	}
	ck_assert_uint_eq(at, size);
	return seen->status;
}

START_TEST(an_empty_ring_gives_nothing)
{
	struct seen seen = { 0 };

	ck_assert_int_eq(pf_ring_drain(&ring, check_records, &seen, NULL), PF_OK);
	ck_assert_int_eq(seen.calls, 0);
}
END_TEST

/* With these sizes the end of the ring falls at every multiple of 8 of a record in the course of the rounds. */
START_TEST(records_come_once_and_whole_across_the_end)
{
	struct seen seen = { 0 };
	uint64_t written = 0;

	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < 1 + round % 5; i++)
			put((uint16_t)(16 + 8 * (written % 37)), written), written++;
		ck_assert_int_eq(pf_ring_drain(&ring, check_records, &seen, NULL), PF_OK);
		ck_assert_uint_eq(seen.expected, written);
		ck_assert_uint_eq(control->data_tail, control->data_head);
	}
}
END_TEST

START_TEST(a_full_ring_is_drained)
{
	struct seen seen = { 0 };

	control->data_head = ring.position = SIZE - 8;
	for (uint64_t i = 0; i < SIZE / 64; i++)
		put(64, i);
	ck_assert_int_eq(pf_ring_drain(&ring, check_records, &seen, NULL), PF_OK);
	ck_assert_uint_eq(seen.expected, SIZE / 64);
	/* The record across the end, and the rest in one piece. */
	ck_assert_int_eq(seen.calls, 2);
}
END_TEST

START_TEST(a_record_with_a_wrong_size_is_an_error)
{
	static const uint16_t sizes[] = { 0, 7, 12, 40 };
	struct pf_error error = { 0 };
	struct seen seen = { 0 };

	put(32, 0);
	memcpy(data + 6, &sizes[_i], 2);
	ck_assert_int_eq(pf_ring_drain(&ring, check_records, &seen, &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "damaged"));
	ck_assert_int_eq(seen.calls, 0);
}
END_TEST

START_TEST(a_head_beyond_the_ring_is_an_error)
{
	struct seen seen = { 0 };

	control->data_head = SIZE + 8;
	ck_assert_int_eq(pf_ring_drain(&ring, check_records, &seen, NULL), PF_EFORMAT);
}
END_TEST

START_TEST(the_error_of_the_taker_ends_it)
{
	struct seen seen = { .status = PF_EIO };

	put(32, 0);
	ck_assert_int_eq(pf_ring_drain(&ring, check_records, &seen, NULL), PF_EIO);
	ck_assert_int_eq(seen.calls, 1);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ring");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, an_empty_ring_gives_nothing);
	tcase_add_test(tests, records_come_once_and_whole_across_the_end);
	tcase_add_test(tests, a_full_ring_is_drained);
	tcase_add_loop_test(tests, a_record_with_a_wrong_size_is_an_error, 0, 4);
	tcase_add_test(tests, a_head_beyond_the_ring_is_an_error);
	tcase_add_test(tests, the_error_of_the_taker_ends_it);
	return run_case("runtime-ring", tests);
}
