/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that cannot be put in their place: what is known before is said before, and what cannot be made again is saved.
 */
#include "support/outfile.h"
#include "testsuite/unit/suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct pf_error error;
static char folder[] = "/tmp/support-outfile.XXXXXX", saved[PATH_MAX];
static ino_t full; /* the file that no more can be written to than FULL_SIZE, which is less than a stream's buffer */

#define FULL_SIZE 5000

/* The disk is full. */
ssize_t write(int fd, const void *bytes, size_t size)
{
	struct stat st;

	if (full && fstat(fd, &st) == 0 && st.st_ino == full && st.st_size >= FULL_SIZE) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_write, fd, bytes, full && size > FULL_SIZE ? FULL_SIZE : size);
}

static const char *swapped; /* somebody puts a folder in its place as soon as it has been looked at */

static int look(int at, const char *path, int flags, unsigned mask, struct statx *st)
{
	int result = (int)syscall(SYS_statx, at, path, flags, mask, st);

	if (result == 0 && swapped && strcmp(path, swapped) == 0) {
		swapped = NULL;
		ck_assert_int_eq(unlink(path), 0);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	return result;
}

int statx(int at, const char *restrict path, int flags, unsigned mask, struct statx *restrict st)
{
	return look(at, path, flags, mask, st);
}

int lstat(const char *restrict path, struct stat *restrict st)
{
	struct statx same;

	if (fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	return look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &same);
}

static void enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(mkdir("spare", 0700), 0);
	ck_assert_int_eq(setenv("TMPDIR", "spare", 1), 0);
	saved[0] = 0;
}

static void make(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void check_text(const char *path, const char *want)
{
	FILE *file = fopen(path, "r");
	char text[100] = "";

	ck_assert_msg(file != NULL, "%s is not there", path);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	ck_assert_str_eq(text, want);
}

static int entries(const char *path)
{
	struct dirent **list;
	int count = scandir(path, &list, NULL, NULL);

	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
	return count - 2;
}

static int open_kept(struct pf_outfile *out, const char *path)
{
	static const struct pf_outfile_options options = { .keep = true, .saved = saved };

	return pf_outfile_open(out, path, &options, &error);
}

START_TEST(what_is_in_the_way_is_told_at_once)
{
	struct pf_outfile out;

	ck_assert_int_eq(pf_outfile_open(&out, "spare", NULL, &error), PF_EIO);
	ck_assert_str_eq(error.text, "spare: is a folder; name a file");
	make("a", "before");
	mkdir("a.old", 0700);
	ck_assert_int_eq(open_kept(&out, "a"), PF_EIO);
	ck_assert_msg(strncmp(error.text, "a.old: is a folder, ", 20) == 0, "%s", error.text);
	ck_assert_int_eq(entries("."), 3);
	/* Who keeps nothing does not mind, nor does who has nothing to keep. */
	ck_assert_int_eq(pf_outfile_write("a", "after", 5, &error), PF_OK);
	check_text("a", "after");
	unlink("a");
	ck_assert_int_eq(open_kept(&out, "a"), PF_OK);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_OK);
	check_text("a", "");
	ck_assert_int_eq(entries("a.old"), 0);
}
END_TEST

/* What is asked of the output's name changes nothing there, whatever is by that name at that moment. */
START_TEST(to_look_at_a_place_leaves_it_as_it_is)
{
	static const char *const names[] = { "a", "a.old" };
	struct pf_outfile out;
	struct stat st;

	for (size_t i = 0; i < 2; i++) {
		make("a", "before");
		make("a.old", "before that");
		swapped = names[i];
		if (open_kept(&out, "a") == PF_OK)
			pf_outfile_abandon(&out);
		ck_assert_ptr_null(swapped);
		ck_assert_msg(stat(names[i], &st) == 0 && S_ISDIR(st.st_mode), "the folder %s has gone", names[i]);
		ck_assert_int_eq(rmdir(names[i]), 0);
	}
}
END_TEST

START_TEST(a_link_is_followed_to_what_is_not_there_yet)
{
	struct pf_outfile out;
	struct stat st;

	ck_assert_int_eq(mkdir("far", 0700), 0);
	ck_assert_int_eq(symlink("far/link", "a"), 0);
	ck_assert_int_eq(symlink("../far/file", "far/link"), 0);
	ck_assert_int_eq(open_kept(&out, "a"), PF_OK);
	fputs("whole", out.stream);
	ck_assert_int_eq(entries("far"), 1);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_OK);
	check_text("far/file", "whole");
	ck_assert_int_eq(entries("far"), 2);
	ck_assert_int_eq(lstat("a", &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	/* The next one takes its place there, and no other. */
	ck_assert_int_eq(open_kept(&out, "a"), PF_OK);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_OK);
	check_text("far/file.old", "whole");
	/* Where no file can be made the link stays, too. */
	ck_assert_int_eq(symlink("nowhere/file", "b"), 0);
	ck_assert_int_eq(open_kept(&out, "b"), PF_EIO);
	ck_assert_str_eq(error.text, "nowhere/file: cannot create a file there: No such file or directory");
	ck_assert_int_eq(symlink("far/", "c"), 0);
	ck_assert_int_eq(open_kept(&out, "c"), PF_EIO);
	ck_assert_int_eq(symlink("d", "d"), 0);
	ck_assert_int_eq(open_kept(&out, "d"), PF_EIO);
	ck_assert_int_eq(entries("."), 6);
}
END_TEST

START_TEST(a_whole_file_stays_beside)
{
	struct pf_outfile out;

	make("a", "before");
	ck_assert_int_eq(open_kept(&out, "a"), PF_OK);
	fputs("whole", out.stream);
	mkdir("a.old", 0700);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_EIO);
	ck_assert_msg(strncmp(error.text, "a: cannot be renamed to a.old, ", 31) == 0, "%s", error.text);
	check_text("a", "before");
	check_text(saved, "whole");
	ck_assert_int_eq(entries("spare"), 0);
}
END_TEST

START_TEST(a_folder_that_goes_takes_nothing_with_it)
{
	struct pf_outfile out;
	struct stat st;

	mkdir("gone", 0700);
	ck_assert_int_eq(open_kept(&out, "gone/a"), PF_OK);
	fputs("whole", out.stream);
	ck_assert_int_eq(rmdir("gone"), 0);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_EIO);
	ck_assert_str_eq(error.text, "gone/a: cannot write: No such file or directory");
	ck_assert_msg(strncmp(saved, "spare/a.", 8) == 0, "%s", saved);
	check_text(saved, "whole");
	ck_assert_int_eq(stat(saved, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	/* What can be made again is not. */
	mkdir("gone", 0700);
	ck_assert_int_eq(pf_outfile_open(&out, "gone/a", NULL, &error), PF_OK);
	ck_assert_int_eq(rmdir("gone"), 0);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_EIO);
	ck_assert_int_eq(entries("spare"), 1);
}
END_TEST

/* Numbers, and then their count over the first: as the header of perf.data is written. */
static int write_numbers(struct pf_outfile *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (fwrite(&i, sizeof i, 1, out->stream) != 1)
			return pf_outfile_complain(out, &error);
	}
	if (fseek(out->stream, 0, SEEK_SET) != 0 || fwrite(&count, sizeof count, 1, out->stream) != 1)
		return pf_outfile_complain(out, &error);
	return PF_OK;
}

static void check_numbers(const char *path, uint32_t count)
{
	FILE *file = fopen(path, "r");
	uint32_t number;

	ck_assert_ptr_nonnull(file);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_int_eq(fread(&number, sizeof number, 1, file), 1);
		ck_assert_uint_eq(number, i ? i : count);
	}
	ck_assert_int_eq(fgetc(file), EOF);
	fclose(file);
}

static void fill(const struct pf_outfile *out)
{
	struct stat st;

	ck_assert_int_eq(fstat(out->fd, &st), 0);
	full = st.st_ino;
}

START_TEST(on_a_full_disk_it_goes_on_elsewhere)
{
	struct pf_outfile out;

	make("a", "before");
	ck_assert_int_eq(open_kept(&out, "a"), PF_OK);
	fill(&out);
	ck_assert_int_eq(write_numbers(&out, 100000), PF_OK);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_EIO);
	ck_assert_str_eq(error.text, "a: cannot write: No space left on device");
	ck_assert_msg(strncmp(saved, "spare/a.", 8) == 0, "%s", saved);
	check_numbers(saved, 100000);
	check_text("a", "before");
	ck_assert_int_eq(entries("."), 2);
	/* A second one is tried with the first. */
	ck_assert_int_eq(unlink(saved), 0);
	ck_assert_int_eq(rmdir("spare"), 0);
	ck_assert_int_eq(open_kept(&out, "a"), PF_OK);
	fill(&out);
	ck_assert_int_eq(write_numbers(&out, 100000), PF_OK);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_EIO);
	ck_assert_str_eq(error.text, "a: cannot write: No space left on device");
	ck_assert_msg(strncmp(saved, "/tmp/a.", 7) == 0, "%s", saved);
	check_numbers(saved, 100000);
	ck_assert_int_eq(unlink(saved), 0);
	ck_assert_int_eq(unlink("a"), 0);
}
END_TEST

START_TEST(a_limit_on_file_sizes_is_the_same_everywhere)
{
	const struct rlimit limit = { 4096, 4096 };
	struct pf_outfile out;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(open_kept(&out, "a"), PF_OK);
	ck_assert_int_eq(write_numbers(&out, 100000), PF_EIO);
	ck_assert_msg(strstr(error.text, "a: cannot write: File too large; nor can it be saved: ") == error.text, "%s",
		      error.text);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_EIO);
	ck_assert_str_eq(saved, "");
	ck_assert_int_eq(entries("."), 1);
	ck_assert_int_eq(entries("spare"), 0);
}
END_TEST

START_TEST(what_can_be_made_again_is_given_up)
{
	struct pf_outfile out;

	make("a", "before");
	ck_assert_int_eq(pf_outfile_open(&out, "a", NULL, &error), PF_OK);
	fill(&out);
	ck_assert_int_eq(write_numbers(&out, 100000), PF_EIO);
	ck_assert_int_eq(pf_outfile_commit(&out, &error), PF_EIO);
	ck_assert_str_eq(error.text, "a: cannot write: No space left on device");
	check_text("a", "before");
	ck_assert_int_eq(entries("."), 2);
	ck_assert_int_eq(entries("spare"), 0);
}
END_TEST

static void leave(void)
{
	char command[100];

	full = 0;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

int main(void)
{
	TCase *cases = tcase_create("support-outfile");

	tcase_add_checked_fixture(cases, enter, leave);
	tcase_add_test(cases, what_is_in_the_way_is_told_at_once);
	tcase_add_test(cases, to_look_at_a_place_leaves_it_as_it_is);
	tcase_add_test(cases, a_link_is_followed_to_what_is_not_there_yet);
	tcase_add_test(cases, a_whole_file_stays_beside);
	tcase_add_test(cases, a_folder_that_goes_takes_nothing_with_it);
	tcase_add_test(cases, on_a_full_disk_it_goes_on_elsewhere);
	tcase_add_test(cases, a_limit_on_file_sizes_is_the_same_everywhere);
	tcase_add_test(cases, what_can_be_made_again_is_given_up);
	return run_case("support-outfile", cases);
}
