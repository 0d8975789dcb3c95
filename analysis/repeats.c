/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See repeats.h.  The hard case is what has no file: the kernel's vdso, code written at run time.  Nothing is left out
 * there. */
#include "analysis/repeats.h"
#include "analysis/callgrind.h"
#include "analysis/textfile.h"
#include "converter/code.h"
#include "support/filename.h"

#include <stdlib.h>
#include <string.h>

struct objects {
	PF_ARRAY(char *) paths;
};

/* "ob=(3) /lib/libc.so.6" names an object the first time, "ob=(3)" does not; cob= is that of a callee.  Objects are
 * told apart by the last part of their name, by which their counts are read: of two such nothing is left out but once.
 */
static int note_object(struct objects *objects, const char *line, struct pf_error *error)
{
	const char *slash = strchr(line, '/');
	char **new;

	if (!slash || (!pf_textfile_word(&line, "ob=") && !pf_textfile_word(&line, "cob=")))
		return PF_OK;
	for (size_t i = 0; i < objects->paths.count; i++) {
		if (strcmp(pf_filename_base(objects->paths.at[i]), pf_filename_base(slash)) == 0)
			return PF_OK;
	}
	new = pf_array_push(&objects->paths);
	if (new)
		*new = strdup(slash);
	return new &&*new ? PF_OK : pf_fail(error, PF_ENOMEM, "%s: out of memory", slash);
}

static int list_objects(const char *path, struct objects *objects, struct pf_error *error)
{
	struct pf_textfile text;
	int status = pf_textfile_open(&text, path, error);

	while (status == PF_OK && (status = pf_textfile_next(&text, error)) > 0)
		status = note_object(objects, text.line, error);
	pf_textfile_close(&text);
	return status;
}

static int add_object(const char *path, const char *object, uint64_t *repeated, struct pf_error *error)
{
	struct pf_exact_counts counts;
	struct pf_error ignored;
	struct pf_elf elf;
	int status;

	if (pf_elf_open(object, &elf, &ignored) != PF_OK)
		return PF_OK;
	status = pf_callgrind_read(path, object, &counts, error);
	for (size_t i = 0; i < counts.list.count; i++) {
		if (pf_code_step(&elf, counts.list.at[i].address).repeats)
			*repeated += counts.list.at[i].count;
	}
	pf_exact_counts_fini(&counts);
	pf_elf_close(&elf);
	return status == PF_ENOTFOUND ? PF_OK : status;
}

int pf_repeats_read(const char *path, uint64_t *repeated, struct pf_error *error)
{
	struct objects objects = { 0 };
	int status = list_objects(path, &objects, error);

	*repeated = 0;
	for (size_t i = 0; status == PF_OK && i < objects.paths.count; i++)
		status = add_object(path, objects.paths.at[i], repeated, error);
	for (size_t i = 0; i < objects.paths.count; i++)
		free(objects.paths.at[i]);
	pf_array_fini(&objects.paths);
	return status;
}
