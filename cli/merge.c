/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo merge`: adds profiles up.  Hard case: profiles whose counts mean different things.  Samples of the program
 * counter are scaled so that all of them together weigh as much as the branch profiles do, and the command says by
 * how much; which files are given first does not matter. */
#include "cli/commands.h"
#include "cli/merge-crew.h"
#include "cli/output.h"
#include "cli/spool.h"
#include "profile/merging.h"
#include "profile/pfdo.h"
#include "support/array.h"
#include "support/outfile.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS 256

/* The sums of the totals by unit; the samples are scaled by executions / samples when both are there. */
struct totals {
	unsigned __int128 executions, samples;
	size_t sampled;    /* profiles of samples */
	const char *first; /* one of them */
	bool has_executions;
};

struct options {
	const char *output;
	const char **weights, **lists;
	size_t weight_count, list_count;
	uint32_t jobs;
	bool keep_going;
};

static const char help[] =
    "usage: pathfdo merge [OPTION]... FILE.pfdo... -o FILE.pfdo\n"
    "\n"
    "Adds profiles up.  The order of the files does not matter.  Profiles of samples are scaled to the total\n"
    "of the profiles of executions.\n"
    "\n"
    "  -o, --output FILE      where to write the sum; with %b in the name, one sum for each build-id\n"
    "  -w, --weight FILE=W    multiply the counts of FILE, which may be a pattern ('*/web-*'), by W (0.000001\n"
    "                         to 1000000)\n"
    "      --files-from LIST  add the profiles that LIST names, one a line, each with a weight behind a tab or\n"
    "                         without; '-' is standard input\n"
    "  -j, --jobs N           add up in N processes (1 to 256)\n"
    "  -k, --keep-going       leave out what cannot be read, and tell it\n"
    "  -h, --help             this text\n";

static int usage_error(const char *what, const char *detail)
{
	fprintf(stderr, "pathfdo merge: %s%s\n`pathfdo merge --help` tells the options.\n", what, detail);
	return PF_EXIT_USAGE;
}

/* Applies one --weight to the inputs that it names; -1, or the exit status. */
static int set_weight(const char *argument, struct pf_merge_inputs *inputs)
{
	const char *equals = strrchr(argument, '=');
	uint64_t weight;

	if (!equals || !pf_merge_weight(equals + 1, &weight))
		return usage_error("--weight takes FILE=W with a W from 0.000001 to 1000000, not ", argument);
	if (!pf_merge_inputs_weigh(inputs, argument, (size_t)(equals - argument), weight))
		return usage_error("--weight names a file that is not merged: ", argument);
	return -1;
}

static struct totals total_of(const struct pf_merge_input *items, size_t count)
{
	struct totals totals = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (*items[i].left_out)
			continue;
		if (items[i].unit == PF_UNIT_SAMPLES) {
			totals.samples += items[i].total;
			totals.first = totals.sampled++ ? totals.first : items[i].path;
		} else {
			totals.executions += items[i].total;
			totals.has_executions = true;
		}
	}
	/* Into 64 bits, with their ratio. */
	while (totals.executions > UINT64_MAX || totals.samples > UINT64_MAX) {
		totals.executions >>= 1;
		totals.samples >>= 1;
	}
	return totals;
}

static struct pf_merge_plan plan_of(const struct options *options, const struct totals *totals)
{
	struct pf_merge_plan plan = {
		.jobs = options->jobs, .keep_going = options->keep_going, .numerator = 1, .denominator = 1
	};
	char others[64] = "";

	plan.scaled = totals->has_executions && totals->sampled;
	if (!plan.scaled || !totals->executions || !totals->samples)
		return plan;
	plan.numerator = (uint64_t)totals->executions;
	plan.denominator = (uint64_t)totals->samples;
	if (totals->sampled > 1)
		snprintf(others, sizeof others, ", like %zu more,", totals->sampled - 1);
	fprintf(
	    stderr,
	    "pathfdo merge: %s%s counts samples, other profiles count executions: its counts are multiplied by %.6g, "
	    "which gives both kinds the same total\n",
	    totals->first, others, (double)plan.numerator / (double)plan.denominator);
	return plan;
}

static bool same_recording(const struct pf_provenance *a, const struct pf_provenance *b)
{
	return a->kind == b->kind && a->samples == b->samples && a->first_ns == b->first_ns &&
	       a->last_ns == b->last_ns && a->last_ns && strcmp(a->binary, b->binary) == 0 &&
	       strcmp(a->build_id, b->build_id) == 0;
}

static bool other_version(const struct pf_provenance *a, const struct pf_provenance *b)
{
	return *a->build_id && *b->build_id && strcmp(a->binary, b->binary) == 0 &&
	       strcmp(a->build_id, b->build_id) != 0;
}

static void report(const struct pf_profile *sum)
{
	uint64_t saturated = pf_profile_saturated(sum);
	const char *twice = NULL, *mixed = NULL;
	uint32_t doubles = 0;

	if (saturated)
		fprintf(stderr,
			"pathfdo merge: %" PRIu64 " counts are beyond 2^64 - 1 and stay there; give the inputs weights "
			"below 1\n",
			saturated);
	for (uint32_t p = 1; p < sum->provenance_count; p++) {
		const struct pf_provenance *last = &sum->provenances[p - 1], *this = &sum->provenances[p];

		if (same_recording(last, this)) {
			twice = this->binary;
			doubles++;
		}
		if (other_version(last, this))
			mixed = this->binary;
	}
	if (doubles == 1)
		fprintf(stderr, "pathfdo merge: the same recording of %s is in the sum twice\n", pf_output_name(twice));
	else if (doubles)
		fprintf(stderr,
			"pathfdo merge: recordings are in the sum more than once, %" PRIu32 " in all; one is of %s\n",
			doubles, pf_output_name(twice));
	if (mixed)
		fprintf(stderr,
			"pathfdo merge: the sum is of several versions of %s; %%b in the name of the output keeps them "
			"apart\n",
			pf_output_name(mixed));
}

static size_t count_left_out(const struct pf_merge_input *items, size_t count)
{
	size_t left_out = 0;

	for (size_t i = 0; i < count; i++)
		left_out += *items[i].left_out != 0;
	return left_out;
}

/* The sum of ITEMS.  Where samples are scaled to executions, once more without those that turned out to be damaged
 * only when their counts were read, as their totals are in the scale. */
static int sum_items(const struct options *options, struct pf_merge_input *items, size_t count, struct pf_profile **sum,
		     struct pf_error *error)
{
	bool again = true;
	int status = PF_OK;

	while (status == PF_OK && again) {
		size_t left_out = count_left_out(items, count);
		struct totals totals = total_of(items, count);
		struct pf_merge_plan plan = plan_of(options, &totals);

		pf_profile_free(*sum);
		*sum = NULL;
		status = pf_merge_crew(&plan, items, count, sum, error);
		again = plan.scaled && count_left_out(items, count) != left_out;
	}
	return status;
}

/* A sum, and the file that it is to be in. */
struct sum {
	struct pf_profile *profile;
	char *output;
};

struct sums {
	PF_ARRAY(struct sum);
};

/* Neither an input of whatever version nor a list is the output. */
static int spare_inputs(const struct options *options, const char *output, const struct pf_merge_inputs *inputs,
			struct pf_error *error)
{
	int status = PF_OK;

	for (size_t i = 0; i < inputs->count && status == PF_OK; i++)
		status = pf_outfile_spares(output, inputs->items[i].path, error);
	for (size_t l = 0; l < options->list_count && status == PF_OK; l++)
		status = pf_outfile_spares(output, options->lists[l], error);
	return status;
}

/* Adds the sum of the inputs FROM to TO, of one version or all, to SUMS, which takes OUTPUT over (NULL: out of memory).
 */
static int merge_items(struct sums *sums, const struct options *options, char *output,
		       const struct pf_merge_inputs *inputs, size_t from, size_t to, struct pf_error *error)
{
	struct sum sum = { .output = output };
	int status = PF_OK;

	if (!output || !pf_array_reserve(&sums->at, sums->count, &sums->capacity, 1, sizeof *sums->at))
		status = pf_fail(error, PF_ENOMEM, "out of memory");
	if (status == PF_OK)
		status = spare_inputs(options, output, inputs, error);
	if (status == PF_OK)
		status = sum_items(options, inputs->items + from, to - from, &sum.profile, error);
	if (status == PF_OK) {
		sums->at[sums->count++] = sum;
		return status;
	}
	pf_profile_free(sum.profile);
	free(output);
	return status;
}

/* When all of them are made: of what cannot be read nothing is written. */
static int write_sums(const struct sums *sums, struct pf_error *error)
{
	int status = PF_OK;

	for (size_t i = 0; i < sums->count && status == PF_OK; i++) {
		status = pf_pfdo_write(sums->at[i].profile, sums->at[i].output, error);
		if (status == PF_OK)
			report(sums->at[i].profile);
	}
	return status;
}

static void free_sums(struct sums *sums)
{
	for (size_t i = 0; i < sums->count; i++) {
		pf_profile_free(sums->at[i].profile);
		free(sums->at[i].output);
	}
	pf_array_fini(sums);
}

/* PATTERN with VERSION for each %b; NULL when out of memory. */
static char *version_name(const char *pattern, const char *version)
{
	char *name = NULL;
	size_t size;
	FILE *stream = open_memstream(&name, &size);

	for (const char *at = pattern; stream && *at; at++) {
		if (at[0] == '%' && at[1] == 'b') {
			fputs(version, stream);
			at++;
		} else {
			fputc(*at, stream);
		}
	}
	if (!stream || fclose(stream) != 0)
		return NULL;
	return name;
}

/* One sum for each version, the inputs of which stand together; one of which nothing can be read is no failure of the
 * others. */
static int merge_versions(struct sums *sums, const struct options *options, const struct pf_merge_inputs *inputs,
			  struct pf_error *error)
{
	int status = PF_OK;

	for (size_t from = 0, to; from < inputs->count && status == PF_OK; from = to) {
		const char *version = inputs->items[from].version;

		for (to = from + 1; to < inputs->count && version && strcmp(version, inputs->items[to].version) == 0;)
			to++;
		/* What could not be looked into has none. */
		if (!version)
			continue;
		status = merge_items(sums, options, version_name(options->output, version), inputs, from, to, error);
		if (status == PF_EEMPTY && options->keep_going)
			status = PF_OK;
	}
	return status == PF_OK && !sums->count ? pf_fail(error, PF_EEMPTY, "none of the profiles can be read") : status;
}

static int merge_inputs(const struct options *options, struct pf_merge_inputs *inputs, struct pf_error *error)
{
	int status = pf_merge_inputs_survey(inputs, options->keep_going, error);
	struct sums sums = { 0 };
	size_t left_out = 0;

	if (status == PF_OK && strstr(options->output, "%b")) {
		pf_merge_inputs_sort(inputs);
		status = merge_versions(&sums, options, inputs, error);
	} else if (status == PF_OK) {
		status = merge_items(&sums, options, strdup(options->output), inputs, 0, inputs->count, error);
	}
	if (status == PF_OK)
		status = write_sums(&sums, error);
	free_sums(&sums);
	for (size_t i = 0; i < inputs->count && status == PF_OK; i++)
		left_out += inputs->left_out[i];
	if (left_out)
		fprintf(stderr, "pathfdo merge: %zu of %zu profiles were left out\n", left_out, inputs->count);
	return status;
}

static int parse_jobs(const char *text, uint32_t *jobs)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || number < 1 || number > MOST_JOBS)
		return usage_error("--jobs takes a number from 1 to 256, not ", text);
	*jobs = (uint32_t)number;
	return -1;
}

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "weight", required_argument, NULL, 'w' },
		{ "files-from", required_argument, NULL, 'f' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "keep-going", no_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status = -1;

	while (status < 0 && (option = getopt_long(argc, argv, "o:w:j:kh", longs, NULL)) != -1) {
		if (option == 'o') {
			options->output = optarg;
		} else if (option == 'w') {
			options->weights[options->weight_count++] = optarg;
		} else if (option == 'f') {
			options->lists[options->list_count++] = optarg;
		} else if (option == 'j') {
			status = parse_jobs(optarg, &options->jobs);
		} else if (option == 'k') {
			options->keep_going = true;
		} else if (option == 'h') {
			fputs(help, stdout);
			return 0;
		} else {
			fputs("`pathfdo merge --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	if (status >= 0)
		return status;
	if (!options->output)
		return usage_error("-o FILE is missing", "");
	return optind < argc || options->list_count ? -1 : usage_error("which profiles?", "");
}

static int collect_inputs(char **arguments, int count, const struct options *options, struct pf_merge_inputs *inputs,
			  struct pf_error *error)
{
	int status = PF_OK;

	for (int i = 0; i < count && status == PF_OK; i++)
		status = pf_merge_inputs_add(inputs, arguments[i], error);
	for (size_t l = 0; l < options->list_count && status == PF_OK; l++)
		status = pf_merge_inputs_list(inputs, options->lists[l], error);
	if (status == PF_OK && !inputs->count)
		status = pf_fail(error, PF_EEMPTY, "%s: there is no profile in the list", options->lists[0]);
	return status;
}

static int out_of_memory(void)
{
	fprintf(stderr, "pathfdo merge: out of memory\n");
	return PF_EXIT_FAILURE;
}

static int rename_input(struct pf_merge_input *input, const char *path)
{
	if (path == input->path)
		return 0;
	free(input->path);
	input->path = strdup(path);
	return input->path ? 0 : out_of_memory();
}

/* A profile is read twice.  -1 to go on, or the exit status. */
static int spool(struct pf_merge_inputs *inputs)
{
	const char **paths = calloc(inputs->count, sizeof *paths);
	int status = paths ? 0 : out_of_memory();

	for (size_t i = 0; paths && i < inputs->count; i++)
		paths[i] = inputs->items[i].path;
	if (paths)
		status = pf_spool("merge", paths, inputs->count);
	for (size_t i = 0; status == 0 && i < inputs->count; i++)
		status = rename_input(&inputs->items[i], paths[i]);
	free(paths);
	return status ? status : -1;
}

static int run(int argc, char **argv, struct options *options, struct pf_merge_inputs *inputs)
{
	struct pf_error error = { 0 };
	int status = parse_options(argc, argv, options);

	if (status >= 0)
		return status;
	if (collect_inputs(argv + optind, argc - optind, options, inputs, &error) < 0) {
		fprintf(stderr, "pathfdo merge: %s\n", error.text);
		return PF_EXIT_FAILURE;
	}
	for (size_t w = 0; w < options->weight_count && status < 0; w++)
		status = set_weight(options->weights[w], inputs);
	if (status < 0)
		status = spool(inputs);
	if (status >= 0)
		return status;
	if (merge_inputs(options, inputs, &error) < 0) {
		fprintf(stderr, "pathfdo merge: %s\n", error.text);
		return PF_EXIT_FAILURE;
	}
	return 0;
}

int pf_cmd_merge(int argc, char **argv)
{
	/* Neither can be more than there are arguments. */
	struct options options = { .jobs = 1,
				   .weights = calloc((size_t)argc + 1, sizeof *options.weights),
				   .lists = calloc((size_t)argc + 1, sizeof *options.lists) };
	struct pf_merge_inputs inputs = { 0 };
	int status;

	status = options.weights && options.lists ? run(argc, argv, &options, &inputs) : out_of_memory();
	free(options.weights);
	free(options.lists);
	pf_merge_inputs_fini(&inputs);
	return status;
}
