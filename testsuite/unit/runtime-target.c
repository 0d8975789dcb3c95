/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the program to record, and telling whether a library can be preloaded into it; build-ids, which readelf
 * prints independently. */
#include "runtime/buildid.h"
#include "runtime/target.h"
#include "testsuite/unit/suite.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *const plain[] = { (char *)"it", NULL };
static char folder[] = "/tmp/pathfdo-unit.XXXXXX";

static void set_up(void)
{
	strcpy(folder, "/tmp/pathfdo-unit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof command, "/bin/rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Makes the executable file NAME with SIZE bytes; its path is in *TARGET. */
static void make_program(struct pf_target *target, const char *name, const void *bytes, size_t size, mode_t mode)
{
	FILE *file;

	snprintf(target->path, sizeof target->path, "%s/%s", folder, name);
	file = fopen(target->path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
	ck_assert_int_eq(chmod(target->path, mode), 0);
}

START_TEST(a_program_is_found_as_execvp_would)
{
	struct pf_target target;
	struct pf_error error;

	make_program(&target, "tool", "", 0, 0755);
	setenv("PATH", "/nonexistent", 1);
	ck_assert_int_eq(pf_target_find(&target, "tool", &error), PF_ENOTFOUND);
	ck_assert_ptr_nonnull(strstr(error.text, "tool"));
	setenv("PATH", folder, 1);
	ck_assert_int_eq(pf_target_find(&target, "tool", NULL), PF_OK);
	ck_assert_int_eq(strncmp(target.path, folder, strlen(folder)), 0);
	ck_assert_int_eq(chdir(folder), 0);
	setenv("PATH", "/nonexistent:", 1);
	ck_assert_int_eq(pf_target_find(&target, "tool", NULL), PF_OK);
	ck_assert_int_eq(pf_target_find(&target, "./tool", NULL), PF_OK);
	ck_assert_int_eq(chmod("tool", 0644), 0);
	ck_assert_int_eq(pf_target_find(&target, "tool", NULL), PF_EIO);
	ck_assert_int_eq(pf_target_find(&target, folder, NULL), PF_EIO);
	ck_assert_int_eq(pf_target_find(&target, "./missing", NULL), PF_ENOTFOUND);
	ck_assert_int_eq(pf_target_find(&target, "", NULL), PF_ENOTFOUND);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(a_dynamic_program_and_its_scripts_are_preloadable)
{
	struct pf_target target = { .path = "/bin/sh" };

	ck_assert_int_eq(pf_target_preloadable(&target, plain, NULL), PF_OK);
	make_program(&target, "script", "#! /bin/sh -e\n", 14, 0755);
	ck_assert_int_eq(pf_target_preloadable(&target, plain, NULL), PF_OK);
	strcpy(target.path, "/nonexistent");
	ck_assert_int_eq(pf_target_preloadable(&target, plain, NULL), PF_OK);
}
END_TEST

START_TEST(a_static_program_is_not_nor_is_a_script_for_it)
{
	Elf64_Ehdr elf = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_phentsize = sizeof(Elf64_Phdr) };
	struct pf_target target;
	struct pf_error error;
	char script[PATH_MAX + 8];

	make_program(&target, "static", &elf, sizeof elf, 0755);
	ck_assert_int_eq(pf_target_preloadable(&target, plain, &error), PF_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(error.text, "static"));
	ck_assert_ptr_nonnull(strstr(error.text, "--source=clock"));
	snprintf(script, sizeof script, "#!%s\n", target.path);
	make_program(&target, "script", script, strlen(script), 0755);
	ck_assert_int_eq(pf_target_preloadable(&target, plain, &error), PF_EUNSUPPORTED);
	elf.e_machine = EM_AARCH64;
	make_program(&target, "foreign", &elf, sizeof elf, 0755);
	ck_assert_int_eq(pf_target_preloadable(&target, plain, &error), PF_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(error.text, "architecture"));
}
END_TEST

/* The system's own loader, of which a static program is refused, and one in place of which nothing is known. */
START_TEST(what_the_loader_is_to_run_decides)
{
	Elf64_Ehdr elf = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_phentsize = sizeof(Elf64_Phdr) };
	struct pf_target loader = { .path = "/lib64/ld-linux-x86-64.so.2" }, program, target;
	struct pf_error error;
	char *argv[] = { loader.path, (char *)"--library-path", (char *)"/lib", (char *)"/bin/sh", NULL };

	if (access(loader.path, R_OK) != 0)
		return;
	ck_assert_int_eq(pf_target_preloadable(&loader, argv, NULL), PF_OK);
	pf_target_program(&loader, argv, &program);
	ck_assert_str_eq(program.path, "/bin/sh");
	make_program(&target, "static", &elf, sizeof elf, 0755);
	argv[3] = target.path;
	ck_assert_int_eq(pf_target_preloadable(&loader, argv, &error), PF_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(error.text, "/static: it is statically linked"));
	argv[1] = (char *)"--list";
	ck_assert_int_eq(pf_target_preloadable(&loader, argv, &error), PF_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(error.text, "name no program"));
	pf_target_program(&loader, argv, &program);
	ck_assert_str_eq(program.path, loader.path);
}
END_TEST

START_TEST(a_script_that_interprets_itself_ends)
{
	struct pf_target target;
	char script[PATH_MAX + 8];

	snprintf(script, sizeof script, "#!%s/loop\n", folder);
	make_program(&target, "loop", script, strlen(script), 0755);
	ck_assert_int_eq(pf_target_preloadable(&target, plain, NULL), PF_OK);
}
END_TEST

START_TEST(build_ids_are_what_readelf_says)
{
	char wanted[64] = "", got[64] = "";
	uint8_t id[20];
	uint8_t size = pf_buildid_read("/bin/sh", id);
	FILE *readelf = popen("readelf -n /bin/sh | sed -n 's/.*Build ID: //p'", "r");

	ck_assert_ptr_nonnull(readelf);
	ck_assert_ptr_nonnull(fgets(wanted, sizeof wanted, readelf));
	pclose(readelf);
	wanted[strcspn(wanted, "\n")] = 0;
	for (uint8_t i = 0; i < size; i++)
		snprintf(got + 2 * i, 3, "%02x", id[i]);
	ck_assert_str_eq(got, wanted);
}
END_TEST

START_TEST(what_has_no_build_id_gives_none)
{
	struct pf_target target;
	uint8_t id[20];
	Elf64_Ehdr elf = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
			   .e_phoff = UINT64_MAX - 8,
			   .e_phnum = 60000,
			   .e_phentsize = 56 };

	make_program(&target, "damaged", &elf, sizeof elf, 0644);
	ck_assert_uint_eq(pf_buildid_read(target.path, id), 0);
	make_program(&target, "short", &elf, 20, 0644);
	ck_assert_uint_eq(pf_buildid_read(target.path, id), 0);
	ck_assert_uint_eq(pf_buildid_read(folder, id), 0);
	ck_assert_uint_eq(pf_buildid_read("/dev/zero", id), 0);
	ck_assert_uint_eq(pf_buildid_read("/nonexistent", id), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("target");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, a_program_is_found_as_execvp_would);
	tcase_add_test(tests, a_dynamic_program_and_its_scripts_are_preloadable);
	tcase_add_test(tests, a_static_program_is_not_nor_is_a_script_for_it);
	tcase_add_test(tests, what_the_loader_is_to_run_decides);
	tcase_add_test(tests, a_script_that_interprets_itself_ends);
	tcase_add_test(tests, build_ids_are_what_readelf_says);
	tcase_add_test(tests, what_has_no_build_id_gives_none);
	return run_case("runtime-target", tests);
}
