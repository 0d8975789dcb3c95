/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See merge-inputs.h.  Hard case: a fleet's list has thousands of names, some of them of files that are gone or damaged
 * by now; each is told once, whoever found it, so what is left out is marked in memory that the workers share. */
#include "cli/merge-inputs.h"
#include "analysis/textfile.h"
#include "profile/pfdo.h"
#include "support/array.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define LARGEST_WEIGHT 1000000u
#define VERSION_DIGITS 12u

static int out_of_memory(struct pf_error *error)
{
	return pf_fail(error, PF_ENOMEM, "out of memory while the profiles were listed");
}

void pf_merge_inputs_fini(struct pf_merge_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		free(inputs->items[i].path);
		free(inputs->items[i].version);
	}
	free(inputs->items);
	if (inputs->left_out)
		munmap(inputs->left_out, inputs->count * sizeof *inputs->left_out);
	*inputs = (struct pf_merge_inputs) { 0 };
}

/* Appends what the first LENGTH bytes of PATH name. */
static int add(struct pf_merge_inputs *inputs, const char *path, size_t length, uint64_t weight, struct pf_error *error)
{
	char *copy = strndup(path, length);

	if (!copy || !pf_array_reserve(&inputs->items, inputs->count, &inputs->room, 1, sizeof *inputs->items)) {
		free(copy);
		return out_of_memory(error);
	}
	inputs->items[inputs->count++] = (struct pf_merge_input) { .path = copy, .weight = weight };
	return PF_OK;
}

int pf_merge_inputs_add(struct pf_merge_inputs *inputs, const char *path, struct pf_error *error)
{
	return add(inputs, path, strlen(path), PF_MERGE_WEIGHT_ONE, error);
}

bool pf_merge_weight(const char *text, uint64_t *weight)
{
	uint64_t whole = 0, unit = PF_MERGE_WEIGHT_ONE;
	const char *at = text;

	for (; *at >= '0' && *at <= '9' && whole <= LARGEST_WEIGHT; at++)
		whole = whole * 10 + (uint64_t)(*at - '0');
	*weight = whole * PF_MERGE_WEIGHT_ONE;
	if (*at == '.' && at[1]) {
		/* What is behind the sixth digit is less than a weight can be. */
		for (at++; *at >= '0' && *at <= '9'; at++) {
			unit /= 10;
			*weight += (uint64_t)(*at - '0') * unit;
		}
	}
	return at > text && !*at && *weight && *weight <= (uint64_t)LARGEST_WEIGHT * PF_MERGE_WEIGHT_ONE;
}

static int add_line(struct pf_merge_inputs *inputs, const struct pf_textfile *text, struct pf_error *error)
{
	size_t length = strcspn(text->line, "\t");
	const char *weigh = text->line[length] ? text->line + length + 1 : NULL;
	uint64_t weight = PF_MERGE_WEIGHT_ONE;

	if (weigh && !pf_merge_weight(weigh, &weight))
		return pf_fail(error, PF_EFORMAT,
			       "%s: line %" PRIu64 ": a weight is a number from 0.000001 to 1000000, not %s",
			       text->path, text->number, weigh);
	if (!length)
		return weigh ? pf_fail(error, PF_EFORMAT, "%s: line %" PRIu64 ": a weight without a file", text->path,
				       text->number)
			     : PF_OK;
	return add(inputs, text->line, length, weight, error);
}

int pf_merge_inputs_list(struct pf_merge_inputs *inputs, const char *list, struct pf_error *error)
{
	struct pf_textfile text;
	int status = pf_textfile_open(&text, list, error);

	while (status == PF_OK && (status = pf_textfile_next(&text, error)) > 0)
		status = add_line(inputs, &text, error);
	pf_textfile_close(&text);
	return status;
}

size_t pf_merge_inputs_weigh(struct pf_merge_inputs *inputs, const char *pattern, size_t length, uint64_t weight)
{
	char *copy = strndup(pattern, length);
	size_t named = 0;

	for (size_t i = 0; copy && i < inputs->count; i++) {
		if (strcmp(inputs->items[i].path, copy) == 0 || fnmatch(copy, inputs->items[i].path, 0) == 0) {
			inputs->items[i].weight = weight;
			named++;
		}
	}
	free(copy);
	return named;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A build-id is hexadecimal.  What a damaged profile has in its place is no part of a file's name. */
static bool is_build_id(const char *id)
{
	return *id && id[strspn(id, "0123456789abcdef")] == '\0';
}

/* The version that the recordings of PROFILE are of; NULL when out of memory. */
static char *version_of(const struct pf_profile *profile)
{
	const char **ids = calloc((size_t)profile->provenance_count + 1, sizeof *ids);
	char *version = malloc((size_t)profile->provenance_count * (VERSION_DIGITS + 1) + sizeof "unknown"),
	     *end = version;
	uint32_t known = 0;

	for (uint32_t p = 0; ids && version && p < profile->provenance_count; p++) {
		if (is_build_id(profile->provenances[p].build_id))
			ids[known++] = profile->provenances[p].build_id;
	}
	if (ids && version) {
		qsort(ids, known, sizeof *ids, compare_strings);
		strcpy(version, known ? "" : "unknown");
		for (uint32_t i = 0; i < known; i++) {
			if (!i || strcmp(ids[i - 1], ids[i]) != 0)
				end += sprintf(end, "%s%.*s", i ? "+" : "", (int)VERSION_DIGITS, ids[i]);
		}
	} else {
		free(version);
		version = NULL;
	}
	free(ids);
	return version;
}

static int look_into(struct pf_merge_input *input, struct pf_pfdo *file, struct pf_error *error)
{
	struct pf_profile *profile = pf_profile_alloc(pf_pfdo_unit(file));
	int status = profile ? pf_pfdo_provenances(file, profile, error) : out_of_memory(error);

	if (status == PF_OK) {
		input->unit = pf_pfdo_unit(file);
		input->total = pf_pfdo_summary(file)->total;
		for (uint32_t p = 0; p < profile->provenance_count; p++)
			input->timed |= profile->provenances[p].last_ns != 0;
		input->version = version_of(profile);
		status = input->version ? PF_OK : out_of_memory(error);
	}
	pf_profile_free(profile);
	return status;
}

static int survey(struct pf_merge_input *input, struct pf_error *error)
{
	struct pf_pfdo *file;
	struct stat st;
	int status;

	/* A pipe would be empty the second time. */
	if (stat(input->path, &st) != 0)
		memset(&st, 0, sizeof st);
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%s: is no regular file, and a profile is read twice; write it to a file first",
			       input->path);
	status = pf_pfdo_open(input->path, &file, error);
	if (status < 0)
		return status;
	status = look_into(input, file, error);
	input->device = st.st_dev;
	input->inode = st.st_ino;
	pf_pfdo_close(file);
	return status;
}

void pf_merge_leave_out(struct pf_merge_input *input, const char *why)
{
	fprintf(stderr, "pathfdo merge: left out: %s\n", why);
	*input->left_out = true;
}

static int compare_files(const void *a, const void *b)
{
	const struct pf_merge_input *x = *(const struct pf_merge_input *const *)a,
				    *y = *(const struct pf_merge_input *const *)b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* What is known by the times of its recordings is told with the sum, whatever file it came in. */
static int tell_repeated(const struct pf_merge_inputs *inputs, struct pf_error *error)
{
	const struct pf_merge_input **files = calloc(inputs->count + 1, sizeof *files);
	size_t count = 0;

	if (!files)
		return out_of_memory(error);
	for (size_t i = 0; i < inputs->count; i++) {
		if (!*inputs->items[i].left_out && !inputs->items[i].timed)
			files[count++] = &inputs->items[i];
	}
	qsort(files, count, sizeof *files, compare_files);
	for (size_t i = 1; i < count; i++) {
		bool repeated = compare_files(&files[i - 1], &files[i]) == 0;

		if (repeated && (i == 1 || compare_files(&files[i - 2], &files[i]) != 0))
			fprintf(stderr, "pathfdo merge: %s is named more than once, and counts as often\n",
				files[i]->path);
	}
	free(files);
	return PF_OK;
}

int pf_merge_inputs_survey(struct pf_merge_inputs *inputs, bool keep_going, struct pf_error *error)
{
	int status = PF_OK;

	inputs->left_out = mmap(NULL, inputs->count * sizeof *inputs->left_out, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (inputs->left_out == MAP_FAILED) {
		inputs->left_out = NULL;
		return out_of_memory(error);
	}
	for (size_t i = 0; i < inputs->count && status == PF_OK; i++) {
		inputs->items[i].left_out = &inputs->left_out[i];
		status = survey(&inputs->items[i], error);
		if (status < 0 && keep_going && status != PF_ENOMEM) {
			pf_merge_leave_out(&inputs->items[i], error->text);
			status = PF_OK;
		}
	}
	return status == PF_OK ? tell_repeated(inputs, error) : status;
}

static int compare_versions(const void *a, const void *b)
{
	const struct pf_merge_input *x = a, *y = b;
	int order = strcmp(x->version ? x->version : "", y->version ? y->version : "");

	return order ? order : strcmp(x->path, y->path);
}

void pf_merge_inputs_sort(struct pf_merge_inputs *inputs)
{
	qsort(inputs->items, inputs->count, sizeof *inputs->items, compare_versions);
}
