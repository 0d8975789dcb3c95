/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of functions that a profile implies, and its way through a file to the reader of single functions.  The
 * expected orders follow from the calls by hand: see each. */
#include "profile/ranking.h"
#include "testsuite/unit/profile-helpers.h"
#include "testsuite/unit/profile-random.h"

#include <unistd.h>
#include <zlib.h>

static uint32_t rank_of(const struct pf_profile *profile, const uint32_t *ranks, const char *name, const char *file)
{
	for (uint32_t f = 0; f < profile->function_count; f++) {
		if (strcmp(profile->functions[f].name, name) == 0 && strcmp(profile->functions[f].file, file) == 0)
			return ranks[f];
	}
	ck_abort_msg("there is no %s of %s", name, file);
}

/* Each function has 25 instructions.  a calls the c of its file a thousand times, b that of its own ten times; a's call
 * is made in what was inlined into it.  idle never ran. */
START_TEST(calls_bring_functions_together)
{
	struct pf_profile *profile = profile_of(HEAD "function a a.c:1 head 1000 total 1000\n"
						     "  inline @1 i a.c:20 at 2:9 entries 1000\n"
						     "    1 count 1000 max 1000 instructions 25\n"
						     "      call c 1000\n"
						     "function b b.c:1 head 10 total 10\n"
						     "  1 count 10 max 10 instructions 25\n"
						     "    call c 10\n"
						     "function c a.c:40 head 1000 total 1000\n"
						     "  1 count 1000 max 1000 instructions 25\n"
						     "function c b.c:40 head 10 total 10\n"
						     "  1 count 10 max 10 instructions 25\n"
						     "function idle a.c:60 head 0 total 0\n"
						     "  1 count 0 max 0 instructions 25\n");
	uint32_t ranks[5];

	ck_assert_uint_eq(profile->function_count, 5);
	ck_assert_int_eq(pf_profile_rank(profile, ranks), PF_OK);
	ck_assert_uint_eq(rank_of(profile, ranks, "a", "a.c"), 1);
	ck_assert_uint_eq(rank_of(profile, ranks, "c", "a.c"), 2);
	ck_assert_uint_eq(rank_of(profile, ranks, "b", "b.c"), 3);
	ck_assert_uint_eq(rank_of(profile, ranks, "c", "b.c"), 4);
	ck_assert_uint_eq(rank_of(profile, ranks, "idle", "a.c"), 0);
	pf_profile_free(profile);
}
END_TEST

/* Samples tell time and no calls: the more in a byte, the earlier.  big has the most samples and the fewest in a byte.
 */
START_TEST(samples_order_by_density)
{
	struct pf_profile *profile = profile_of("pathfdo-profile 1\nunit samples\n"
						"function big a.c:1 head 0 total 300\n"
						"  1 count 300 max 300 instructions 4000\n"
						"function dense a.c:20 head 0 total 200\n"
						"  1 count 200 max 200 instructions 10\n"
						"function middle a.c:40 head 0 total 100\n"
						"  1 count 100 max 100 instructions 100\n");
	uint32_t ranks[3];

	ck_assert_int_eq(pf_profile_rank(profile, ranks), PF_OK);
	ck_assert_uint_eq(rank_of(profile, ranks, "dense", "a.c"), 1);
	ck_assert_uint_eq(rank_of(profile, ranks, "middle", "a.c"), 2);
	ck_assert_uint_eq(rank_of(profile, ranks, "big", "a.c"), 3);
	pf_profile_free(profile);
}
END_TEST

/* A file's bytes, and where its chunk `rank' is. */
struct file {
	char path[32];
	struct pf_buffer bytes;
	uint8_t *entry; /* of the chunk table */
	uint64_t offset, size;
};

static uint64_t number(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | at[bytes];
	return value;
}

static void put(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void make_file(struct file *file, struct pf_profile *profile)
{
	int fd;

	strcpy(file->path, "/tmp/profile-ranking.XXXXXX");
	fd = mkstemp(file->path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	file->bytes = bytes_of(profile);
	file->entry = NULL;
	for (uint64_t i = 0; i < number(file->bytes.data + 12, 4); i++) {
		uint8_t *entry = file->bytes.data + 32 + 32 * i;

		if (memcmp(entry, "rank", 4) == 0)
			file->entry = entry;
	}
	ck_assert_ptr_nonnull(file->entry);
	file->offset = number(file->entry + 8, 8);
	file->size = number(file->entry + 16, 8);
}

/* Makes the sums of the chunk, whose checksums are one block's, and of the header good, and opens the file. */
static struct pf_pfdo *open_file(struct file *file)
{
	uint8_t *data = file->bytes.data, *sums = data + file->offset + file->size;
	size_t table = 32 * number(data + 12, 4);
	struct pf_error error = { 0 };
	struct pf_pfdo *opened = NULL;
	FILE *out = fopen(file->path, "wb");

	ck_assert_uint_le(file->size, 1024);
	put(sums, (uint32_t)crc32(0, data + file->offset, (uInt)file->size));
	put(file->entry + 24, (uint32_t)crc32(0, sums, 4));
	put(data + 24, (uint32_t)crc32(crc32(0, data, 24), data + 32, (uInt)table));
	ck_assert_uint_eq(fwrite(data, 1, file->bytes.size, out), file->bytes.size);
	fclose(out);
	ck_assert_msg(pf_pfdo_open(file->path, &opened, &error) == PF_OK, "%s", error.text);
	return opened;
}

static void drop_file(struct file *file, struct pf_pfdo *opened)
{
	pf_pfdo_close(opened);
	unlink(file->path);
	pf_buffer_fini(&file->bytes);
}

/* Names that several functions have included. */
START_TEST(the_reader_of_one_function_has_its_rank)
{
	struct pf_profile *profile = random_profile(11, 100, 40), *found_in = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct file file;
	struct pf_pfdo *opened;
	struct pf_error error = { 0 };
	uint32_t ranks[100], first, found, highest = 0;

	make_file(&file, profile);
	opened = open_file(&file);
	ck_assert_int_eq(pf_profile_rank(profile, ranks), PF_OK);
	for (uint32_t f = 0; f < profile->function_count; f += found) {
		ck_assert_int_eq(pf_pfdo_find(opened, profile->functions[f].name, found_in, &first, &found, &error),
				 PF_OK);
		for (uint32_t i = 0; i < found; i++) {
			ck_assert_uint_eq(found_in->functions[first + i].rank, ranks[f + i]);
			highest = ranks[f + i] > highest ? ranks[f + i] : highest;
		}
	}
	ck_assert_uint_gt(highest, 40);
	drop_file(&file, opened);
	pf_profile_free(found_in);
	pf_profile_free(profile);
}
END_TEST

/* A chunk of another name stands for a reader that does not know ranks and for a file that has none. */
START_TEST(files_without_ranks_are_read)
{
	struct pf_profile *profile = random_profile(11, 10, 10), *found_in = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct file file;
	struct pf_pfdo *opened;
	struct pf_error error = { 0 };
	uint32_t first, found;

	make_file(&file, profile);
	memcpy(file.entry, "rang", 4);
	opened = open_file(&file);
	ck_assert_int_eq(pf_pfdo_find(opened, profile->functions[0].name, found_in, &first, &found, &error), PF_OK);
	ck_assert_uint_gt(found, 0);
	ck_assert_uint_eq(found_in->functions[first].rank, 0);
	drop_file(&file, opened);
	pf_profile_free(found_in);
	pf_profile_free(profile);
}
END_TEST

static void check_refused(struct file *file, struct pf_profile *profile, const char *complaint)
{
	struct pf_profile *found_in = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct pf_pfdo *opened = open_file(file);
	struct pf_error error = { 0 };
	uint32_t first, found, refused = 0;

	for (uint32_t f = 0; f < profile->function_count; f++) {
		if (pf_pfdo_find(opened, profile->functions[f].name, found_in, &first, &found, &error) == PF_OK)
			continue;
		ck_assert_int_eq(error.code, PF_EFORMAT);
		ck_assert_ptr_nonnull(strstr(error.text, complaint));
		ck_assert_uint_eq(found, 0);
		refused++;
	}
	ck_assert_uint_gt(refused, 0);
	drop_file(file, opened);
	pf_profile_free(found_in);
}

START_TEST(impossible_ranks_are_refused)
{
	struct pf_profile *profile = random_profile(11, 10, 10);
	struct file file;

	make_file(&file, profile);
	put(file.bytes.data + file.offset, profile->function_count + 1);
	check_refused(&file, profile, "a rank above the number of functions");
	pf_profile_free(profile);
}
END_TEST

START_TEST(a_flipped_rank_is_found)
{
	struct pf_profile *profile = random_profile(11, 10, 10);
	struct pf_error error = { 0 };
	struct pf_profile *again;
	struct file file;
	struct pf_pfdo *opened;
	FILE *out;

	make_file(&file, profile);
	opened = open_file(&file);
	file.bytes.data[file.offset] ^= 1;
	out = fopen(file.path, "wb");
	ck_assert_uint_eq(fwrite(file.bytes.data, 1, file.bytes.size, out), file.bytes.size);
	fclose(out);
	ck_assert_int_eq(pf_pfdo_read(file.path, &again, &error), PF_EFORMAT);
	drop_file(&file, opened);
	pf_profile_free(profile);
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-ranking", calls_bring_functions_together, samples_order_by_density,
			 the_reader_of_one_function_has_its_rank, files_without_ranks_are_read,
			 impossible_ranks_are_refused, a_flipped_rank_is_found);
}
