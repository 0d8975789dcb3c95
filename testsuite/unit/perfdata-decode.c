/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding, on records that are spelled out here by the order that <linux/perf_event.h> documents. */
#include "testsuite/unit/perfdata-image.h"

#include <zstd.h>

static struct pf_error error;

static void want(struct pf_perf_file *file, struct pf_event *event, enum pf_event_kind kind)
{
	ck_assert_msg(pf_perf_next(file, event, &error) == 1, "%s", error.text);
	ck_assert_int_eq(event->kind, kind);
}

static void want_end(struct pf_perf_file *file)
{
	struct pf_event event;

	ck_assert_int_eq(pf_perf_next(file, &event, &error), 0);
	ck_assert_int_eq(pf_perf_next(file, &event, &error), 0);
	pf_perf_close(file);
}

static void put_branches(struct pf_buffer *b, uint64_t count, bool index, bool counters)
{
	pf_buffer_u64(b, count);
	if (index)
		pf_buffer_u64(b, UINT64_MAX);
	for (uint64_t i = 0; i < count; i++) {
		pf_buffer_u64(b, 0x1000 + i);
		pf_buffer_u64(b, 0x2000 + i);
		pf_buffer_u64(b, 2 | i << 4);
	}
	for (uint64_t i = 0; counters && i < count; i++)
		pf_buffer_u64(b, 0xc0c0);
}

static void want_branches(const struct pf_event *event, uint32_t count)
{
	ck_assert_uint_eq(event->branch_count, count);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(event->branches[i].from, 0x1000 + i);
		ck_assert_uint_eq(event->branches[i].to, 0x2000 + i);
		ck_assert_uint_eq(event->branches[i].flags, 2 | i << 4);
	}
}

/* Every field that may stand in front of a branch stack, and two behind it. */
START_TEST(stack_behind_everything)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
			PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct image image = { 0 };
	struct pf_buffer *b = &image.records;
	struct pf_perf_file *file;
	struct pf_event event;
	size_t at;

	image_attr(&image, 136, type, 31, PERF_SAMPLE_BRANCH_HW_INDEX | 1u << 19, 7);
	at = image_begin(&image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	for (uint64_t i = 0; i < 2; i++)
		pf_buffer_u64(b, i ? 0x401234 : 7); /* identifier, ip */
	pf_buffer_u32(b, 11);
	pf_buffer_u32(b, 12);
	pf_buffer_u64(b, 1313); /* time */
	pf_buffer_u64(b, 0xadd);
	pf_buffer_u64(b, 7);
	pf_buffer_u64(b, 8); /* stream */
	pf_buffer_u32(b, 3);
	pf_buffer_u32(b, 0);
	pf_buffer_u64(b, 555); /* period */
	pf_buffer_u64(b, 2);   /* read format: a group of two, enabled, running, then value, id, lost */
	for (int i = 0; i < 2 + 2 * 3; i++)
		pf_buffer_u64(b, 1000 + (uint64_t)i);
	pf_buffer_u64(b, 3); /* callchain */
	for (int i = 0; i < 3; i++)
		pf_buffer_u64(b, 0xccc);
	pf_buffer_u32(b, 12); /* raw */
	pf_buffer_bytes(b, "raw raw raw ", 12);
	put_branches(b, 5, true, true);
	pf_buffer_u64(b, 0); /* registers, stack */
	pf_buffer_u64(b, 0);
	image_end(&image, at);
	file = image_open(&image);
	want(file, &event, PF_EVENT_SAMPLE);
	ck_assert_uint_eq(event.ip, 0x401234);
	ck_assert_uint_eq(event.pid, 11);
	ck_assert_uint_eq(event.tid, 12);
	ck_assert_uint_eq(event.time, 1313);
	ck_assert_uint_eq(event.cpu, 3);
	ck_assert_uint_eq(event.period, 555);
	want_branches(&event, 5);
	want_end(file);
}
END_TEST

/* An attr of each size that there ever was, and two that there will be. */
START_TEST(attr_sizes)
{
	static const uint32_t sizes[] = { 80, 96, 104, 112, 120, 128, 136, 144, 256 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct image image = { 0 };
		struct pf_perf_file *file;
		struct pf_event event;
		size_t at;

		image_attr(&image, sizes[i], PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK, 0, 0, 0);
		at = image_begin(&image, PERF_RECORD_SAMPLE, 0);
		pf_buffer_u64(&image.records, 0x99);
		put_branches(&image.records, 2, false, false);
		image_end(&image, at);
		file = image_open(&image);
		ck_assert_uint_eq(pf_perf_attr(file, 0)->size, sizes[i]);
		want(file, &event, PF_EVENT_SAMPLE);
		ck_assert_uint_eq(event.ip, 0x99);
		ck_assert_uint_eq(event.period, 77); /* the attr's */
		want_branches(&event, 2);
		want_end(file);
	}
}
END_TEST

/* perf inject once wrote attrs of its own size that name the smaller one of the perf that recorded: the ids stand where
 * the header's attr size says. */
START_TEST(attr_names_older_size)
{
	const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	struct image image = { 0 };
	struct pf_perf_file *file;
	struct pf_event event;
	size_t at;

	image_attr(&image, 136, type, 0, 0, 70);
	image_attr(&image, 136, type | PERF_SAMPLE_TIME, 0, 0, 80);
	pf_buffer_patch_u32(&image.attrs, 4, 96);
	pf_buffer_patch_u32(&image.attrs, 136 + 4, 96);
	at = image_begin(&image, PERF_RECORD_SAMPLE, 0);
	pf_buffer_u64(&image.records, 80);
	pf_buffer_u64(&image.records, 0x1000);
	pf_buffer_u64(&image.records, 321);
	image_end(&image, at);
	file = image_open(&image);
	ck_assert_uint_eq(pf_perf_attr(file, 1)->size, 96);
	want(file, &event, PF_EVENT_SAMPLE);
	ck_assert_uint_eq(event.attr, 1);
	ck_assert_uint_eq(event.time, 321);
	want_end(file);
}
END_TEST

/* The first attr, of 64 bytes, has no branch_sample_type; the header has no feature bits. */
START_TEST(oldest_file)
{
	struct image image = { .header_size = 72 };
	struct pf_perf_file *file;
	struct pf_event event;
	size_t at;

	image_attr(&image, 64, PERF_SAMPLE_IP | PERF_SAMPLE_TID, 0, 0, 0);
	at = image_begin(&image, PERF_RECORD_SAMPLE, 0);
	pf_buffer_u64(&image.records, 0x42);
	pf_buffer_u64(&image.records, 5 | 6ull << 32);
	image_end(&image, at);
	file = image_open(&image);
	want(file, &event, PF_EVENT_SAMPLE);
	ck_assert_uint_eq(event.ip, 0x42);
	ck_assert_uint_eq(event.pid, 5);
	ck_assert_uint_eq(event.tid, 6);
	want_end(file);
}
END_TEST

/* Two events whose samples differ in their fields, told apart by their id; an id that no attr has counts as lost. */
START_TEST(attrs_by_id)
{
	const uint64_t common = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	const uint64_t ids[] = { 70, 80, 90 };
	struct image image = { 0 };
	struct pf_perf_file *file;
	struct pf_event event;
	size_t at;

	image_attr(&image, 136, common, 0, 0, 70);
	image_attr(&image, 136, common | PERF_SAMPLE_TIME, 0, 0, 80);
	for (int i = 0; i < 3; i++) {
		at = image_begin(&image, PERF_RECORD_SAMPLE, 0);
		pf_buffer_u64(&image.records, ids[i]);
		pf_buffer_u64(&image.records, 0x1000);
		if (i)
			pf_buffer_u64(&image.records, 123);
		image_end(&image, at);
	}
	at = image_begin(&image, PERF_RECORD_LOST_SAMPLES, 0);
	pf_buffer_u64(&image.records, 6);
	pf_buffer_u64(&image.records, 123456); /* the time, by attr 1's trailer */
	pf_buffer_u64(&image.records, 80);
	image_end(&image, at);
	at = image_begin(&image, PERF_RECORD_LOST_SAMPLES, 1 << 15); /* of perf record --filter */
	pf_buffer_u64(&image.records, 7);
	pf_buffer_u64(&image.records, 123456);
	pf_buffer_u64(&image.records, 80);
	image_end(&image, at);
	file = image_open(&image);
	want(file, &event, PF_EVENT_SAMPLE);
	ck_assert_uint_eq(event.attr, 0);
	ck_assert_uint_eq(event.time, 0);
	want(file, &event, PF_EVENT_SAMPLE);
	ck_assert_uint_eq(event.attr, 1);
	ck_assert_uint_eq(event.time, 123);
	want(file, &event, PF_EVENT_LOST);
	ck_assert_uint_eq(event.lost, 1);
	want(file, &event, PF_EVENT_LOST);
	ck_assert_uint_eq(event.attr, 1);
	ck_assert_uint_eq(event.lost, 6);
	ck_assert_uint_eq(event.time, 123456);
	want(file, &event, PF_EVENT_OTHER);
	want_end(file);
}
END_TEST

static void put_mapping(struct image *image, uint32_t type, uint16_t misc, uint32_t protection)
{
	struct pf_buffer *b = &image->records;
	size_t at = image_begin(image, type, misc);

	pf_buffer_u32(b, 1);
	pf_buffer_u32(b, 2);
	pf_buffer_u64(b, 0x10000);
	pf_buffer_u64(b, 0x2000);
	pf_buffer_u64(b, 0x3000);
	if (type == PERF_RECORD_MMAP2) {
		pf_buffer_u32(b, 8);
		pf_buffer_bytes(b, "\1\2\3\4\5\6\7\10", 8);
		pf_buffer_bytes(b, NULL, 12);
		pf_buffer_u32(b, protection);
		pf_buffer_u32(b, 2);
	}
	pf_buffer_bytes(b, "/bin/x\0", 8);
	pf_buffer_u64(b, 999); /* trailer: time */
	image_end(image, at);
}

START_TEST(mappings)
{
	struct image image = { 0 };
	struct pf_perf_file *file;
	struct pf_event event;

	image_attr(&image, 112, PERF_SAMPLE_TIME, 0, 0, 0);
	put_mapping(&image, PERF_RECORD_MMAP, 0, 0);
	put_mapping(&image, PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA, 0);
	put_mapping(&image, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, 5);
	put_mapping(&image, PERF_RECORD_MMAP2, 0, 5);
	put_mapping(&image, PERF_RECORD_MMAP2, 0, 3);
	file = image_open(&image);
	want(file, &event, PF_EVENT_MMAP);
	ck_assert_uint_eq(event.build_id_size, 0);
	want(file, &event, PF_EVENT_OTHER);
	want(file, &event, PF_EVENT_MMAP);
	ck_assert_uint_eq(event.pid, 1);
	ck_assert_uint_eq(event.tid, 2);
	ck_assert_uint_eq(event.time, 999);
	ck_assert_uint_eq(event.address, 0x10000);
	ck_assert_uint_eq(event.length, 0x2000);
	ck_assert_uint_eq(event.page_offset, 0x3000);
	ck_assert_uint_eq(event.protection, 5);
	ck_assert_str_eq(event.filename, "/bin/x");
	ck_assert_uint_eq(event.build_id_size, 8);
	ck_assert_mem_eq(event.build_id, "\1\2\3\4\5\6\7\10", 8);
	want(file, &event, PF_EVENT_MMAP);
	ck_assert_uint_eq(event.build_id_size, 0); /* these bytes are device and inode */
	want(file, &event, PF_EVENT_OTHER);
	want_end(file);
}
END_TEST

static void put_comm(struct image *image, const char *eight_bytes)
{
	size_t at = image_begin(image, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	pf_buffer_u64(&image->records, 1 | 2ull << 32);
	pf_buffer_bytes(&image->records, eight_bytes, 8);
	image_end(image, at);
}

/* AUX data follow their record; records of perf's own and of kernels to come are passed over. */
START_TEST(passed_over)
{
	static const uint32_t types[] = { 8, 11, 12, 14, 17, 18, 21, 22, 40, 64, 68, 69, 73, 74, 79, 80, 82, 84, 200 };
	struct image image = { 0 };
	struct pf_perf_file *file;
	struct pf_event event;
	size_t at;

	image_attr(&image, 112, 0, 0, 0, 0);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		image_end(&image, image_begin(&image, types[i], 0));
	at = image_begin(&image, 71, 0);
	pf_buffer_u64(&image.records, 100000);
	pf_buffer_bytes(&image.records, NULL, 32);
	image_end(&image, at);
	for (int i = 0; i < 100000; i++)
		pf_buffer_u8(&image.records, 0xff);
	put_comm(&image, "seventh");
	file = image_open(&image);
	for (size_t i = 0; i < sizeof types / sizeof *types + 1; i++)
		want(file, &event, PF_EVENT_OTHER);
	want(file, &event, PF_EVENT_COMM);
	ck_assert_str_eq(event.filename, "seventh");
	ck_assert(event.is_exec);
	want_end(file);
}
END_TEST

/* 20,000 records as one zstd stream, cut every 1,000 bytes wherever that is; COMPRESSED2 has padding. */
static void unpack(uint32_t type)
{
	struct image inner = { 0 }, image = { 0 };
	struct pf_perf_file *file;
	struct pf_event event;
	size_t size;
	char name[9], *packed;

	image_attr(&image, 112, 0, 0, 0, 0);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "%07x", i * 2654435761u >> 4);
		put_comm(&inner, name);
	}
	packed = malloc(ZSTD_compressBound(inner.records.size));
	size = ZSTD_compress(packed, ZSTD_compressBound(inner.records.size), inner.records.data, inner.records.size, 1);
	for (size_t done = 0; done < size; done += 1000) {
		size_t piece = size - done < 1000 ? size - done : 1000;
		size_t at = image_begin(&image, type, 0);

		if (type == 83)
			pf_buffer_u64(&image.records, piece);
		pf_buffer_bytes(&image.records, packed + done, piece);
		if (type == 83)
			pf_buffer_align(&image.records, 8);
		image_end(&image, at);
	}
	put_comm(&image, "thelast");
	file = image_open(&image);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "%07x", i * 2654435761u >> 4);
		want(file, &event, PF_EVENT_COMM);
		ck_assert_str_eq(event.filename, name);
	}
	want(file, &event, PF_EVENT_COMM);
	ck_assert_str_eq(event.filename, "thelast");
	want_end(file);
	pf_buffer_fini(&inner.records);
	free(packed);
}

START_TEST(compressed)
{
	unpack(81);
}
END_TEST

START_TEST(compressed_with_padding)
{
	unpack(83);
}
END_TEST

int main(void)
{
	return RUN_SUITE("perfdata-decode", stack_behind_everything, attr_sizes, attr_names_older_size, oldest_file,
			 attrs_by_id, mappings, passed_over, compressed, compressed_with_padding);
}
