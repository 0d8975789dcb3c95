/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of perf record -o -, whose tables are in records.  The file in the corpus was put together by hand: two
 * events with ids 5 and 6, their names, a mapping, three samples, and behind them a build-id of 1, 2, 3... */
#include "perfdata/perfdata.h"
#include "testsuite/unit/suite.h"

static struct pf_error error;

static void next(struct pf_perf_file *file, struct pf_event *event, enum pf_event_kind kind)
{
	do
		ck_assert_msg(pf_perf_next(file, event, &error) == 1, "%s", error.text);
	while (event->kind == PF_EVENT_OTHER);
	ck_assert_int_eq(event->kind, kind);
}

START_TEST(tables_in_records)
{
	struct pf_perf_file *file;
	struct pf_event event;
	const struct pf_build_id *ids;
	size_t count;

	ck_assert_msg(pf_perf_open("testsuite/fuzz/corpus/perfdata/pipe", &file, &error) == PF_OK, "%s", error.text);
	ck_assert_uint_eq(pf_perf_attr_count(file), 2);
	ck_assert_str_eq(pf_perf_event_name(file, 0), "clock");
	ck_assert_str_eq(pf_perf_event_name(file, 1), "faults");
	ck_assert_uint_eq(pf_perf_attr(file, 1)->config, PERF_COUNT_SW_PAGE_FAULTS);
	ids = pf_perf_build_ids(file, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(ids[0].path, "/b/unit");
	ck_assert_uint_eq(ids[0].size, 20);
	ck_assert_uint_eq(ids[0].id[19], 20);
	next(file, &event, PF_EVENT_MMAP);
	ck_assert_str_eq(event.filename, "/b/unit");
	for (int i = 0; i < 3; i++) {
		next(file, &event, PF_EVENT_SAMPLE);
		ck_assert_uint_eq(event.attr, i == 1);
		ck_assert_uint_eq(event.ip, i == 1 ? 0x400020 : 0x400010);
	}
	while (pf_perf_next(file, &event, &error) == 1)
		ck_assert_int_eq(event.kind, PF_EVENT_OTHER);
	pf_perf_close(file);
}
END_TEST

int main(void)
{
	return RUN_SUITE("perfdata-pipe", tables_in_records);
}
