/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo diff`: how far two profiles agree.  Everything is compared by its share of the total, so that recordings
 * of different lengths and units can be compared.  Hard case: one profile has nothing of a kind (no branches in a
 * clock profile), which is no disagreement and is shown as "-". */
#include "cli/commands.h"
#include "cli/output.h"
#include "flow/metrics.h"
#include "profile/json.h"
#include "profile/pfdo.h"
#include "profile/text.h"
#include "profile/weights.h"
#include "support/infile.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *paths[2];
	uint64_t top;
	bool json;
};

/* One function of either profile with its share in both. */
struct share {
	const char *name, *file;
	double share[2];
};

struct comparison {
	struct pf_profile *profiles[2];
	uint64_t totals[2];
	double overlap[PF_WEIGHT_KINDS];
	struct pf_direction_mismatch mismatch;
	struct share *shares; /* by descending difference */
	size_t share_count;
};

static const char *const kind_texts[PF_WEIGHT_KINDS] = {
	[PF_WEIGHT_POSITIONS] = "source positions",
	[PF_WEIGHT_INSTANCES] = "positions where they are inlined",
	[PF_WEIGHT_FUNCTIONS] = "functions",
	[PF_WEIGHT_EDGES] = "branch edges",
	[PF_WEIGHT_PATHS] = "paths",
};

static const char *const kind_keys[PF_WEIGHT_KINDS] = {
	[PF_WEIGHT_POSITIONS] = "positions", [PF_WEIGHT_INSTANCES] = "instances", [PF_WEIGHT_FUNCTIONS] = "functions",
	[PF_WEIGHT_EDGES] = "edges",         [PF_WEIGHT_PATHS] = "paths",
};

static const char help[] = "usage: pathfdo diff [OPTION]... A.pfdo B.pfdo\n"
			   "\n"
			   "Tells how far two profiles agree: the overlap of their distributions (100% is equal), the\n"
			   "branches that go the other way, and the functions that differ most.\n"
			   "\n"
			   "      --top N   show N functions (10 by default, 0 for none)\n"
			   "      --json    as JSON\n"
			   "  -h, --help    this text\n";

static const char *basename_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int by_function(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(basename_of(x->file), basename_of(y->file));
}

static int by_difference(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	double p = fabs(x->share[1] - x->share[0]), q = fabs(y->share[1] - y->share[0]);

	return p != q ? (p < q ? 1 : -1) : by_function(a, b);
}

static int out_of_memory(struct pf_error *error)
{
	return pf_fail(error, PF_ENOMEM, "out of memory while profiles were compared");
}

/* Pairs up the functions of both profiles. */
static int compare_functions(struct comparison *comparison, struct pf_error *error)
{
	size_t all = (size_t)comparison->profiles[0]->function_count + comparison->profiles[1]->function_count;
	struct share *shares = calloc(all + 1, sizeof *shares);
	size_t filled = 0, kept = 0;

	if (!shares)
		return out_of_memory(error);
	for (size_t side = 0; side < 2; side++) {
		const struct pf_profile *profile = comparison->profiles[side];
		double total = comparison->totals[side] ? (double)comparison->totals[side] : 1;

		for (uint32_t f = 0; f < profile->function_count; f++) {
			struct share *share = &shares[filled++];

			share->name = profile->functions[f].name;
			share->file = profile->functions[f].file;
			share->share[side] = (double)profile->functions[f].total / total;
		}
	}
	qsort(shares, filled, sizeof *shares, by_function);
	for (size_t i = 0; i < filled; i++) {
		if (kept && by_function(&shares[kept - 1], &shares[i]) == 0) {
			shares[kept - 1].share[0] += shares[i].share[0];
			shares[kept - 1].share[1] += shares[i].share[1];
		} else {
			shares[kept++] = shares[i];
		}
	}
	qsort(shares, kept, sizeof *shares, by_difference);
	comparison->shares = shares;
	comparison->share_count = kept;
	return PF_OK;
}

static struct pf_weight *keyed(const struct pf_weights *weights)
{
	struct pf_weight *keyed = calloc(weights->count + 1, sizeof *keyed);

	for (size_t i = 0; keyed && i < weights->count; i++)
		keyed[i] = (struct pf_weight) { weights->items[i].key, (double)weights->items[i].weight };
	return keyed;
}

/* False when out of memory. */
static bool compare_shares(double *overlap, const struct pf_weights *a, const struct pf_weights *b)
{
	struct pf_weight *x = keyed(a), *y = keyed(b);
	struct pf_weight_pair *pairs = NULL;
	size_t count = x && y ? pf_metrics_join(x, a->count, y, b->count, &pairs) : SIZE_MAX;

	if (count != SIZE_MAX)
		*overlap = a->count && b->count ? pf_metrics_overlap(pairs, count) : -1;
	free(pairs);
	free(x);
	free(y);
	return count != SIZE_MAX;
}

/* False when out of memory. */
static bool compare_directions(struct pf_direction_mismatch *mismatch, const struct pf_weights *a,
			       const struct pf_weights *b)
{
	struct pf_edge_pair *edges = calloc(a->count + b->count + 1, sizeof *edges);
	size_t count = 0;

	if (!edges)
		return false;
	for (size_t i = 0; i < a->count; i++)
		edges[count++] =
		    (struct pf_edge_pair) { a->items[i].branch, a->items[i].key, (double)a->items[i].weight, 0 };
	for (size_t i = 0; i < b->count; i++)
		edges[count++] =
		    (struct pf_edge_pair) { b->items[i].branch, b->items[i].key, 0, (double)b->items[i].weight };
	*mismatch = pf_metrics_mismatch(edges, count);
	free(edges);
	return true;
}

static int compare_kind(struct comparison *comparison, enum pf_weight_kind kind, struct pf_error *error)
{
	struct pf_weights a = { 0 }, b = { 0 };
	int status = pf_weights_collect(comparison->profiles[0], kind, &a, error);

	if (status == PF_OK)
		status = pf_weights_collect(comparison->profiles[1], kind, &b, error);
	if (status == PF_OK && (!compare_shares(&comparison->overlap[kind], &a, &b) ||
				(kind == PF_WEIGHT_EDGES && !compare_directions(&comparison->mismatch, &a, &b))))
		status = out_of_memory(error);
	pf_weights_fini(&b);
	pf_weights_fini(&a);
	return status;
}

static int compare(struct comparison *comparison, const struct options *options, struct pf_error *error)
{
	int status = PF_OK;

	for (size_t side = 0; side < 2 && status == PF_OK; side++) {
		struct pf_summary summary = { 0 };

		status = pf_pfdo_read(options->paths[side], &comparison->profiles[side], error);
		if (status == PF_OK)
			status = pf_profile_summarise(comparison->profiles[side], &summary, error);
		comparison->totals[side] = summary.total;
	}
	for (int kind = 0; kind < PF_WEIGHT_KINDS && status == PF_OK; kind++)
		status = compare_kind(comparison, (enum pf_weight_kind)kind, error);
	return status == PF_OK ? compare_functions(comparison, error) : status;
}

static const char *unit_of(const struct pf_profile *profile)
{
	return profile->unit == PF_UNIT_SAMPLES ? "samples" : "executions";
}

/* Negative when there is no branch to compare. */
static double mismatch_share(const struct comparison *comparison)
{
	return comparison->mismatch.branches ? comparison->mismatch.share : -1;
}

static void put_share(struct pf_buffer *out, double share)
{
	if (share < 0)
		pf_buffer_printf(out, "      -");
	else
		pf_buffer_printf(out, "%6.2f%%", 100 * share);
}

static size_t shown_functions(const struct comparison *comparison, const struct options *options)
{
	return comparison->share_count < options->top ? comparison->share_count : (size_t)options->top;
}

static void put_functions_text(struct pf_buffer *out, const struct comparison *comparison,
			       const struct options *options)
{
	size_t shown = shown_functions(comparison, options);

	if (shown)
		pf_buffer_printf(out, "\nfunctions by difference\n     A        B       B - A\n");
	for (size_t i = 0; i < shown; i++) {
		const struct share *share = &comparison->shares[i];

		pf_buffer_printf(out, "%6.2f%%  %6.2f%%  %+7.2f%%  ", 100 * share->share[0], 100 * share->share[1],
				 100 * (share->share[1] - share->share[0]));
		pf_text_put_word(out, share->name);
		pf_buffer_printf(out, "  ");
		pf_text_put_word(out, share->file);
		pf_buffer_printf(out, "\n");
	}
}

static void put_text(struct pf_buffer *out, const struct comparison *comparison, const struct options *options)
{
	for (size_t side = 0; side < 2; side++)
		pf_buffer_printf(out, "%c  %s: %" PRIu32 " functions, %" PRIu64 " %s\n", "AB"[side],
				 pf_output_name(pf_infile_name(options->paths[side])),
				 comparison -> profiles[side] -> function_count, comparison -> totals[side],
				 unit_of(comparison->profiles[side]));
	if (comparison->profiles[0]->unit != comparison->profiles[1]->unit)
		pf_buffer_printf(out,
				 "   They count different things: executions fall on branches, samples on time.\n");
	pf_buffer_printf(out, "\noverlap\n");
	for (size_t kind = 0; kind < PF_WEIGHT_KINDS; kind++) {
		put_share(out, comparison->overlap[kind]);
		pf_buffer_printf(out, "  %s\n", kind_texts[kind]);
	}
	pf_buffer_printf(out, "\nbranches that mostly go elsewhere\n");
	put_share(out, mismatch_share(comparison));
	pf_buffer_printf(out, "  of branch executions: %zu of %zu branches that are in both\n",
			 comparison->mismatch.wrong, comparison->mismatch.branches);
	put_functions_text(out, comparison, options);
}

static void put_json_share(struct pf_buffer *out, const char *key, double share)
{
	if (share < 0)
		pf_buffer_printf(out, "\"%s\": null", key);
	else
		pf_buffer_printf(out, "\"%s\": %.6f", key, share);
}

static void put_json_side(struct pf_buffer *out, const struct comparison *comparison, const struct options *options,
			  size_t side)
{
	pf_buffer_printf(out, "\"%c\": {\"file\": ", "ab"[side]);
	pf_json_put_string(out, pf_infile_name(options->paths[side]));
	pf_buffer_printf(out, ", \"unit\": \"%s\", \"functions\": %" PRIu32 ", \"total\": %" PRIu64 "},\n",
			 unit_of(comparison->profiles[side]), comparison->profiles[side]->function_count,
			 comparison->totals[side]);
}

static void put_json(struct pf_buffer *out, const struct comparison *comparison, const struct options *options)
{
	size_t shown = shown_functions(comparison, options);

	pf_buffer_printf(out, "{");
	put_json_side(out, comparison, options, 0);
	put_json_side(out, comparison, options, 1);
	pf_buffer_printf(out, "\"overlap\": {");
	for (size_t kind = 0; kind < PF_WEIGHT_KINDS; kind++) {
		pf_buffer_printf(out, kind ? ", " : "");
		put_json_share(out, kind_keys[kind], comparison->overlap[kind]);
	}
	pf_buffer_printf(out, "},\n\"directions\": {\"branches\": %zu, \"wrong\": %zu, ", comparison->mismatch.branches,
			 comparison->mismatch.wrong);
	put_json_share(out, "wrong_share", mismatch_share(comparison));
	pf_buffer_printf(out, "},\n\"functions\": [");
	for (size_t i = 0; i < shown; i++) {
		const struct share *share = &comparison->shares[i];

		pf_buffer_printf(out, i ? ",\n {\"name\": " : "\n {\"name\": ");
		pf_json_put_string(out, share->name);
		pf_buffer_printf(out, ", \"file\": ");
		pf_json_put_string(out, share->file);
		pf_buffer_printf(out, ", \"a\": %.6f, \"b\": %.6f}", share->share[0], share->share[1]);
	}
	pf_buffer_printf(out, "]}\n");
}

static int print(const struct comparison *comparison, const struct options *options, struct pf_error *error)
{
	struct pf_buffer out = { 0 };
	int status = PF_OK;

	(options->json ? put_json : put_text)(&out, comparison, options);
	if (out.failed)
		status = out_of_memory(error);
	else
		fwrite(out.data, 1, out.size, stdout); /* main says when it did not arrive */
	pf_buffer_fini(&out);
	return status;
}

static int usage_error(const char *what)
{
	fprintf(stderr, "pathfdo diff: %s\n`pathfdo diff --help` tells the options.\n", what);
	return PF_EXIT_USAGE;
}

static bool parse_top(const char *text, uint64_t *top)
{
	char *end;

	errno = 0;
	*top = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "top", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (option == 't') {
			if (!parse_top(optarg, &options->top))
				return usage_error("--top takes a number");
		} else if (option == 'j') {
			options->json = true;
		} else if (option == 'h') {
			fputs(help, stdout);
			return 0;
		} else {
			fputs("`pathfdo diff --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	if (argc - optind != 2)
		return usage_error("two profiles are compared");
	if (strcmp(argv[optind], "-") == 0 && strcmp(argv[optind + 1], "-") == 0)
		return usage_error("only one of the profiles can come from standard input");
	options->paths[0] = argv[optind];
	options->paths[1] = argv[optind + 1];
	return -1;
}

int pf_cmd_diff(int argc, char **argv)
{
	struct options options = { .top = 10 };
	struct comparison comparison = { 0 };
	struct pf_error error = { 0 };
	int status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	status = compare(&comparison, &options, &error);
	if (status == PF_OK)
		status = print(&comparison, &options, &error);
	if (status < 0)
		fprintf(stderr, "pathfdo diff: %s\n", error.text);
	free(comparison.shares);
	pf_profile_free(comparison.profiles[0]);
	pf_profile_free(comparison.profiles[1]);
	return status < 0 ? PF_EXIT_FAILURE : 0;
}
