/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an interrupted comparison goes on from: digests that change with what they stand for and with nothing else, and
 * a journal that believes only what was written whole under the same key. */
#include "analysis/journal.h"
#include "analysis/tree.h"
#include "testsuite/unit/suite.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pathfdo-journal.XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(in_folder(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static uint64_t digest(void)
{
	uint64_t result = PF_DIGEST_START;
	struct pf_error error;

	ck_assert_int_eq(pf_digest_tree(&result, folder, &error), PF_OK);
	return result;
}

static void set_up(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
	ck_assert_int_eq(pf_tree_remove(folder, NULL), PF_OK);
	ck_assert(!pf_tree_has(folder));
}

START_TEST(known_digest)
{
	/* FNV-1a of "a" and "foobar", from its authors' test vectors. */
	ck_assert_uint_eq(pf_digest_bytes(PF_DIGEST_START, "a", 1), 0xaf63dc4c8601ec8cu);
	ck_assert_uint_eq(pf_digest_bytes(PF_DIGEST_START, "foobar", 6), 0x85944171f73967e8u);
	ck_assert_uint_ne(pf_digest_string(PF_DIGEST_START, NULL), pf_digest_string(PF_DIGEST_START, ""));
	ck_assert_uint_ne(pf_digest_string(pf_digest_string(PF_DIGEST_START, "ab"), "c"),
			  pf_digest_string(pf_digest_string(PF_DIGEST_START, "a"), "bc"));
}
END_TEST

START_TEST(digest_of_a_tree)
{
	uint64_t empty = digest(), one, other;

	write_file("b", "text");
	one = digest();
	ck_assert_uint_ne(one, empty);
	/* A file that is written again, in another order, at another time, is the same. */
	ck_assert_int_eq(unlink(in_folder("b")), 0);
	write_file("a", "");
	write_file("b", "text");
	other = digest();
	ck_assert_uint_ne(other, one);
	ck_assert_int_eq(unlink(in_folder("a")), 0);
	ck_assert_uint_eq(digest(), one);
	/* Contents, names, the right to run, and links count. */
	write_file("b", "texts");
	ck_assert_uint_ne(digest(), one);
	write_file("b", "text");
	ck_assert_int_eq(chmod(in_folder("b"), 0755), 0);
	ck_assert_uint_ne(digest(), one);
	ck_assert_int_eq(chmod(in_folder("b"), 0644), 0);
	ck_assert_int_eq(symlink("b", in_folder("c")), 0);
	one = digest();
	ck_assert_int_eq(unlink(in_folder("c")), 0);
	ck_assert_int_eq(symlink("a", in_folder("c")), 0);
	ck_assert_uint_ne(digest(), one);
	/* What git keeps does not. */
	one = digest();
	ck_assert_int_eq(mkdir(in_folder(".git"), 0755), 0);
	write_file(".git/index", "anything");
	ck_assert_uint_eq(digest(), one);
}
END_TEST

START_TEST(trees)
{
	struct pf_error error;

	ck_assert_int_eq(pf_tree_make(in_folder("x/y/z"), &error), PF_OK);
	ck_assert_int_eq(pf_tree_make(in_folder("x/y/z"), &error), PF_OK);
	write_file("x/y/keep.c", "");
	/* A file is no folder. */
	ck_assert_int_eq(pf_tree_make(in_folder("x/y/keep.c"), &error), PF_EIO);
	ck_assert_ptr_nonnull(strstr(error.text, "cannot make the folder"));
	/* Without the right to write, and with a link that leads out. */
	ck_assert_int_eq(symlink("/tmp", in_folder("x/out")), 0);
	ck_assert_int_eq(chmod(in_folder("x/y"), 0500), 0);
	ck_assert_int_eq(pf_tree_renew(in_folder("x"), &error), PF_OK);
	ck_assert(!pf_tree_has(in_folder("x/y")));
	ck_assert(pf_tree_has("/tmp"));
}
END_TEST

START_TEST(journal)
{
	json_t *result = json_pack("{s:i, s:[f, f]}", "a", 1, "b", 0.5, 1.25), *kept;
	struct pf_error error;

	ck_assert_ptr_null(pf_journal_read(folder, "step", 7));
	ck_assert_int_eq(pf_journal_write(folder, "step", 7, result, &error), PF_OK);
	kept = pf_journal_read(folder, "step", 7);
	ck_assert(json_equal(kept, result));
	json_decref(kept);
	ck_assert_ptr_null(pf_journal_read(folder, "step", 8));
	ck_assert_ptr_null(pf_journal_read(folder, "other", 7));
	pf_journal_forget(folder, "step");
	ck_assert_ptr_null(pf_journal_read(folder, "step", 7));
	json_decref(result);
}
END_TEST

START_TEST(damaged_journals)
{
	static const char *const damage[] = {
		"", "{", "[]", "7", "{\"key\":7,\"result\":1}", "{\"key\":\"0000000000000007\"", "{\"result\":1}"
	};
	json_t *kept;

	for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
		write_file("step.json", damage[i]);
		ck_assert_ptr_null(pf_journal_read(folder, "step", 7));
	}
	write_file("step.json", "{\"key\":\"0000000000000007\",\"result\":[1]}");
	kept = pf_journal_read(folder, "step", 7);
	ck_assert_ptr_nonnull(kept);
	json_decref(kept);
}
END_TEST

/* The newest file counts, if it is a step's: work that goes on does not make old measurements new. */
START_TEST(date_of_the_last_step)
{
	static const struct {
		const char *name;
		time_t date;
	} files[] = { { "times.json", 1700000300 }, { "output.json", 1700000100 }, { "times.json.part", 1700000900 } };

	ck_assert_int_eq(pf_journal_date(folder, "."), 0);
	ck_assert_int_eq(pf_journal_date(folder, "nowhere"), 0);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct timespec times[2] = { { files[i].date, 0 }, { files[i].date, 0 } };

		write_file(files[i].name, "{}");
		ck_assert_int_eq(utimensat(AT_FDCWD, in_folder(files[i].name), times, 0), 0);
	}
	ck_assert_int_eq(pf_journal_date(folder, "."), 1700000300);
}
END_TEST

/* What was cut in the middle of a quotation mark, and a folder in Latin 1: a result has them, and is read back. */
START_TEST(text_of_any_bytes)
{
	json_t *text = pf_journal_text("unused variable \xe2\x80\x98s\xe2\x80"), *result, *read;
	struct pf_error error;

	ck_assert_str_eq(json_string_value(text), "unused variable \xe2\x80\x98s\xef\xbf\xbd\xef\xbf\xbd");
	result = json_pack("{s:o, s:o}", "note", text, "command", pf_journal_text("./run \"caf\xe9\""));
	ck_assert_ptr_nonnull(result);
	ck_assert_int_eq(pf_journal_write(folder, "texts", 7, result, &error), PF_OK);
	read = pf_journal_read(folder, "texts", 7);
	ck_assert_int_eq(json_equal(result, read), 1);
	ck_assert_str_eq(json_string_value(json_object_get(read, "command")), "./run \"caf\xef\xbf\xbd\"");
	json_decref(read);
	json_decref(result);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("analysis-journal");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, known_digest);
	tcase_add_test(cases, digest_of_a_tree);
	tcase_add_test(cases, trees);
	tcase_add_test(cases, journal);
	tcase_add_test(cases, damaged_journals);
	tcase_add_test(cases, date_of_the_last_step);
	tcase_add_test(cases, text_of_any_bytes);
	return run_case("analysis-journal", cases);
}
