/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged and foreign files: each ends in the right error and a sentence that names the file; none in silence. */
#include "perfdata/vectors-codec.h"
#include "testsuite/unit/perfdata-image.h"

#include <dirent.h>
#include <sys/stat.h>

static const char corpus[] = "testsuite/fuzz/corpus/perfdata";
static struct pf_error error;

/* Reads everything in the file: the first error, or PF_OK. */
static int read_all(const char *path)
{
	const struct pf_vectors *vectors;
	struct pf_perf_file *file;
	struct pf_event event;
	int status;

	error.text[0] = '\0';
	status = pf_perf_open(path, &file, &error);
	if (status < 0)
		return status;
	while ((status = pf_perf_next(file, &event, &error)) == 1)
		;
	if (status == 0)
		status = pf_perf_vectors(file, &vectors, &error);
	pf_perf_close(file);
	return status;
}

/* The same for a section of vectors alone. */
static int read_section(const char *path)
{
	static uint8_t bytes[1 << 16];
	struct pf_vectors *vectors;
	FILE *stream = fopen(path, "rb");
	struct pf_cursor c;
	int status;

	ck_assert_ptr_nonnull(stream);
	c = pf_cursor_over(bytes, fread(bytes, 1, sizeof bytes, stream), 0);
	fclose(stream);
	status = pf_vectors_decode(path, &c, &vectors, &error);
	pf_vectors_free(vectors);
	return status;
}

/* A corpus says by its names which of its files must fail; returns how many those were. */
static int check_corpus(const char *name, int (*read)(const char *))
{
	DIR *folder = opendir(name);
	struct dirent *entry;
	int bad = 0, good = 0;

	ck_assert_msg(folder != NULL, "%s cannot be opened: run this from the top folder", name);
	while ((entry = readdir(folder))) {
		char path[512];
		int status;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
		status = read(path);
		if (strncmp(entry->d_name, "fail-", 5) == 0) {
			ck_assert_msg(status < 0, "%s was read without an error", path);
			ck_assert_msg(strstr(error.text, path) == error.text, "%s: '%s'", path, error.text);
			bad++;
		} else {
			ck_assert_msg(status == PF_OK, "%s", error.text);
			good++;
		}
	}
	closedir(folder);
	ck_assert_int_gt(good, 0);
	return bad;
}

START_TEST(corpora_fail_where_they_must)
{
	ck_assert_int_ge(check_corpus(corpus, read_all), 30);
	ck_assert_int_ge(check_corpus("testsuite/fuzz/corpus/vectors", read_section), 15);
}
END_TEST

static void refuses(const char *file, int status, const char *words)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", corpus, file);
	ck_assert_int_eq(read_all(path), status);
	ck_assert_msg(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
}

START_TEST(names_the_cause)
{
	refuses("fail-aggregated", PF_EFORMAT, "line 3 at offset 22, 'B 4b1942 39b57f0 3 4', is no entry");
	refuses("fail-aggregated-first", PF_EFORMAT, "is neither a perf.data file nor the text of one");
	refuses("fail-big-endian", PF_EFORMAT, "big-endian");
	refuses("fail-pipe", PF_EFORMAT, "record at offset 16");
	refuses("fail-pipe-attr", PF_EFORMAT, "event attribute at offset 16");
	refuses("fail-pipe-cut", PF_ETRUNCATED, "ends within the record");
	refuses("fail-version-1", PF_EUNSUPPORTED, "first version");
	refuses("fail-unfinished", PF_ETRUNCATED, "not finished");
	refuses("fail-truncated-0000", PF_ETRUNCATED, "is empty; here goes what");
	refuses("fail-truncated-0400", PF_ETRUNCATED, "the file ends at 400");
	refuses("fail-truncated-1000", PF_ETRUNCATED, "table of features");
	refuses("fail-zero-size", PF_EFORMAT, "offset 256");
}
END_TEST

/* A damaged command line, which nobody reads, is no reason to refuse a recording. */
START_TEST(damage_where_nobody_looks)
{
	enum { DATA = 40, BITS = 72, CMDLINE = 11 };
	char path[512], copy[] = "/tmp/perfdata-refuse.XXXXXX";
	uint8_t bytes[4096];
	uint64_t place[2], bits, section[2];
	FILE *from;
	size_t size;
	int fd = mkstemp(copy);

	snprintf(path, sizeof path, "%s/made", corpus);
	from = fopen(path, "rb");
	ck_assert_ptr_nonnull(from);
	size = fread(bytes, 1, sizeof bytes, from);
	fclose(from);
	memcpy(place, bytes + DATA, sizeof place);
	memcpy(&bits, bytes + BITS, sizeof bits);
	ck_assert(bits >> CMDLINE & 1);
	memcpy(section, bytes + place[0] + place[1] + 16 * __builtin_popcountll(bits & ((1u << CMDLINE) - 1)),
	       sizeof section);
	ck_assert_uint_le(section[0] + section[1], size);
	memset(bytes + section[0], 0xff, section[1]);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	ck_assert_msg(read_all(copy) == PF_OK, "%s", error.text);
	unlink(copy);
}
END_TEST

START_TEST(other_things_than_files)
{
	char path[] = "/tmp/perfdata-refuse.XXXXXX";

	ck_assert_int_eq(read_all("/nonexistent/perf.data"), PF_EIO);
	ck_assert(strstr(error.text, "/nonexistent/perf.data") != NULL);
	ck_assert_int_eq(read_all("/"), PF_EUNSUPPORTED);
	ck_assert_int_eq(read_all("/dev/null"), PF_EUNSUPPORTED);
	ck_assert(mkdtemp(path) != NULL);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(read_all(path), PF_EUNSUPPORTED); /* and does not hang */
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* A sound sample of IP and branch stack with one field overwritten. */
static int read_sample(size_t at, uint64_t value)
{
	struct image image = { 0 };
	struct pf_perf_file *file;
	struct pf_event event;
	struct pf_buffer b;
	size_t start;
	int status;

	image_attr(&image, 112, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK, 0, 0, 0);
	start = image_begin(&image, PERF_RECORD_SAMPLE, 0);
	pf_buffer_u64(&image.records, 0x1000);
	pf_buffer_u64(&image.records, 1);
	pf_buffer_u64(&image.records, 0x1000);
	pf_buffer_u64(&image.records, 1);
	pf_buffer_bytes(&image.records, NULL, 24);
	image_end(&image, start);
	if (at)
		pf_buffer_patch_u64(&image.records, at, value);
	b = image_file(&image);
	ck_assert_int_eq(image_open_bytes(b.data, b.size, &file, &error), PF_OK);
	pf_buffer_fini(&b);
	status = pf_perf_next(file, &event, &error);
	pf_perf_close(file);
	return status;
}

START_TEST(counts_beyond_the_record)
{
	static const uint64_t counts[] = { 2, 3, 1000, 1u << 29, 1ull << 61, UINT64_MAX / 24, UINT64_MAX };

	ck_assert_int_eq(read_sample(0, 0), 1);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		ck_assert_int_eq(read_sample(32, counts[i]), PF_EFORMAT); /* branches */
		ck_assert(strstr(error.text, "type 9") != NULL);
		if (i >= 2)
			ck_assert_int_eq(read_sample(16, counts[i]), PF_EFORMAT); /* callchain */
	}
}
END_TEST

START_TEST(events_without_common_id)
{
	struct image image = { 0 };
	struct pf_perf_file *file;
	struct pf_buffer b;

	image_attr(&image, 112, PERF_SAMPLE_IP | PERF_SAMPLE_ID, 0, 0, 1);
	image_attr(&image, 112, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID, 0, 0, 2);
	pf_buffer_bytes(&image.records, "\104\0\0\0\0\0\10\0", 8);
	b = image_file(&image);
	ck_assert_int_eq(image_open_bytes(b.data, b.size, &file, &error), PF_EFORMAT);
	ck_assert_ptr_null(file);
	ck_assert(strstr(error.text, "told apart") != NULL);
	pf_buffer_fini(&b);
}
END_TEST

/* perf record -z of Linux 6.16 gives a block of 65,529 bytes and more a size of 0, and several blocks that of the last
 * 16 bits of all: recording so once more is no cure. */
START_TEST(compressed_beyond_16_bits)
{
	static const struct {
		uint16_t size;
		uint64_t payload;
	} cases[] = { { 0, 65519 }, { 2728, 68246 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct image image = { 0 };
		struct pf_perf_file *file;
		struct pf_event event;
		struct pf_buffer b;

		image_attr(&image, 112, 0, 0, 0, 0);
		pf_buffer_u32(&image.records, 83);
		pf_buffer_u16(&image.records, 0);
		pf_buffer_u16(&image.records, cases[i].size);
		pf_buffer_u64(&image.records, cases[i].payload);
		pf_buffer_bytes(&image.records, NULL, cases[i].payload);
		b = image_file(&image);
		ck_assert_int_eq(image_open_bytes(b.data, b.size, &file, &error), PF_OK);
		pf_buffer_fini(&b);
		ck_assert_int_eq(pf_perf_next(file, &event, &error), PF_EFORMAT);
		ck_assert_msg(strstr(error.text, "without -z") != NULL, "%s", error.text);
		pf_perf_close(file);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("perfdata-refuse", corpora_fail_where_they_must, names_the_cause, damage_where_nobody_looks,
			 other_things_than_files, counts_beyond_the_record, events_without_common_id,
			 compressed_beyond_16_bits);
}
