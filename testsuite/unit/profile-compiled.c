/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source files of the profiled binaries: which spellings are one file, the chunk of the .pfdo file that lists them,
 * files without it, and files with one that lies although its checksums are right. */
#include "profile/compiled.h"
#include "testsuite/unit/profile-helpers.h"

#include <unistd.h>
#include <zlib.h>

static const struct {
	const char *a, *b;
	bool alike;
} pairs[] = {
	{ "/home/x/src/a.c", "/home/x/src/a.c", true },
	{ "/home/x/src/a.c", "/build/y/src/a.c", true },
	{ "/home/x/src/a.c", "src/a.c", true },
	{ "/home/x/src/a.c", "a.c", true },
	{ "/home/x/src/a.c", "../../a.c", true },
	{ "/a.c", "/home/x/src/a.c", true },
	{ "/home/x/src/a.c", "/home/x/lib/a.c", false },
	{ "/home/x/src/a.c", "/home/x/src/b.c", false },
	{ "/home/x/src/a.c", "/home/x/src/aa.c", false },
	{ "/home/x/src/a.c", "/home/x/src/a.c/b.c", false },
	{ "/home/x/asrc/a.c", "/home/x/src/a.c", false },
	{ "/usr/src/xz-5.4.1/a.c", "/build/xz-5.4.2/a.c", true },
	{ "/usr/src/xz-5.4.1/a.c", "/build/xz/a.c", true },
	{ "/usr/src/xz-utils-5.4.1/a.c", "/build/xz-5.4.1/a.c", false },
	{ "/usr/src/lib1/a.c", "/usr/src/lib2/a.c", false },
	{ "/usr/src/-5/a.c", "/usr/src/-6/a.c", false },
	{ "", "", true },
	{ "", "a.c", false },
};

START_TEST(spellings_of_one_file)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		ck_assert_msg(pf_compiled_alike(pairs[i].a, pairs[i].b) == pairs[i].alike, "pair %zu", i);
		ck_assert_msg(pf_compiled_alike(pairs[i].b, pairs[i].a) == pairs[i].alike, "pair %zu turned", i);
		if (pairs[i].alike)
			ck_assert_uint_eq(pf_compiled_key(pairs[i].a), pf_compiled_key(pairs[i].b));
	}
}
END_TEST

START_TEST(text_there_and_back)
{
	check_text(HEAD "compiled b.c # the second\nfunction f f.c:1\n  1 count 1\ncompiled \"my a.c\"\n"
			"compiled b.c\n",
		   HEAD "\nfunction f f.c:1 head 0 total 1\n  1 count 1\n\ncompiled b.c\ncompiled \"my a.c\"\n");
}
END_TEST

START_TEST(long_names_are_refused)
{
	char name[PF_MAX_COMPILED_NAME + 2], text[sizeof name + 64];
	struct pf_profile *profile;
	struct pf_error error = { 0 };

	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = 0;
	snprintf(text, sizeof text, HEAD "compiled %s\n", name);
	ck_assert_int_eq(pf_text_read("x", text, strlen(text), &profile, &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "x:3:10: a file name of more than 4095 bytes"));
	name[sizeof name - 2] = 0;
	snprintf(text, sizeof text, HEAD "compiled %s\n", name);
	ck_assert_int_eq(pf_text_read("x", text, strlen(text), &profile, &error), PF_OK);
	ck_assert_uint_eq(profile->compiled_count, 1);
	pf_profile_free(profile);
}
END_TEST

/* Whether NAME is listed under that very name, by the last question. */
static bool listed;

/* Writes BYTES to a file that is there only while it is open, opens it, and asks for NAME. */
static int ask(const struct pf_buffer *bytes, const char *name, struct pf_error *error)
{
	char path[] = "/tmp/profile-compiled.XXXXXX";
	struct pf_pfdo *file;
	int fd = mkstemp(path), answer;

	ck_assert_int_eq(write(fd, bytes->data, bytes->size), (int)bytes->size);
	close(fd);
	ck_assert_msg(pf_pfdo_open(path, &file, error) == PF_OK, "%s", error->text);
	unlink(path);
	answer = pf_pfdo_compiled(file, name, error);
	listed = pf_pfdo_lists(file, name);
	pf_pfdo_close(file);
	return answer;
}

static int read_whole(const struct pf_buffer *bytes, struct pf_profile **profile, struct pf_error *error)
{
	char path[] = "/tmp/profile-compiled.XXXXXX";
	int fd = mkstemp(path), status;

	ck_assert_int_eq(write(fd, bytes->data, bytes->size), (int)bytes->size);
	close(fd);
	status = pf_pfdo_read(path, profile, error);
	unlink(path);
	return status;
}

START_TEST(names_are_found)
{
	struct pf_profile *profile = pf_profile_alloc(PF_UNIT_EXECUTIONS), *again;
	struct pf_error error = { 0 };
	struct pf_buffer bytes;
	char name[64];

	/* Each base name in three folders. */
	for (int i = 0; i < 6000; i++) {
		snprintf(name, sizeof name, "/src/dir%c/file%d.c", 'a' + i % 3, i / 3);
		ck_assert_int_eq(pf_profile_add_compiled(profile, name), PF_OK);
	}
	bytes = bytes_of(profile);
	for (int i = 0; i < 6000; i += 97) {
		snprintf(name, sizeof name, "/other/dir%c/file%d.c", 'a' + i % 3, i / 3);
		ck_assert_int_eq(ask(&bytes, name, &error), 1);
		ck_assert(!listed);
		ck_assert_int_eq(ask(&bytes, name + strlen("/other/dirx/"), &error), 1);
		ck_assert(!listed);
		snprintf(name, sizeof name, "/src/dir%c/file%d.c", 'a' + i % 3, i / 3);
		ck_assert_int_eq(ask(&bytes, name, &error), 1);
		ck_assert(listed);
		snprintf(name, sizeof name, "/src/dird/file%d.c", i / 3);
		ck_assert_int_eq(ask(&bytes, name, &error), 0);
	}
	ck_assert_int_eq(ask(&bytes, "/src/dira/file2000.c", &error), 0);
	ck_assert_int_eq(ask(&bytes, "/src/dira/", &error), 0);
	ck_assert_msg(read_whole(&bytes, &again, &error) == PF_OK, "%s", error.text);
	ck_assert_uint_eq(again->compiled_count, 6000);
	for (uint32_t i = 1; i < again->compiled_count; i++)
		ck_assert_int_lt(strcmp(again->compiled[i - 1], again->compiled[i]), 0);
	pf_profile_free(again);
	pf_profile_free(profile);
	pf_buffer_fini(&bytes);
}
END_TEST

/* A file of version 1.0, written before there was such a chunk; its first byte belongs to the fuzz target. */
START_TEST(files_without_the_list)
{
	struct pf_profile *profile = profile_of(HEAD "function f f.c:1\n"), *old;
	struct pf_buffer bytes = bytes_of(profile), old_bytes = { 0 };
	FILE *file = fopen("testsuite/fuzz/corpus/pfdo/mended", "rb");
	struct pf_error error = { 0 };

	ck_assert_int_eq(ask(&bytes, "f.c", &error), PF_ENOTFOUND);
	ck_assert_ptr_nonnull(file);
	getc(file);
	for (int c = getc(file); c != EOF; c = getc(file))
		pf_buffer_u8(&old_bytes, (uint8_t)c);
	fclose(file);
	ck_assert_uint_eq(old_bytes.data[10], 0);
	ck_assert_int_eq(ask(&old_bytes, "main.c", &error), PF_ENOTFOUND);
	ck_assert_msg(read_whole(&old_bytes, &old, &error) == PF_OK, "%s", error.text);
	ck_assert_uint_eq(old->compiled_count, 0);
	pf_profile_free(old);
	pf_profile_free(profile);
	pf_buffer_fini(&bytes);
	pf_buffer_fini(&old_bytes);
}
END_TEST

static uint64_t get(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | at[size];
	return value;
}

/* The table's entry of the chunk, which the writer puts last. */
static uint8_t *entry_of(struct pf_buffer *bytes)
{
	uint8_t *entry = bytes->data + 32 + 32 * (get(bytes->data + 12, 4) - 1);

	ck_assert_mem_eq(entry, "comp", 4);
	return entry;
}

/* Makes the chunk SIZE bytes long and all checksums right; its list is one block. */
static void mend(struct pf_buffer *bytes, size_t size)
{
	uint8_t *entry = entry_of(bytes);
	size_t offset = get(entry + 8, 8), crcs = (offset + size + 3) & ~(size_t)3, chunks = get(bytes->data + 12, 4);

	pf_buffer_patch_u64(bytes, (size_t)(entry - bytes->data) + 16, size);
	pf_buffer_patch_u32(bytes, crcs, (uint32_t)crc32_z(0, bytes->data + offset, size));
	pf_buffer_patch_u32(bytes, (size_t)(entry - bytes->data) + 24, (uint32_t)crc32_z(0, bytes->data + crcs, 4));
	pf_buffer_patch_u32(bytes, 24, (uint32_t)crc32_z(crc32_z(0, bytes->data, 24), bytes->data + 32, 32 * chunks));
}

/* AT: offset in the list of two entries, key and name each; WHAT the whole reader says. */
static const struct {
	size_t size, at;
	uint32_t flip;
	const char *what;
} lies[] = {
	{ 16, 0, 1, "under another's key" },
	{ 16, 4, 0x7fffffff, "beyond the end of the string table" },
	{ 12, 0, 0, "half an entry" },
};

START_TEST(a_list_that_lies_is_refused)
{
	struct pf_profile *profile = profile_of(HEAD "compiled a.c\ncompiled b.c\n"), *again;

	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct pf_buffer bytes = bytes_of(profile);
		struct pf_error error = { 0 };
		size_t at = get(entry_of(&bytes) + 8, 8) + lies[i].at;
		bool a_first = pf_compiled_key("a.c") < pf_compiled_key("b.c");

		pf_buffer_patch_u32(&bytes, at, (uint32_t)get(bytes.data + at, 4) ^ lies[i].flip);
		mend(&bytes, lies[i].size);
		ck_assert_msg(read_whole(&bytes, &again, &error) == PF_EFORMAT, "case %zu", i);
		ck_assert_msg(strstr(error.text, lies[i].what) != NULL, "case %zu: %s", i, error.text);
		ck_assert_int_ne(ask(&bytes, a_first ? "a.c" : "b.c", &error), lies[i].size == 16);
		pf_buffer_fini(&bytes);
	}
	pf_profile_free(profile);
}
END_TEST

START_TEST(a_list_in_disorder_is_refused)
{
	struct pf_profile *profile = profile_of(HEAD "compiled a.c\ncompiled b.c\n"), *again;
	struct pf_buffer bytes = bytes_of(profile);
	struct pf_error error = { 0 };
	uint8_t *list = bytes.data + get(entry_of(&bytes) + 8, 8), kept[8];

	memcpy(kept, list, 8);
	memcpy(list, list + 8, 8);
	memcpy(list + 8, kept, 8);
	mend(&bytes, 16);
	ck_assert_int_eq(read_whole(&bytes, &again, &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "out of order"));
	memcpy(list, list + 8, 8);
	mend(&bytes, 16);
	ck_assert_int_eq(read_whole(&bytes, &again, &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "out of order"));
	pf_buffer_fini(&bytes);
	pf_profile_free(profile);
}
END_TEST

START_TEST(damage_is_found)
{
	struct pf_profile *profile = profile_of(HEAD "compiled a.c\n");
	struct pf_buffer bytes = bytes_of(profile);
	struct pf_error error = { 0 };

	bytes.data[get(entry_of(&bytes) + 8, 8)] ^= 1;
	ck_assert_int_eq(ask(&bytes, "a.c", &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "checksum"));
	pf_buffer_fini(&bytes);
	pf_profile_free(profile);
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-compiled", spellings_of_one_file, text_there_and_back, long_names_are_refused,
			 names_are_found, files_without_the_list, a_list_that_lies_is_refused,
			 a_list_in_disorder_is_refused, damage_is_found);
}
