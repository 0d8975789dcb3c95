/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf.data files made by hand for the tests, byte by byte and independent of the writer.  Include it once. */
#ifndef PF_TESTSUITE_PERFDATA_IMAGE_H
#define PF_TESTSUITE_PERFDATA_IMAGE_H

#include "perfdata/perfdata.h"
#include "support/buffer.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct image {
	struct pf_buffer records;
	struct pf_buffer attrs; /* without their sections of ids */
	uint64_t ids[8];        /* one an attr, 0 none */
	uint32_t attr_size, attr_count;
	uint32_t header_size;
};

/* One more attr of SIZE bytes; what is beyond 112 bytes is filled with 0xff. */
static inline void image_attr(struct image *image, uint32_t size, uint64_t sample_type, uint64_t read_format,
			      uint64_t branch_type, uint64_t id)
{
	uint8_t bytes[512] = { 0 };
	struct perf_event_attr attr = { .type = 1,
					.size = size,
					.sample_type = sample_type,
					.read_format = read_format,
					.branch_sample_type = branch_type,
					.sample_period = 77,
					.sample_id_all = 1 };

	ck_assert_uint_le(size, sizeof bytes);
	memcpy(bytes, &attr, sizeof attr);
	if (size > 112)
		memset(bytes + 112, 0xff, sizeof bytes - 112);
	pf_buffer_bytes(&image->attrs, bytes, size);
	image->attr_size = size;
	image->ids[image->attr_count++] = id;
}

/* Begins a record; image_end writes its size. */
static inline size_t image_begin(struct image *image, uint32_t type, uint16_t misc)
{
	size_t at = image->records.size;

	pf_buffer_u32(&image->records, type);
	pf_buffer_u16(&image->records, misc);
	pf_buffer_u16(&image->records, 0);
	return at;
}

static inline void image_end(struct image *image, size_t at)
{
	size_t size = image->records.size - at;

	image->records.data[at + 6] = (uint8_t)size;
	image->records.data[at + 7] = (uint8_t)(size >> 8);
}

/* The whole file: header, ids, attrs, records. */
static inline struct pf_buffer image_file(struct image *image)
{
	uint32_t header = image->header_size ? image->header_size : 104;
	uint32_t stride = image->attr_size + 16;
	uint64_t attrs_at = header + 8 * (uint64_t)image->attr_count;
	struct pf_buffer b = { 0 };

	pf_buffer_bytes(&b, "PERFILE2", 8);
	pf_buffer_u64(&b, header);
	pf_buffer_u64(&b, stride);
	pf_buffer_u64(&b, attrs_at);
	pf_buffer_u64(&b, (uint64_t)stride * image->attr_count);
	pf_buffer_u64(&b, attrs_at + (uint64_t)stride * image->attr_count);
	pf_buffer_u64(&b, image->records.size);
	pf_buffer_bytes(&b, NULL, header - b.size);
	for (uint32_t i = 0; i < image->attr_count; i++)
		pf_buffer_u64(&b, image->ids[i]);
	for (uint32_t i = 0; i < image->attr_count; i++) {
		pf_buffer_bytes(&b, image->attrs.data + (size_t)i * image->attr_size, image->attr_size);
		pf_buffer_u64(&b, header + 8 * (uint64_t)i);
		pf_buffer_u64(&b, image->ids[i] ? 8 : 0);
	}
	pf_buffer_bytes(&b, image->records.data, image->records.size);
	pf_buffer_fini(&image->records);
	pf_buffer_fini(&image->attrs);
	return b;
}

/* Opens bytes as a file. */
static inline int image_open_bytes(const void *bytes, size_t size, struct pf_perf_file **file, struct pf_error *error)
{
	char path[64];
	int fd = memfd_create("image", 0);
	int status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	status = pf_perf_open(path, file, error);
	close(fd); /* the reader has its own */
	return status;
}

static inline struct pf_perf_file *image_open(struct image *image)
{
	struct pf_buffer b = image_file(image);
	struct pf_perf_file *file;
	struct pf_error error;

	ck_assert_msg(image_open_bytes(b.data, b.size, &file, &error) == PF_OK, "%s", error.text);
	pf_buffer_fini(&b);
	return file;
}

static inline int run_suite(const char *name, const TTest *const *tests, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120); /* also on a busy machine */
	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#endif
