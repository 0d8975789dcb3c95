/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo convert`: recordings to a profile, with an account on standard error of what was used and what was not.
 * The hard case is the empty success: everything that could make the profile poor is said, and too little is an
 * error without a file. */
#include "cli/commands.h"
#include "converter/conversion.h"
#include "profile/pfdo.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "usage: pathfdo convert [OPTION]... FILE... -o PROFILE\n\n"
    "Turns perf.data files (of pathfdo record, or of perf record with or without branch stacks) into one profile\n"
    "by source position.\n\n"
    "  -o, --output=PROFILE   where the profile goes; '-' is standard output\n"
    "  -b, --binary=FILE      the program or library that ran; may be repeated, and then only these are converted\n"
    "      --debug-dir=DIR    search separate debug files here before /usr/lib/debug\n"
    "      --symfs=DIR        prefix of the recorded paths\n"
    "      --weight=HOW       what a burst counts: period (default), none, rate\n"
    "      --skip-first=N     leave out the first N branches of each burst (default 0)\n"
    "  -q, --quiet            no account unless something is wrong\n"
    "  -h, --help             this text\n";

enum { OPTION_DEBUG_DIR = 256, OPTION_SYMFS, OPTION_WEIGHT, OPTION_SKIP };

static const struct option options_table[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "binary", required_argument, NULL, 'b' },
	{ "debug-dir", required_argument, NULL, OPTION_DEBUG_DIR },
	{ "symfs", required_argument, NULL, OPTION_SYMFS },
	{ "weight", required_argument, NULL, OPTION_WEIGHT },
	{ "skip-first", required_argument, NULL, OPTION_SKIP },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct request {
	struct pf_convert_options options;
	const char **binaries; /* room for as many as there are arguments */
	const char *output;
	bool quiet, help;
};

static bool parse_weight(const char *text, enum pf_weighting *weighting)
{
	static const char *const names[] = { "period", "none", "rate" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(text, names[i]) == 0) {
			*weighting = (enum pf_weighting)i;
			return true;
		}
	}
	fprintf(stderr, "pathfdo convert: --weight=%s: must be period, none or rate\n", text);
	return false;
}

static bool parse_skip(const char *text, uint32_t *skip)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && value < 1000000) {
		*skip = (uint32_t)value;
		return true;
	}
	fprintf(stderr, "pathfdo convert: --skip-first=%s: must be a number of branches below a million\n", text);
	return false;
}

static bool parse(int argc, char **argv, struct request *r)
{
	bool good = true;
	int option;

	optind = 1;
	while (good && (option = getopt_long(argc, argv, "o:b:qh", options_table, NULL)) >= 0) {
		switch (option) {
		case 'o':
			r->output = optarg;
			break;
		case 'b':
			r->binaries[r->options.locate.binary_count++] = optarg;
			break;
		case OPTION_DEBUG_DIR:
			r->options.locate.debug_dir = optarg;
			break;
		case OPTION_SYMFS:
			r->options.locate.symfs = optarg;
			break;
		case OPTION_WEIGHT:
			good = parse_weight(optarg, &r->options.intake.weighting);
			break;
		case OPTION_SKIP:
			good = parse_skip(optarg, &r->options.intake.warm_up);
			break;
		case 'q':
			r->quiet = true;
			break;
		case 'h':
			r->help = true;
			break;
		default:
			good = false;
		}
	}
	r->options.locate.binaries = r->binaries;
	return good;
}

/* What is missing or cannot be; NULL if nothing. */
static const char *find_fault(const struct request *r, char *const *files)
{
	if (!*files)
		return "no recording named";
	for (; *files; files++) {
		if (strcmp(*files, "-") == 0)
			return "a recording cannot come from standard input; name its file";
	}
	return r->output ? NULL : "no -o PROFILE";
}

static void print_input(const struct pf_traffic *t)
{
	if (t->bursts_read > 0)
		fprintf(stderr, "  read %" PRIu64 " vectors, used %" PRIu64 "\n", t->bursts_read, t->bursts_used);
	if (t->branches_read > 0)
		fprintf(stderr, "  read %" PRIu64 " branches, used %" PRIu64 ", %zu distinct\n", t->branches_read,
			t->branches_used, t->edges.count);
	if (t->samples_read > 0)
		fprintf(stderr, "  read %" PRIu64 " plain samples, used %" PRIu64 "\n", t->samples_read,
			t->samples_used);
	for (int drop = PF_DROP_NONE + 1; drop < PF_DROP_COUNT; drop++) {
		if (t->drops[drop] > 0)
			fprintf(stderr, "  dropped %" PRIu64 " %s\n", t->drops[drop],
				pf_traffic_drop_name((enum pf_drop)drop));
	}
	if (t->lost > 0)
		fprintf(stderr, "  lost by the recording: %" PRIu64 "\n", t->lost);
}

/* The recordings that have several events, of which one is used. */
static void print_events(const struct pf_conversion *c)
{
	for (size_t i = 0; i < c->recordings.count; i++) {
		const struct pf_recording *r = &c->recordings.at[i];

		if (r->others && *r->others)
			fprintf(stderr, "  recording %zu: used the samples of %s, left out %s\n", i + 1, r->event,
				r->others);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 100.0;
}

static void print_module(const struct pf_module_account *a, uint64_t total)
{
	double share = total > 0 ? percent(a->branches, total) : 0;

	if (a->state != PF_MODULE_USED) {
		fprintf(stderr, "  %s: %.1f%% of all, not used: %s\n", a->path, share, a->reason);
		return;
	}
	fprintf(stderr, "  %s: %.1f%% of all, %.1f%% of it mapped to source", a->path, share,
		percent(a->mapped, a->branches));
	if (a->stubs > 0)
		fprintf(stderr, ", %.1f%% in PLT stubs", percent(a->stubs, a->branches));
	fprintf(stderr, "; %u functions, inlined up to %u deep\n", a->functions, a->depth);
	if (a->units_damaged > 0)
		fprintf(stderr, "  warning: %s: %u of its %u units of debug information cannot be read\n", a->path,
			a->units_damaged, a->units);
}

/* The part of the account that is worth reading even when it is not asked for.  Stubs are the linker's: that they have
 * no source is no fault of the build. */
static void print_warnings(const struct pf_conversion *c)
{
	for (size_t i = 0; i < c->accounts.count; i++) {
		const struct pf_module_account *a = &c->accounts.at[i];
		uint64_t compiled = a->branches > a->stubs ? a->branches - a->stubs : 0;

		if (a->state == PF_MODULE_USED && a->mapped < compiled / 1000.0 * PF_MAPPED_WARNING)
			fprintf(stderr,
				"pathfdo convert: warning: %s: only %.1f%% of its branches have a source position; "
				"parts of it seem to be built without -g (assembly, static libraries)\n",
				a->path, percent(a->mapped, compiled));
	}
}

static void print_account(const struct pf_conversion *c, bool quiet)
{
	uint64_t total = 0;

	if (!quiet) {
		fprintf(stderr, "pathfdo convert:\n");
		print_input(&c->traffic);
		print_events(c);
		for (size_t i = 0; i < c->accounts.count; i++)
			total += c->accounts.at[i].branches;
		for (size_t i = 0; i < c->accounts.count; i++)
			print_module(&c->accounts.at[i], total);
	}
	print_warnings(c);
}

static int convert(const struct request *r, const char *const *files, size_t count)
{
	struct pf_conversion conversion;
	struct pf_error error;
	int status = pf_convert(&conversion, files, count, &r->options, &error);

	if (status == PF_OK)
		status = pf_pfdo_write(conversion.profile, r->output, &error);
	if (status == PF_OK)
		print_account(&conversion, r->quiet);
	else
		fprintf(stderr, "pathfdo convert: %s\n", error.text);
	pf_conversion_fini(&conversion);
	return status == PF_OK ? 0 : PF_EXIT_FAILURE;
}

static int run(int argc, char **argv, struct request *r)
{
	bool good = parse(argc, argv, r);
	const char *fault = good && !r->help ? find_fault(r, argv + optind) : NULL;

	if (r->help)
		fputs(usage_text, stdout);
	if (fault)
		fprintf(stderr, "pathfdo convert: %s\n", fault);
	if (!good || fault) {
		fprintf(stderr, "`pathfdo convert --help` tells the options.\n");
		return PF_EXIT_USAGE;
	}
	return r->help ? 0 : convert(r, (const char *const *)argv + optind, (size_t)(argc - optind));
}

int pf_cmd_convert(int argc, char **argv)
{
	struct request r = { .binaries = calloc((size_t)argc + 1, sizeof *r.binaries) };
	int status = PF_EXIT_FAILURE;

	if (r.binaries)
		status = run(argc, argv, &r);
	else
		fprintf(stderr, "pathfdo convert: out of memory\n");
	free(r.binaries);
	return status;
}
