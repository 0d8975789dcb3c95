/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the tree as the file that gcc -fauto-profile reads (doc/afdo-format).  Hard case: GCC checks next to nothing
 * of it, so whatever makes it crash must not get in: string 0 must be there, must not be empty in length, and must be
 * nobody's; a module list that is not empty is an assertion; positions that come twice are counted twice. */
#include "profile/gcov-files.h"
#include "profile/gcov-format.h"
#include "profile/gcov-summary.h"
#include "profile/gcov-tree.h"
#include "profile/gcov-write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORD 4u

/* A section's head, with a length to come; returns where it is. */
static size_t begin_section(struct pf_buffer *out, uint32_t tag)
{
	pf_buffer_u32(out, tag);
	pf_buffer_u32(out, 0);
	return out->size;
}

/* The length is in words, rounded up; nobody reads it. */
static void end_section(struct pf_buffer *out, size_t begin)
{
	if (!out->failed)
		pf_buffer_patch_u32(out, begin - WORD, (uint32_t)((out->size - begin + WORD - 1) / WORD));
}

static void put_name(struct pf_buffer *out, const char *name, size_t length)
{
	pf_buffer_u32(out, (uint32_t)length + 1);
	pf_buffer_bytes(out, name, length);
	pf_buffer_u8(out, 0);
}

/* What the releases of GCC want. */
struct dialect {
	uint32_t version;
	bool discriminators;
};

static void put_names(struct pf_buffer *out, const struct pf_gcov_names *names)
{
	size_t begin = begin_section(out, GCOV_TAG_NAMES);

	pf_buffer_u32(out, (uint32_t)names->count + 1);
	put_name(out, "", 0);
	for (size_t i = 0; i < names->count; i++)
		put_name(out, names->items[i], pf_gcov_name_length(names->items[i]));
	end_section(out, begin);
}

static void put_line(struct pf_buffer *out, const struct pf_gcov_line *line)
{
	pf_buffer_u32(out, line->offset);
	pf_buffer_u32(out, line->target_count);
	pf_buffer_u64(out, line->count);
	for (uint32_t t = 0; t < line->target_count; t++) {
		pf_buffer_u32(out, GCOV_CALL_TARGET);
		pf_buffer_u64(out, line->targets[t].name);
		pf_buffer_u64(out, line->targets[t].count);
	}
}

/* As deep as inlining is: at most PF_MAX_INLINE_DEPTH. */
static void put_instance(struct pf_buffer *out, const struct pf_gcov_tree *tree, uint32_t index)
{
	const struct pf_gcov_instance *instance = &tree->instances[index];

	pf_buffer_u32(out, instance->name);
	pf_buffer_u32(out, instance->line_count);
	pf_buffer_u32(out, instance->child_count);
	for (uint32_t l = 0; l < instance->line_count; l++)
		put_line(out, &instance->lines[l]);
	for (uint32_t c = 0; c < instance->child_count; c++) {
		pf_buffer_u32(out, tree->instances[instance->children[c]].site);
		put_instance(out, tree, instance->children[c]);
	}
}

/* Version 3: the files first, then each name with the number of its file. */
static void put_names_and_files(struct pf_buffer *out, const struct pf_gcov_names *names,
				const struct pf_gcov_files *files)
{
	size_t begin = begin_section(out, GCOV_TAG_NAMES);

	pf_buffer_u32(out, (uint32_t)files->count);
	for (size_t i = 0; i < files->count; i++)
		put_name(out, files->items[i], strlen(files->items[i]));
	pf_buffer_u32(out, (uint32_t)names->count + 1);
	put_name(out, "", 0);
	pf_buffer_u32(out, GCOV_NO_FILE);
	for (size_t i = 0; i < names->count; i++) {
		put_name(out, names->items[i], pf_gcov_name_length(names->items[i]));
		pf_buffer_u32(out, files->of_name[i]);
	}
	end_section(out, begin);
}

static void put_functions(struct pf_buffer *out, const struct pf_gcov_tree *tree, uint32_t version)
{
	const struct pf_gcov_instance *root = &tree->instances[PF_GCOV_ROOT];
	size_t begin = begin_section(out, GCOV_TAG_FUNCTIONS);

	pf_buffer_u32(out, root->child_count);
	for (uint32_t c = 0; c < root->child_count; c++) {
		pf_buffer_u64(out, tree->instances[root->children[c]].head);
		if (version >= GCOV_VERSION_16)
			pf_buffer_u64(out, 0); /* when it was first called; 0 is unknown */
		put_instance(out, tree, root->children[c]);
	}
	end_section(out, begin);
}

static void put_modules(struct pf_buffer *out)
{
	size_t begin = begin_section(out, GCOV_TAG_MODULES);

	pf_buffer_u32(out, 0);
	end_section(out, begin);
}

/* Instructions that ran equally often. */
struct heat {
	uint64_t count, instructions;
};

static int by_descending_count(const void *a, const void *b)
{
	const struct heat *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

/* The profile's positions that ran, hottest first; NULL when out of memory. */
static struct heat *collect_heat(const struct pf_profile *profile, const struct pf_gcov_tree *tree, size_t *count)
{
	size_t records = 0;
	struct heat *heat;

	for (uint32_t f = 0; f < profile->function_count; f++)
		records += profile->functions[f].record_count;
	heat = calloc(records + 1, sizeof *heat);
	*count = 0;
	for (uint32_t f = 0; heat && f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];

		for (uint32_t r = 0; r < function->record_count; r++) {
			const struct pf_record *record = &function->records[r];

			if (record->count)
				heat[(*count)++] =
				    (struct heat) { pf_gcov_tree_scale(tree, record->count), record->instructions };
		}
	}
	if (heat)
		qsort(heat, *count, sizeof *heat, by_descending_count);
	return heat;
}

/* How many blocks make up 1/128, 2/128 ... of all executions, and how often the last of them ran. */
static int put_working_set(struct pf_buffer *out, const struct pf_profile *profile, const struct pf_gcov_tree *tree,
			   struct pf_error *error)
{
	size_t count, taken = 0, begin;
	struct heat *heat = collect_heat(profile, tree, &count);
	unsigned __int128 total = 0, sum = 0;
	uint64_t instructions = 0;

	if (!heat)
		return pf_fail(error, PF_ENOMEM, "out of memory for the working set of a profile");
	for (size_t i = 0; i < count; i++)
		total += (unsigned __int128)heat[i].count * heat[i].instructions;
	begin = begin_section(out, GCOV_TAG_WORKING_SET);
	for (uint32_t i = 1; i <= GCOV_WORKING_SETS; i++) {
		while (taken < count && sum * GCOV_WORKING_SETS < total * i) {
			sum += (unsigned __int128)heat[taken].count * heat[taken].instructions;
			instructions += heat[taken++].instructions;
		}
		pf_buffer_u32(out, (uint32_t)(instructions / GCOV_INSTRUCTIONS_A_BLOCK));
		pf_buffer_u64(out, taken ? heat[taken - 1].count : 0);
	}
	end_section(out, begin);
	free(heat);
	return PF_OK;
}

/* Functions that become one because they have one name. */
static void note_shared_names(struct pf_buffer *notes, const struct pf_gcov_tree *tree)
{
	const struct pf_gcov_instance *root = &tree->instances[PF_GCOV_ROOT], *first = NULL;
	uint32_t shared = 0;
	const char *name;

	for (uint32_t c = 0; c < root->child_count; c++) {
		const struct pf_gcov_instance *function = &tree->instances[root->children[c]];

		if (function->functions > 1 && !shared++)
			first = function;
	}
	if (!first)
		return;
	name = tree->names.items[first->name - 1];
	pf_buffer_printf(notes,
			 "names that stand for several functions: %" PRIu32 " (the first is '%.*s', for %" PRIu32
			 "); GCC has nothing else to tell them apart, so their counts are added up\n",
			 shared, (int)pf_gcov_name_length(name), name, first->functions);
}

/* What GCC will see otherwise than the profile has it. */
static void put_notes(struct pf_buffer *notes, const struct pf_gcov_tree *tree)
{
	note_shared_names(notes, tree);
	if (tree->unnamed)
		pf_buffer_printf(notes,
				 "functions and inlined instances left out: %" PRIu32
				 "; their names begin with a dot, and GCC cuts names there\n",
				 tree->unnamed);
	if (tree->far)
		pf_buffer_printf(notes,
				 "positions more than 65535 lines from their function's declaration: %" PRIu64
				 "; the file holds 16 bits of that, and GCC may mistake them for others\n",
				 tree->far);
	if (tree->largest > PF_GCOV_COUNT_MAX)
		pf_buffer_printf(notes,
				 "the highest count is %" PRIu64 "; all counts are scaled so that it becomes %" PRIu64
				 ", since GCC's arithmetic overflows beyond\n",
				 tree->largest, PF_GCOV_COUNT_MAX);
}

/* What version 2 has before and after the functions. */
static int put_version_2(struct pf_buffer *out, const struct pf_profile *profile, const struct pf_gcov_tree *tree,
			 struct pf_error *error)
{
	put_names(out, &tree->names);
	put_functions(out, tree, GCOV_VERSION_12);
	put_modules(out);
	return put_working_set(out, profile, tree, error);
}

static int put_version_3(struct pf_buffer *out, const struct pf_profile *profile, const struct pf_gcov_tree *tree,
			 struct pf_error *error)
{
	struct pf_gcov_files files;
	int status = pf_gcov_files_collect(profile, &tree->names, &files, error);

	if (status == PF_OK)
		status = pf_gcov_summary_put(out, tree, error);
	if (status == PF_OK) {
		put_names_and_files(out, &tree->names, &files);
		put_functions(out, tree, GCOV_VERSION_16);
		put_modules(out);
	}
	pf_gcov_files_fini(&files);
	return status;
}

static int put_file(struct pf_buffer *out, struct pf_buffer *notes, const struct pf_profile *profile,
		    const struct pf_gcov_tree *tree, uint32_t version, struct pf_error *error)
{
	if (!tree->instances[PF_GCOV_ROOT].child_count)
		return pf_fail(
		    error, PF_EEMPTY,
		    "the profile has no function that ran and that GCC could look up; record a run that does its "
		    "work, and convert it with the binary that ran");
	pf_buffer_u32(out, GCOV_MAGIC);
	pf_buffer_u32(out, version);
	pf_buffer_u32(out, 0);
	put_notes(notes, tree);
	return version == GCOV_VERSION_12 ? put_version_2(out, profile, tree, error)
					  : put_version_3(out, profile, tree, error);
}

static int write_as(const struct dialect *dialect, const struct pf_profile *profile, struct pf_buffer *out,
		    struct pf_buffer *notes, struct pf_error *error)
{
	struct pf_gcov_tree tree;
	int status = pf_gcov_tree_build(profile, dialect->discriminators, &tree, error);

	if (status < 0)
		return status;
	status = put_file(out, notes, profile, &tree, dialect->version, error);
	pf_gcov_tree_fini(&tree);
	return status;
}

int pf_gcov_write(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		  struct pf_error *error)
{
	return write_as(&(struct dialect) { GCOV_VERSION_12, false }, profile, out, notes, error);
}

int pf_gcov_write_13(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		     struct pf_error *error)
{
	return write_as(&(struct dialect) { GCOV_VERSION_12, true }, profile, out, notes, error);
}

int pf_gcov_write_16(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		     struct pf_error *error)
{
	return write_as(&(struct dialect) { GCOV_VERSION_16, true }, profile, out, notes, error);
}
