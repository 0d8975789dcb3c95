/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo merge`: adds profiles up.  Hard case: profiles whose counts mean different things.  Samples of the program
 * counter are scaled so that all of them together weigh as much as the branch profiles do, and the command says by
 * how much; which files are given first does not matter. */
#include "cli/commands.h"
#include "profile/merging.h"
#include "profile/pfdo.h"
#include "support/outfile.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT_ONE 1000000u /* weights are kept in millionths */
#define LARGEST_WEIGHT 1000000u

struct input {
	const char *path;
	uint64_t weight; /* in millionths */
};

/* The sums of the totals by unit; the samples are scaled by executions / samples when both are there. */
struct totals {
	unsigned __int128 executions, samples;
	bool has_executions;
};

static const char help[] =
    "usage: pathfdo merge [--weight FILE=W]... FILE.pfdo... -o FILE.pfdo\n"
    "\n"
    "Adds profiles up.  The order of the files does not matter.  Profiles of samples are scaled to the total\n"
    "of the profiles of executions.\n"
    "\n"
    "  -o, --output FILE     where to write the sum\n"
    "      --weight FILE=W   multiply the counts of FILE by W (0.000001 to 1000000)\n"
    "  -h, --help            this text\n";

static int usage_error(const char *what, const char *detail)
{
	fprintf(stderr, "pathfdo merge: %s%s\n`pathfdo merge --help` tells the options.\n", what, detail);
	return PF_EXIT_USAGE;
}

/* Reads W in millionths, "2", "0.5" or "1.25"; false when it is no weight. */
static bool parse_weight(const char *text, uint64_t *weight)
{
	uint64_t whole = 0, unit = WEIGHT_ONE;
	const char *at = text;

	for (; *at >= '0' && *at <= '9' && whole <= LARGEST_WEIGHT; at++)
		whole = whole * 10 + (uint64_t)(*at - '0');
	*weight = whole * WEIGHT_ONE;
	if (*at == '.' && at[1]) {
		for (at++; *at >= '0' && *at <= '9' && unit > 1; at++) {
			unit /= 10;
			*weight += (uint64_t)(*at - '0') * unit;
		}
	}
	return at > text && !*at && *weight && *weight <= (uint64_t)LARGEST_WEIGHT * WEIGHT_ONE;
}

/* Applies one --weight to the inputs that it names; -1, or the exit status. */
static int set_weight(const char *argument, struct input *inputs, size_t count)
{
	const char *equals = strrchr(argument, '=');
	size_t length = equals ? (size_t)(equals - argument) : 0, named = 0;
	uint64_t weight;

	if (!equals || !parse_weight(equals + 1, &weight))
		return usage_error("--weight takes FILE=W with a W from 0.000001 to 1000000, not ", argument);
	for (size_t i = 0; i < count; i++) {
		if (strlen(inputs[i].path) == length && memcmp(inputs[i].path, argument, length) == 0) {
			inputs[i].weight = weight;
			named++;
		}
	}
	return named ? -1 : usage_error("--weight names a file that is not merged: ", argument);
}

/* Looks at each file's unit and total, which is cheap, before any is read. */
static int survey(const struct input *inputs, size_t count, struct totals *totals, struct pf_error *error)
{
	for (size_t i = 0; i < count; i++) {
		struct pf_pfdo *file;
		int status = pf_pfdo_open(inputs[i].path, &file, error);

		if (status < 0)
			return status;
		if (pf_pfdo_unit(file) == PF_UNIT_SAMPLES) {
			totals->samples += pf_pfdo_summary(file)->total;
		} else {
			totals->executions += pf_pfdo_summary(file)->total;
			totals->has_executions = true;
		}
		pf_pfdo_close(file);
	}
	return PF_OK;
}

/* Brings both sums into 64 bits, keeping their ratio. */
static void fit(struct totals *totals)
{
	while (totals->executions > UINT64_MAX || totals->samples > UINT64_MAX) {
		totals->executions >>= 1;
		totals->samples >>= 1;
	}
}

static void normalise(struct pf_profile *profile, const struct input *input, const struct totals *totals)
{
	if (profile->unit == PF_UNIT_EXECUTIONS || !totals->has_executions)
		return;
	profile->unit = PF_UNIT_EXECUTIONS;
	if (!totals->executions || !totals->samples)
		return;
	fprintf(stderr,
		"pathfdo merge: %s counts samples, other profiles count executions: its counts are multiplied by %.6g, "
		"which gives both kinds the same total\n",
		input->path, (double)totals->executions / (double)totals->samples);
	pf_profile_scale(profile, (uint64_t)totals->executions, (uint64_t)totals->samples);
}

static int add_input(struct pf_merge *merge, const struct input *input, const struct totals *totals,
		     struct pf_error *error)
{
	struct pf_profile *profile;
	int status = pf_pfdo_read(input->path, &profile, error);

	if (status < 0)
		return status;
	normalise(profile, input, totals);
	if (input->weight != WEIGHT_ONE)
		pf_profile_scale(profile, input->weight, WEIGHT_ONE);
	status = pf_merge_add(merge, profile, error);
	pf_profile_free(profile);
	return status;
}

static bool same_recording(const struct pf_provenance *a, const struct pf_provenance *b)
{
	return a->kind == b->kind && a->samples == b->samples && a->first_ns == b->first_ns &&
	       a->last_ns == b->last_ns && a->last_ns && strcmp(a->binary, b->binary) == 0 &&
	       strcmp(a->build_id, b->build_id) == 0;
}

static void report(const struct pf_profile *sum)
{
	uint64_t saturated = pf_profile_saturated(sum);

	if (saturated)
		fprintf(stderr,
			"pathfdo merge: %" PRIu64 " counts are beyond 2^64 - 1 and stay there; give the inputs weights "
			"below 1\n",
			saturated);
	for (uint32_t p = 1; p < sum->provenance_count; p++) {
		if (same_recording(&sum->provenances[p - 1], &sum->provenances[p]))
			fprintf(stderr, "pathfdo merge: the same recording of %s is in the sum twice\n",
				sum->provenances[p].binary);
	}
}

static int merge_inputs(const struct input *inputs, size_t count, const char *output, struct pf_error *error)
{
	struct pf_merge merge = { 0 };
	struct pf_profile *sum = NULL;
	struct totals totals = { 0 };
	int status = PF_OK;

	for (size_t i = 0; i < count && status == PF_OK; i++)
		status = pf_outfile_spares(output, inputs[i].path, error);
	if (status == PF_OK)
		status = survey(inputs, count, &totals, error);
	fit(&totals);
	for (size_t i = 0; i < count && status == PF_OK; i++)
		status = add_input(&merge, &inputs[i], &totals, error);
	if (status == PF_OK)
		status = pf_merge_finish(&merge, &sum, error);
	if (status == PF_OK)
		status = pf_pfdo_write(sum, output, error);
	if (status == PF_OK)
		report(sum);
	pf_merge_fini(&merge);
	pf_profile_free(sum);
	return status;
}

struct options {
	const char *output;
	const char **weights;
	size_t weight_count;
};

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "weight", required_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
		if (option == 'o') {
			options->output = optarg;
		} else if (option == 'w') {
			options->weights[options->weight_count++] = optarg;
		} else if (option == 'h') {
			fputs(help, stdout);
			return 0;
		} else {
			fputs("`pathfdo merge --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	if (!options->output)
		return usage_error("-o FILE is missing", "");
	return optind < argc ? -1 : usage_error("which profiles?", "");
}

static int run(int argc, char **argv, struct options *options, struct input *inputs)
{
	struct pf_error error = { 0 };
	int status = parse_options(argc, argv, options);
	size_t count = (size_t)(argc - optind);

	if (status >= 0)
		return status;
	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct input) { .path = argv[(size_t)optind + i], .weight = WEIGHT_ONE };
	for (size_t i = 0; i < count && status < 0; i++) {
		if (strcmp(inputs[i].path, "-") == 0)
			status = usage_error("a profile is read twice, so it cannot come from standard input", "");
	}
	for (size_t w = 0; w < options->weight_count && status < 0; w++)
		status = set_weight(options->weights[w], inputs, count);
	if (status >= 0)
		return status;
	if (merge_inputs(inputs, count, options->output, &error) < 0) {
		fprintf(stderr, "pathfdo merge: %s\n", error.text);
		return PF_EXIT_FAILURE;
	}
	return 0;
}

int pf_cmd_merge(int argc, char **argv)
{
	/* Neither can be more than there are arguments. */
	struct options options = { .weights = calloc((size_t)argc + 1, sizeof *options.weights) };
	struct input *inputs = calloc((size_t)argc + 1, sizeof *inputs);
	int status = PF_EXIT_FAILURE;

	if (options.weights && inputs)
		status = run(argc, argv, &options, inputs);
	else
		fprintf(stderr, "pathfdo merge: out of memory\n");
	free(options.weights);
	free(inputs);
	return status;
}
