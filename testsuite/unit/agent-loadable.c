/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can take the agent, and what a loader is told to run: ELF files and scripts made by hand, byte by byte as the
 * formats say. */
#include "runtime/agent/ldso.h"
#include "testsuite/unit/suite.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GLIBC "/lib64/ld-linux-x86-64.so.2"
#define BASE 0x400000u /* address of the file's start */

static char folder[64];

static void set_up(void)
{
	strcpy(folder, "/tmp/agent-loadable.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
	char command[96];

	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* A program: three segments, then the interpreter, the dynamic section, its strings. */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	char interpreter[64];
	Elf64_Dyn dynamic[6];
	char strings[64];
};

static struct image make_image(const char *interpreter, const char *needed)
{
	struct image image = {
		.header = { .e_ident = ELFMAG,
			    .e_machine = EM_X86_64,
			    .e_type = ET_DYN,
			    .e_phnum = 3,
			    .e_phoff = offsetof(struct image, segments),
			    .e_phentsize = sizeof(Elf64_Phdr) },
		.segments = { { .p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = sizeof image },
			      { .p_type = PT_DYNAMIC,
				.p_offset = offsetof(struct image, dynamic),
				.p_filesz = sizeof image.dynamic },
			      { .p_type = PT_INTERP,
				.p_offset = offsetof(struct image, interpreter),
				.p_filesz = sizeof image.interpreter } },
		.dynamic = { { DT_NEEDED, { 1 } },
			     { DT_STRTAB, { BASE + offsetof(struct image, strings) } },
			     { DT_NEEDED, { 11 } },
			     { DT_FLAGS_1, { DF_1_PIE } },
			     { DT_NULL, { 0 } } },
		.strings = "\0libm.so.6",
	};

	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	strcpy(image.interpreter, interpreter);
	strcpy(image.strings + 11, needed);
	return image;
}

/* FOLDER/NAME. */
static const char *place(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(place(name), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

static enum pf_loadable look(const char *name)
{
	return pf_loadable(AT_FDCWD, place(name), 0);
}

static enum pf_loadable of_image(struct image image)
{
	put("program", &image, sizeof image);
	return look("program");
}

START_TEST(the_loader_decides)
{
	ck_assert_int_eq(of_image(make_image(GLIBC, "libc.so.6")), PF_LOADABLE_OK);
	ck_assert_int_eq(of_image(make_image("/nix/store/x-glibc/lib/ld-linux-x86-64.so.2", "")), PF_LOADABLE_OK);
	ck_assert_int_eq(of_image(make_image("/lib/ld-musl-x86_64.so.1", "libc.so")), PF_LOADABLE_OTHER_LIBC);
	ck_assert_int_eq(of_image(make_image("/system/bin/linker64", "libc.so")), PF_LOADABLE_OTHER_LIBC);
	ck_assert_int_eq(of_image(make_image("", "libc.so.6")), PF_LOADABLE_OTHER_LIBC);
}
END_TEST

START_TEST(the_machine_decides)
{
	struct image image = make_image(GLIBC, "libc.so.6");

	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_OTHER_ARCH);
	image = make_image(GLIBC, "libc.so.6");
	image.header.e_machine = EM_AARCH64;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_OTHER_ARCH);
	image = make_image(GLIBC, "libc.so.6");
	image.header.e_phnum = 2;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_STATIC);
}
END_TEST

START_TEST(the_libraries_decide)
{
	static const char *const refused[] = { "libasan.so.8", "libtsan.so.2", "liblsan.so.0",
					       "libclang_rt.asan-x86_64.so" };

	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		ck_assert_msg(of_image(make_image(GLIBC, refused[i])) == PF_LOADABLE_SANITIZER, "%s", refused[i]);
	ck_assert_int_eq(of_image(make_image(GLIBC, "libubsan.so.1")), PF_LOADABLE_OK);
	ck_assert_int_eq(of_image(make_image(GLIBC, "xlibasan.so.8")), PF_LOADABLE_OK);
}
END_TEST

/* As the loaders of glibc and musl are: no interpreter, and no program's flag. */
static struct image make_loader(const char *soname)
{
	struct image image = make_image("", soname);

	image.header.e_phnum = 2;
	image.dynamic[2].d_tag = DT_SONAME;
	image.dynamic[3].d_tag = DT_FLAGS;
	return image;
}

START_TEST(a_loader_is_no_static_program)
{
	struct image image = make_loader("ld-linux-x86-64.so.2");

	ck_assert_int_eq(of_image(image), PF_LOADABLE_LOADER);
	image.header.e_type = ET_EXEC;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_STATIC);
	image = make_loader("libc.musl-x86_64.so.1");
	ck_assert_int_eq(of_image(image), PF_LOADABLE_OTHER_LIBC);
	image.dynamic[2].d_tag = DT_NULL;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_OTHER_LIBC);
}
END_TEST

#define ARGUMENTS(...) ((char *[]) { (char *)"ld.so", __VA_ARGS__, NULL })

static enum pf_loadable follow(char *arguments[], struct pf_ldso_task *task)
{
	return pf_ldso_follow(PF_LOADABLE_LOADER, arguments, task);
}

START_TEST(a_loader_is_told_what_to_run)
{
	struct image musl = make_image("/lib/ld-musl-x86_64.so.1", "libc.so");
	char program[256], path[] = "--library-path", list[] = "--list", cache[] = "--inhibit-cache";
	char audit[] = "--audit", preload[] = "--preload", unknown[] = "--unknown", name[] = "name", dash[] = "-x";
	struct pf_ldso_task task;

	put("program", &musl, sizeof musl);
	strcpy(program, place("program"));
	ck_assert_int_eq(follow(ARGUMENTS(program), &task), PF_LOADABLE_OTHER_LIBC);
	ck_assert_ptr_eq(task.program, program);
	ck_assert_ptr_null(task.preload);
	ck_assert_int_eq(follow(ARGUMENTS(cache, path, list, program, name), &task), PF_LOADABLE_OTHER_LIBC);
	ck_assert_int_eq(follow(ARGUMENTS(audit, name, preload, dash, program), &task), PF_LOADABLE_OTHER_LIBC);
	ck_assert_ptr_eq(task.preload, dash);
	/* They run nothing: as asked, by mistake, or as no program is named. */
	ck_assert_int_eq(follow(ARGUMENTS(list, program), &task), PF_LOADABLE_LOADER);
	ck_assert_ptr_null(task.program);
	ck_assert_int_eq(follow(ARGUMENTS(path, name, unknown, program), &task), PF_LOADABLE_LOADER);
	ck_assert_int_eq(follow(ARGUMENTS(path), &task), PF_LOADABLE_LOADER);
	ck_assert_int_eq(follow(ARGUMENTS(path, program), &task), PF_LOADABLE_LOADER);
	ck_assert_int_eq(follow(ARGUMENTS(NULL), &task), PF_LOADABLE_LOADER);
	/* Not known where it is, or not what. */
	ck_assert_int_eq(follow(ARGUMENTS(name), &task), PF_LOADABLE_UNREADABLE);
	ck_assert_int_eq(follow(ARGUMENTS(dash), &task), PF_LOADABLE_UNREADABLE);
	ck_assert_int_eq(follow(NULL, &task), PF_LOADABLE_UNREADABLE);
	/* Whatever the arguments of another program are, they are not the loader's. */
	ck_assert_int_eq(pf_ldso_follow(PF_LOADABLE_OK, ARGUMENTS(audit, name, program), &task), PF_LOADABLE_OK);
	ck_assert_ptr_null(task.program);
}
END_TEST

static void put_script(const char *name, const char *format, const char *interpreter)
{
	char text[512];
	int size = snprintf(text, sizeof text, format, interpreter);

	put(name, text, (size_t)size);
}

START_TEST(a_script_is_its_interpreter)
{
	struct image musl = make_image("/lib/ld-musl-x86_64.so.1", "libc.so");
	char names[5][16], before[128];

	put("program", &musl, sizeof musl);
	strcpy(before, place("program"));
	put_script("one", "#! \t%s -e\necho\n", before);
	ck_assert_int_eq(look("one"), PF_LOADABLE_OTHER_LIBC);
	/* Four interpreters deep, and one too many. */
	for (int i = 0; i < 5; i++) {
		snprintf(names[i], sizeof names[i], "deep%d", i);
		put_script(names[i], "#!%s\n", before);
		strcpy(before, place(names[i]));
	}
	ck_assert_int_eq(look("deep3"), PF_LOADABLE_OTHER_LIBC);
	ck_assert_int_eq(look("deep4"), PF_LOADABLE_UNREADABLE);
	put_script("none", "#!%s\n", "/nonexistent");
	ck_assert_int_eq(look("none"), PF_LOADABLE_UNREADABLE);
	put_script("empty", "#!  \n%s", "");
	ck_assert_int_eq(look("empty"), PF_LOADABLE_UNREADABLE);
	put_script("plain", "echo %s\n", "without an interpreter");
	ck_assert_int_eq(look("plain"), PF_LOADABLE_UNREADABLE);
	put_script("shell", "#!%s\n", "/bin/sh");
	ck_assert_int_eq(look("shell"), PF_LOADABLE_OK);
}
END_TEST

START_TEST(it_is_found_as_execveat_finds_it)
{
	struct image image = make_image("/lib/ld-musl-x86_64.so.1", "libc.so");
	int at, fd;

	put("program", &image, sizeof image);
	at = open(folder, O_RDONLY | O_DIRECTORY);
	fd = open(place("program"), O_RDONLY);
	ck_assert_int_eq(symlink("program", place("link")), 0);
	ck_assert_int_eq(pf_loadable(at, "program", 0), PF_LOADABLE_OTHER_LIBC);
	ck_assert_int_eq(pf_loadable(at, "link", 0), PF_LOADABLE_OTHER_LIBC);
	ck_assert_int_eq(pf_loadable(at, "link", AT_SYMLINK_NOFOLLOW), PF_LOADABLE_UNREADABLE);
	ck_assert_int_eq(pf_loadable(fd, "", AT_EMPTY_PATH), PF_LOADABLE_OTHER_LIBC);
	ck_assert_int_eq(pf_loadable(fd, "", 0), PF_LOADABLE_UNREADABLE);
	/* The caller's descriptors stay open. */
	ck_assert_int_eq(fcntl(fd, F_GETFD), 0);
	ck_assert_int_eq(fcntl(at, F_GETFD), 0);
	close(fd);
	close(at);
}
END_TEST

START_TEST(what_is_no_program)
{
	struct image image = make_image(GLIBC, "libc.so.6");

	ck_assert_int_eq(pf_loadable(AT_FDCWD, folder, 0), PF_LOADABLE_UNREADABLE);
	ck_assert_int_eq(look("missing"), PF_LOADABLE_UNREADABLE);
	ck_assert_int_eq(mkfifo(place("pipe"), 0600), 0);
	ck_assert_int_eq(look("pipe"), PF_LOADABLE_UNREADABLE);
	put("short", "\177ELF\2", 5);
	ck_assert_int_eq(look("short"), PF_LOADABLE_UNREADABLE);
	put("nothing", "", 0);
	ck_assert_int_eq(look("nothing"), PF_LOADABLE_UNREADABLE);
	image.header.e_phentsize = 1;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_UNREADABLE);
	/* Headers that point nowhere are taken as far as they go. */
	image = make_image(GLIBC, "libasan.so.8");
	image.header.e_phoff = UINT64_MAX - 8;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_STATIC);
	image = make_image(GLIBC, "libasan.so.8");
	image.segments[1].p_offset = UINT64_MAX - 8;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_OK);
	image = make_image(GLIBC, "libasan.so.8");
	image.dynamic[1].d_un.d_ptr = 12;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_OK);
	image = make_image(GLIBC, "libasan.so.8");
	image.dynamic[0].d_un.d_val = image.dynamic[2].d_un.d_val = UINT64_MAX;
	ck_assert_int_eq(of_image(image), PF_LOADABLE_OK);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { the_loader_decides,
				       the_machine_decides,
				       the_libraries_decide,
				       a_loader_is_no_static_program,
				       a_loader_is_told_what_to_run,
				       a_script_is_its_interpreter,
				       it_is_found_as_execveat_finds_it,
				       what_is_no_program };
	TCase *cases = tcase_create("agent-loadable");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("agent-loadable", cases);
}
