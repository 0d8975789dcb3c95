/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which samples of which events count: branch filters, several events, several recordings in any order.  All counts are
 * those of the samples that are written down here. */
#include "converter/intake.h"
#include "testsuite/unit/perfdata-image.h"

#define BASE 0x400000u
#define ANY (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)
#define PLAIN (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)

static struct pf_traffic traffic;
static struct pf_recording recordings[4];
static size_t recording_count;
static struct pf_error error;

/* An attr of event TYPE, CONFIG whose id is its number. */
static void add_event(struct image *image, uint32_t type, uint64_t config, uint64_t sample_type, uint64_t filter)
{
	uint8_t *attr;

	image_attr(image, 112, sample_type, 0, filter, image->attr_count + 1);
	attr = image->attrs.data + image->attrs.size - 112;
	memcpy(attr, &type, sizeof type);
	memcpy(attr + 8, &config, sizeof config);
}

static void add_mapping(struct image *image)
{
	size_t at = image_begin(image, PERF_RECORD_MMAP, 0);
	struct pf_buffer *b = &image->records;

	pf_buffer_u32(b, 7);
	pf_buffer_u32(b, 7);
	pf_buffer_u64(b, BASE);
	pf_buffer_u64(b, 0x1000);
	pf_buffer_u64(b, 0);
	pf_buffer_bytes(b, "/b/unit", 8);
	pf_buffer_u32(b, 7); /* the trailer: pid, tid, id */
	pf_buffer_u32(b, 7);
	pf_buffer_u64(b, 1);
	image_end(image, at);
}

/* COUNT samples of event ID at BASE + OFFSET; with three branches each, if STACK. */
static void add_samples(struct image *image, uint64_t id, uint64_t offset, uint32_t count, bool stack)
{
	struct pf_buffer *b = &image->records;

	for (uint32_t i = 0; i < count; i++) {
		size_t at = image_begin(image, PERF_RECORD_SAMPLE, 2);

		pf_buffer_u64(b, id);
		pf_buffer_u64(b, BASE + offset);
		pf_buffer_u32(b, 7);
		pf_buffer_u32(b, 7);
		if (stack)
			pf_buffer_u64(b, 3);
		for (uint64_t k = 0; stack && k < 3; k++) {
			pf_buffer_u64(b, BASE + 0x40 - 16 * k);
			pf_buffer_u64(b, BASE + 0x48 - 16 * k);
			pf_buffer_u64(b, 0);
		}
		image_end(image, at);
	}
}

static int take(struct image *image)
{
	static const struct pf_intake_options options = { 0 };
	struct pf_buffer b = image_file(image);
	int fd = memfd_create("image", 0), status;
	char path[64];

	*image = (struct image) { 0 };
	ck_assert_int_eq(write(fd, b.data, b.size), (ssize_t)b.size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	status = pf_intake_file(&traffic, path, &options, &recordings[recording_count++], &error);
	close(fd);
	pf_buffer_fini(&b);
	return status;
}

static void take_branches(uint64_t filter, uint32_t count)
{
	struct image image = { 0 };

	add_event(&image, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PLAIN | PERF_SAMPLE_BRANCH_STACK, filter);
	add_mapping(&image);
	add_samples(&image, 1, 0x10, count, true);
	ck_assert_msg(take(&image) == PF_OK, "%s", error.text);
}

static void take_plain(uint32_t type, uint64_t config, uint64_t offset, uint32_t count)
{
	struct image image = { 0 };

	add_event(&image, type, config, PLAIN, 0);
	add_mapping(&image);
	add_samples(&image, 1, offset, count, false);
	ck_assert_msg(take(&image) == PF_OK, "%s", error.text);
}

static void drop_all(void)
{
	pf_traffic_fini(&traffic);
	while (recording_count > 0)
		pf_recording_fini(&recordings[--recording_count]);
}

START_TEST(every_branch_is_accepted)
{
	static const uint64_t full[] = { ANY,
					 PERF_SAMPLE_BRANCH_ANY,
					 0,
					 PERF_SAMPLE_BRANCH_USER,
					 ANY | PERF_SAMPLE_BRANCH_ANY_CALL,
					 ANY | PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES |
					     PERF_SAMPLE_BRANCH_TYPE_SAVE };

	for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
		take_branches(full[i], 1);
		ck_assert_uint_eq(traffic.edges.count, 2);
		ck_assert_uint_eq(traffic.branches_used, 2);
		drop_all();
	}
}
END_TEST

START_TEST(other_filters_are_refused)
{
	static const struct {
		uint64_t filter;
		const char *name;
	} partial[] = {
		{ PERF_SAMPLE_BRANCH_ANY_CALL, "-j any_call " },
		{ PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY_RETURN, "-j any_ret " },
		{ PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_JUMP, "-j cond,ind_jmp " },
		{ PERF_SAMPLE_BRANCH_CALL, "-j call " },
		{ PERF_SAMPLE_BRANCH_IND_CALL, "-j ind_call " },
		{ ANY | PERF_SAMPLE_BRANCH_IN_TX, "-j in_tx " },
	};

	for (size_t i = 0; i < sizeof partial / sizeof partial[0]; i++) {
		struct image image = { 0 };

		add_event(&image, PERF_TYPE_HARDWARE, 0, PLAIN | PERF_SAMPLE_BRANCH_STACK, partial[i].filter);
		add_mapping(&image);
		add_samples(&image, 1, 0x10, 5, true);
		ck_assert_int_eq(take(&image), PF_EUNSUPPORTED);
		ck_assert_msg(strstr(error.text, partial[i].name) != NULL, "%s", error.text);
		ck_assert_uint_eq(traffic.edges.count, 0);
		drop_all();
	}
}
END_TEST

START_TEST(call_stacks_are_plain_samples)
{
	take_branches(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK, 5);
	pf_traffic_settle(&traffic);
	ck_assert_uint_eq(traffic.edges.count, 0);
	ck_assert_uint_eq(traffic.samples_used, 5);
	ck_assert_uint_eq(traffic.samples.at[0].offset, 0x10);
	ck_assert_uint_eq(traffic.samples.at[0].weight, 5 * PF_WEIGHT_ONE);
	ck_assert_int_eq(recordings[0].kind, PF_SOURCE_CLOCK);
	drop_all();
}
END_TEST

/* Where times were not sampled, the order in the file deals stacks to two halves. */
START_TEST(halves_without_times)
{
	take_branches(ANY, 40);
	ck_assert_uint_eq(traffic.edges.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct pf_traffic_edge *e = &traffic.edges.at[i];

		ck_assert_uint_eq(e->weight, 40 * PF_WEIGHT_ONE);
		ck_assert_uint_eq(e->dealt.all, e->weight);
		for (unsigned k = 0; k < PF_HALVES_TOLD; k++) {
			ck_assert_uint_ge(e->dealt.first[k], 15 * PF_WEIGHT_ONE);
			ck_assert_uint_ge(e->dealt.all - e->dealt.first[k], 15 * PF_WEIGHT_ONE);
		}
	}
	drop_all();
}
END_TEST

/* A trace (perf record -e intel_pt//u) has to become samples first: a longer one has none either. */
START_TEST(traces_are_no_samples)
{
	struct image image = { 0 };
	size_t at;

	add_event(&image, 10, 0x300, PLAIN, 0);
	add_mapping(&image);
	at = image_begin(&image, 71, 0);   /* AUXTRACE */
	pf_buffer_u64(&image.records, 16); /* bytes of trace behind the record */
	pf_buffer_u64(&image.records, 0);  /* offset, reference, index, thread, processor, reserved */
	pf_buffer_u64(&image.records, 0);
	pf_buffer_u64(&image.records, 0);
	pf_buffer_u64(&image.records, 0);
	image_end(&image, at);
	pf_buffer_u64(&image.records, UINT64_MAX);
	pf_buffer_u64(&image.records, UINT64_MAX);
	ck_assert_int_eq(take(&image), PF_EEMPTY);
	ck_assert_msg(strstr(error.text, "perf inject --itrace") && !strstr(error.text, "longer"), "%s", error.text);
	drop_all();
}
END_TEST

static void check_branches_only(void)
{
	pf_traffic_settle(&traffic);
	ck_assert_uint_eq(traffic.samples.count, 0);
	ck_assert_uint_eq(traffic.samples_used, 0);
	ck_assert_uint_eq(traffic.samples_read, 9);
	ck_assert_uint_eq(traffic.drops[PF_DROP_PLAIN], 9);
	ck_assert_uint_eq(traffic.branches_used, 8);
	ck_assert_uint_eq(traffic.modules.at[0].branches, 8 * PF_WEIGHT_ONE);
	drop_all();
}

START_TEST(order_of_recordings)
{
	take_branches(ANY, 4);
	take_plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0x10, 9);
	check_branches_only();
	take_plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0x10, 9);
	take_branches(ANY, 4);
	check_branches_only();
}
END_TEST

static void check_clock_only(uint64_t others)
{
	pf_traffic_settle(&traffic);
	ck_assert_uint_eq(traffic.samples.count, 1);
	ck_assert_uint_eq(traffic.samples.at[0].offset, 0x10);
	ck_assert_uint_eq(traffic.samples.at[0].weight, 3 * PF_WEIGHT_ONE);
	ck_assert_uint_eq(traffic.samples_used, 3);
	ck_assert_uint_eq(traffic.drops[PF_DROP_EVENT], others);
	ck_assert_uint_eq(traffic.modules.at[0].branches, 3 * PF_WEIGHT_ONE);
}

START_TEST(one_event_of_several)
{
	struct image image = { 0 };

	add_event(&image, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PLAIN, 0);
	add_event(&image, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PLAIN, 0);
	add_mapping(&image);
	add_samples(&image, 1, 0x20, 6, false);
	add_samples(&image, 2, 0x10, 3, false);
	ck_assert_msg(take(&image) == PF_OK, "%s", error.text);
	check_clock_only(6);
	ck_assert_str_eq(recordings[0].event, "cpu-clock");
	ck_assert_str_eq(recordings[0].others, "6 of page-faults");
	ck_assert_uint_eq(recordings[0].samples, 3);
	drop_all();
}
END_TEST

START_TEST(one_event_over_recordings)
{
	take_plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0x20, 6);
	take_plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0x10, 3);
	check_clock_only(6);
	drop_all();
	take_plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0x10, 3);
	take_plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0x20, 6);
	check_clock_only(6);
	drop_all();
	/* Page faults are better than nothing. */
	take_plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0x20, 6);
	pf_traffic_settle(&traffic);
	ck_assert_uint_eq(traffic.samples_used, 6);
	drop_all();
}
END_TEST

/* Processors of two kinds count cycles by two events, and a thread moves between them. */
START_TEST(one_event_on_two_kinds_of_processors)
{
	struct image image = { 0 };

	add_event(&image, PERF_TYPE_HARDWARE, 4ull << 32 | PERF_COUNT_HW_CPU_CYCLES, PLAIN, 0);
	add_event(&image, PERF_TYPE_HARDWARE, 8ull << 32 | PERF_COUNT_HW_CPU_CYCLES, PLAIN, 0);
	add_mapping(&image);
	add_samples(&image, 1, 0x10, 1, false);
	add_samples(&image, 2, 0x10, 2, false);
	ck_assert_msg(take(&image) == PF_OK, "%s", error.text);
	check_clock_only(0);
	drop_all();
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-events", every_branch_is_accepted, other_filters_are_refused,
			 call_stacks_are_plain_samples, halves_without_times, traces_are_no_samples,
			 order_of_recordings, one_event_of_several, one_event_over_recordings,
			 one_event_on_two_kinds_of_processors);
}
