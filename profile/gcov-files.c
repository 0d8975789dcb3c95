/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gcov-files.h.  Hard case: two files of one name in different folders.  GCC knows the number of the last that it
 * reads and looks functions up by that, so they must be one. */
#include "profile/gcov-files.h"

#include <stdlib.h>
#include <string.h>

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int by_last_component(const void *a, const void *b)
{
	return strcmp(last_component(*(const char *const *)a), last_component(*(const char *const *)b));
}

/* All nodes' files, sorted, each once. */
static void collect_items(const struct pf_profile *profile, struct pf_gcov_files *files)
{
	size_t count = 0, kept = 0;

	for (uint32_t f = 0; f < profile->function_count; f++) {
		for (uint32_t n = 0; n < profile->functions[f].node_count; n++) {
			const char *file = profile->functions[f].nodes[n].file;

			if (file && *last_component(file))
				files->items[count++] = file;
		}
	}
	qsort(files->items, count, sizeof *files->items, by_last_component);
	for (size_t i = 0; i < count; i++) {
		if (!kept || by_last_component(&files->items[kept - 1], &files->items[i]) != 0)
			files->items[kept++] = files->items[i];
	}
	files->count = kept;
}

static void note_file(const struct pf_gcov_names *names, const struct pf_node *node, struct pf_gcov_files *files)
{
	uint32_t name = pf_gcov_names_number(names, node->name);
	const char **found;

	if (!name || files->of_name[name - 1] != UINT32_MAX || !node->file)
		return;
	found = bsearch(&node->file, files->items, files->count, sizeof *files->items, by_last_component);
	if (found)
		files->of_name[name - 1] = (uint32_t)(found - files->items);
}

int pf_gcov_files_collect(const struct pf_profile *profile, const struct pf_gcov_names *names,
			  struct pf_gcov_files *files, struct pf_error *error)
{
	size_t nodes = 0;

	for (uint32_t f = 0; f < profile->function_count; f++)
		nodes += profile->functions[f].node_count;
	*files = (struct pf_gcov_files) { .items = calloc(nodes + 1, sizeof *files->items),
					  .of_name = calloc(names->count + 1, sizeof *files->of_name) };
	if (!files->items || !files->of_name)
		return pf_fail(error, PF_ENOMEM, "out of memory for the files of a profile");
	collect_items(profile, files);
	memset(files->of_name, 0xff, names->count * sizeof *files->of_name);
	/* A function's own file comes before those that it was inlined into. */
	for (uint32_t f = 0; f < profile->function_count; f++)
		note_file(names, &profile->functions[f].nodes[0], files);
	for (uint32_t f = 0; f < profile->function_count; f++) {
		for (uint32_t n = 1; n < profile->functions[f].node_count; n++)
			note_file(names, &profile->functions[f].nodes[n], files);
	}
	return PF_OK;
}

void pf_gcov_files_fini(struct pf_gcov_files *files)
{
	free(files->items);
	free(files->of_name);
	*files = (struct pf_gcov_files) { 0 };
}
