/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a position: what is printed, kept in a file, found for one function, and added up.  Expected is what the
 * lines say, added up by hand. */
#include "profile/merging.h"
#include "profile/value-list.h"
#include "testsuite/unit/profile-helpers.h"

#include <unistd.h>
#include <zlib.h>

#define FUNCTION "pathfdo-profile 1\nunit executions\n\nfunction f f.c:10 head 0 total 5\n"

static const char first[] = FUNCTION "  1:2 count 2\n"
				     "  3:9 count 3\n"
				     "    value size 16 90\n"
				     "    value size 7 8\n"
				     "    value size -3 1\n"
				     "    value size other 2\n"
				     "    value size looks 11\n"
				     "    value size sum 1600\n"
				     "    value divisor 10 5\n";

static struct pf_profile *read_text(const char *text)
{
	struct pf_profile *profile = NULL;
	struct pf_error error = { 0 };

	ck_assert_msg(pf_text_read("text", text, strlen(text), &profile, &error) == PF_OK, "%s", error.text);
	return profile;
}

static void write_to(struct pf_profile *profile, char *path)
{
	struct pf_error error = { 0 };
	int fd = mkstemp(path);

	close(fd);
	ck_assert_msg(pf_pfdo_write(profile, path, &error) == PF_OK, "%s", error.text);
}

START_TEST(text_and_file_keep_them)
{
	char path[] = "/tmp/profile-values.XXXXXX";
	struct pf_profile *profile = read_text(first), *back = NULL;
	struct pf_error error = { 0 };
	char *text = text_of(profile);

	ck_assert_str_eq(text, first);
	free(text);
	write_to(profile, path);
	ck_assert_msg(pf_pfdo_read(path, &back, &error) == PF_OK, "%s", error.text);
	text = text_of(back);
	ck_assert_str_eq(text, first);
	free(text);
	unlink(path);
	pf_profile_free(profile);
	pf_profile_free(back);
}
END_TEST

/* As a compile does: of three functions, of which the first and the last have values, each by itself. */
START_TEST(one_function_has_its_own)
{
	char path[] = "/tmp/profile-values.XXXXXX";
	struct pf_profile *profile = read_text("pathfdo-profile 1\nunit executions\n"
					       "function a f.c:1\n 1 count 1\n  value divisor 3 4\n"
					       "function b f.c:2\n 1 count 1\n"
					       "function c f.c:3\n 1 count 1\n 2 count 1\n  value size 5 6\n");
	static const char *const names[] = { "a", "b", "c" };
	static const uint32_t records[] = { 0, 0, 1 }, values[] = { 3, 0, 5 };
	struct pf_error error = { 0 };
	struct pf_pfdo *file;

	write_to(profile, path);
	ck_assert_int_eq(pf_pfdo_open(path, &file, &error), PF_OK);
	for (int i = 0; i < 3; i++) {
		struct pf_profile *part = pf_profile_alloc(PF_UNIT_EXECUTIONS);
		uint32_t at, found;
		const struct pf_record *record;

		ck_assert_int_eq(pf_pfdo_find(file, names[i], part, &at, &found, &error), PF_OK);
		ck_assert_uint_eq(found, 1);
		record = &part->functions[0].records[records[i]];
		ck_assert_uint_eq(record->value_count, values[i] != 0);
		if (values[i])
			ck_assert_int_eq(record->values[0].value, values[i]);
		pf_profile_free(part);
	}
	pf_pfdo_close(file);
	unlink(path);
	pf_profile_free(profile);
}
END_TEST

START_TEST(sums_do_not_depend_on_the_order)
{
	struct pf_profile *parts[] = {
		read_text(first),
		read_text(FUNCTION "  3:9 count 3\n    value size 7 100\n    value size looks 1\n"),
		read_text(FUNCTION "  1:2 count 2\n    value power 1 3\n"),
	};
	static const char sum[] = "    value size 7 108\n"
				  "    value size 16 90\n"
				  "    value size -3 1\n"
				  "    value size other 2\n"
				  "    value size looks 12\n"
				  "    value size sum 1600\n"
				  "    value divisor 10 5\n";

	for (int start = 0; start < 3; start++) {
		struct pf_merge merge = { 0 };
		struct pf_profile *all;
		struct pf_error error = { 0 };
		char *text;

		for (int i = 0; i < 3; i++)
			ck_assert_int_eq(pf_merge_add(&merge, parts[(start + i) % 3], &error), PF_OK);
		ck_assert_int_eq(pf_merge_finish(&merge, &all, &error), PF_OK);
		text = text_of(all);
		ck_assert_ptr_nonnull(strstr(text, sum));
		ck_assert_ptr_nonnull(strstr(text, "  1:2 count 4\n    value power 1 3\n"));
		free(text);
		pf_profile_free(all);
	}
	for (int i = 0; i < 3; i++)
		pf_profile_free(parts[i]);
}
END_TEST

/* Bits that were ever 1 in one of two recordings were so in both together. */
START_TEST(masks_are_put_together)
{
	struct pf_merge merge = { 0 };
	struct pf_profile *parts[] = {
		read_text(FUNCTION
			  "  1:2 count 2\n    value load 4 3\n    value load-ones 4 3\n    value load-zeros 3 3\n"),
		read_text(FUNCTION
			  "  1:2 count 2\n    value load 1 2\n    value load-ones 1 2\n    value load-zeros 6 2\n"),
	};
	struct pf_profile *all;
	struct pf_error error = { 0 };
	char *text;

	for (int i = 1; i >= 0; i--)
		ck_assert_int_eq(pf_merge_add(&merge, parts[i], &error), PF_OK);
	ck_assert_int_eq(pf_merge_finish(&merge, &all, &error), PF_OK);
	text = text_of(all);
	ck_assert_ptr_nonnull(strstr(text, "    value load 4 3\n    value load 1 2\n"
					   "    value load-ones 5 5\n    value load-zeros 7 5\n"));
	free(text);
	pf_profile_free(all);
	for (int i = 0; i < 2; i++)
		pf_profile_free(parts[i]);
}
END_TEST

START_TEST(scaling_leaves_sightings_alone)
{
	struct pf_profile *profile = read_text(first);
	struct pf_value_view view;

	pf_profile_scale(profile, 1000, 1);
	view = pf_values_of(&profile->functions[0].records[1], PF_VALUE_SIZE);
	ck_assert_uint_eq(profile->functions[0].records[1].count, 3000);
	ck_assert_uint_eq(view.total, 101); /* 90 + 8 + 1 + 2 */
	ck_assert_uint_eq(view.looks, 11);
	ck_assert_uint_eq(view.sum, 1600);
	ck_assert_uint_eq(view.count, 3);
	ck_assert_int_eq(view.values[0].value, 16);
	ck_assert_uint_eq(view.values[0].count, 90);
	ck_assert_uint_eq(pf_values_of(&profile->functions[0].records[0], PF_VALUE_SIZE).total, 0);
	pf_profile_free(profile);
}
END_TEST

START_TEST(bad_lines_are_refused)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{ "    value colour 1 2\n", "'colour' is none of size" },
		{ "    value size 9223372036854775808 2\n", "no integer" },
		{ "    value size -9223372036854775809 2\n", "no integer" },
		{ "    value size 1x 2\n", "no integer" },
		{ "    value size 1 -2\n", "no count" },
		{ "    value size 1\n", "count" },
		{ "  value size 1 2\n", "must be indented below a position" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[512];
		struct pf_profile *profile = NULL;
		struct pf_error error = { 0 };

		snprintf(text, sizeof text, "%s  1:2 count 2\n%s", FUNCTION, bad[i].line);
		ck_assert_int_eq(pf_text_read("text", text, strlen(text), &profile, &error), PF_EFORMAT);
		ck_assert_msg(strstr(error.text, bad[i].says), "%s", error.text);
		ck_assert_msg(strncmp(error.text, "text:6:", 7) == 0, "%s", error.text);
		ck_assert_ptr_null(profile);
	}
}
END_TEST

static uint32_t number(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A file whose chunk TAG can be damaged: the chunk, its table entry and its checksums, all in BYTES. */
struct damaged {
	struct pf_buffer bytes;
	uint8_t *entry, *chunk, *sums;
};

static struct damaged open_chunk(const char *text, const char *tag)
{
	struct pf_profile *profile = read_text(text);
	struct damaged d = { .bytes = bytes_of(profile) };

	pf_profile_free(profile);
	for (d.entry = d.bytes.data + 32; memcmp(d.entry, tag, 4) != 0; d.entry += 32)
		ck_assert(d.entry < d.bytes.data + 32 + 32 * (size_t)number(d.bytes.data + 12));
	d.chunk = d.bytes.data + number(d.entry + 8);
	d.sums = d.bytes.data + ((number(d.entry + 8) + number(d.entry + 16) + 3) & ~3u);
	return d;
}

/* With good checksums the file is refused, and the error SAYS so. */
static void check_damaged(struct damaged *d, const char *says)
{
	char path[] = "/tmp/profile-values.XXXXXX";
	struct pf_profile *back = NULL;
	struct pf_error error = { 0 };
	uint32_t chunks = number(d->bytes.data + 12);
	int fd = mkstemp(path);

	put(d->sums, (uint32_t)crc32(0, d->chunk, number(d->entry + 16)));
	put(d->entry + 24, (uint32_t)crc32(0, d->sums, 4));
	put(d->bytes.data + 24, (uint32_t)crc32(crc32(0, d->bytes.data, 24), d->bytes.data + 32, 32 * (size_t)chunks));
	ck_assert_int_eq(write(fd, d->bytes.data, d->bytes.size), (ssize_t)d->bytes.size);
	close(fd);
	ck_assert_int_eq(pf_pfdo_read(path, &back, &error), PF_EFORMAT);
	ck_assert_msg(strstr(error.text, says), "%s", error.text);
	unlink(path);
}

/* Else a small file could have each of many functions read the same values, which are large in memory. */
START_TEST(functions_share_no_values)
{
	struct damaged d = open_chunk("pathfdo-profile 1\nunit executions\n"
				      "function a f.c:1\n 1 count 1\n  value divisor 3 4\n"
				      "function b f.c:2\n 1 count 1\n  value size 5 6\n",
				      "valu");

	/* The second function's are those of the first. */
	ck_assert_uint_gt(number(d.chunk + 8 + 16 + 8), 0);
	memcpy(d.chunk + 8 + 16 + 8, d.chunk + 8 + 8, 8);
	check_damaged(&d, "values of two functions in one place");
	pf_buffer_fini(&d.bytes);
}
END_TEST

/* The one record has two outcomes: behind the head and an entry stand 1 record, its index 0, 2 items, 1 and 2. */
START_TEST(senses_fit_their_outcomes)
{
	struct damaged d = open_chunk("pathfdo-profile 1\nunit executions\n"
				      "function a f.c:1\n 1 count 9\n  taken 2 5 equal\n  fell 3 4 different\n",
				      "sens");
	uint8_t *payload = d.chunk + 8 + 16;

	ck_assert_mem_eq(payload, "\1\0\2\1\2", 5);
	payload[4] = PF_SENSES;
	check_damaged(&d, "a sense that is none");
	payload[4] = 2;
	payload[2] = 1;
	check_damaged(&d, "senses of another number of outcomes than there are");
	payload[2] = 2;
	payload[1] = 1;
	check_damaged(&d, "senses of a position that does not exist");
	payload[1] = 0;
	payload[0] = 0;
	check_damaged(&d, "senses that do not fill their place");
	pf_buffer_fini(&d.bytes);
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-values", text_and_file_keep_them, one_function_has_its_own,
			 sums_do_not_depend_on_the_order, masks_are_put_together, scaling_leaves_sightings_alone,
			 bad_lines_are_refused, functions_share_no_values, senses_fit_their_outcomes);
}
