/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo convert`: recordings to a profile, with an account on standard error of what was used and what was not.
 * The hard case is the empty success: everything that could make the profile poor is said, and too little is an
 * error without a file. */
#include "cli/account.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/phase-files.h"
#include "cli/spool.h"
#include "cli/trust.h"
#include "cli/vector-options.h"
#include "profile/pfdo.h"
#include "support/outfile.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_text[] =
    "usage: pathfdo convert [OPTION]... FILE... -o PROFILE\n\n"
    "Turns perf.data files (of pathfdo record, or of perf record with or without branch stacks) into one profile\n"
    "by source position.  '-' is standard input (perf record -o -).\n\n"
    "  -o, --output=PROFILE   where the profile goes; '-' is standard output\n"
    "      --fdata            no profile by source position, but BOLT's fdata of one binary\n"
    "  -b, --binary=FILE      the program or library that ran; may be repeated, and then only these are converted;\n"
    "                         RECORDED=FILE if it has another name than the recording says\n"
    "      --debug-dir=DIR    search separate debug files here before /usr/lib/debug\n"
    "      --symfs=DIR        prefix of the recorded paths\n"
    "      --weight=HOW       what a burst counts: rate (default), period, none\n"
    "      --skip-first=N     leave out the first N branches of each burst (default 0)\n"
    "      --phase=N          only the part of the recording, which is one, that is in its hot spot N\n"
    "      --json             print the account, all of it, as JSON on standard output\n"
    "  -q, --quiet            no account unless something is wrong\n"
    "  -h, --help             this text\n";

enum { OPTION_DEBUG_DIR = 256, OPTION_FDATA, OPTION_JSON, OPTION_PHASE, OPTION_SYMFS, OPTION_WEIGHT, OPTION_SKIP };

static const struct option options_table[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "binary", required_argument, NULL, 'b' },
	{ "fdata", no_argument, NULL, OPTION_FDATA },
	{ "debug-dir", required_argument, NULL, OPTION_DEBUG_DIR },
	{ "symfs", required_argument, NULL, OPTION_SYMFS },
	{ "weight", required_argument, NULL, OPTION_WEIGHT },
	{ "skip-first", required_argument, NULL, OPTION_SKIP },
	{ "phase", required_argument, NULL, OPTION_PHASE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct request {
	struct pf_convert_options options;
	const char **binaries; /* room for as many as there are arguments */
	const char *output;
	uint32_t phase; /* 0: all */
	bool fdata, json, quiet, help;
};

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

static bool parse_phase(const char *text, uint32_t *phase)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && value > 0 && value < 1000000) {
		*phase = (uint32_t)value;
		return true;
	}
	fprintf(stderr, "pathfdo convert: --phase=%s: must be a number from 1 on, as pathfdo hotspots has it\n", text);
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
		case OPTION_FDATA:
			r->fdata = true;
			break;
		case OPTION_DEBUG_DIR:
			r->options.locate.debug_dir = optarg;
			break;
		case OPTION_SYMFS:
			r->options.locate.symfs = optarg;
			break;
		case OPTION_WEIGHT:
			good = pf_vector_weight("convert", optarg, &r->options.intake.weighting);
			break;
		case OPTION_SKIP:
			good = parse_skip(optarg, &r->options.intake.warm_up);
			break;
		case OPTION_PHASE:
			good = parse_phase(optarg, &r->phase);
			break;
		case OPTION_JSON:
			r->json = true;
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
	if (r->phase && files[1])
		return "--phase is of one recording";
	if (r->fdata && r->options.locate.binary_count > 1)
		return "--fdata is of one binary: name one with -b";
	if (r->json && pf_output_is_standard(r->output))
		return "--json prints on standard output: name a file with -o";
	return r->output ? NULL : "no -o PROFILE";
}

/* The recordings, and the files that stand for binaries and their debug information, are not the output. */
static int spare_inputs(const struct request *r, const char *const *files, size_t count,
			const struct pf_program *program, struct pf_error *error)
{
	int status = PF_OK;

	for (size_t i = 0; i < count && status == PF_OK; i++)
		status = pf_outfile_spares(r->output, files[i], error);
	for (size_t i = 0; program->modules && i < program->traffic->modules.count && status == PF_OK; i++) {
		const struct pf_traffic_module *m = &program->traffic->modules.at[i];

		status = pf_outfile_spares(r->output, m->path, error);
		for (size_t k = 0; k < m->names.count && status == PF_OK; k++)
			status = pf_outfile_spares(r->output, m->names.at[k], error);
		if (status == PF_OK)
			status = pf_program_spare(&program->modules[i], r->output, error);
	}
	return status;
}

static int write_fdata(const struct pf_buffer *fdata, const char *path, struct pf_error *error)
{
	return fdata->failed ? pf_fail(error, PF_ENOMEM, "%s: out of memory", path)
			     : pf_outfile_write(path, fdata->data, fdata->size, error);
}

static int convert(const struct request *r, const char *const *files, size_t count)
{
	struct pf_conversion conversion;
	struct pf_buffer fdata = { 0 };
	struct pf_error error;
	int status = r->fdata ? pf_convert_fdata(&conversion, files, count, &r->options, &fdata, &error)
			      : pf_convert(&conversion, files, count, &r->options, &error);

	if (status == PF_OK)
		status = spare_inputs(r, files, count, &conversion.program, &error);
	if (status == PF_OK)
		status = r->fdata ? write_fdata(&fdata, r->output, &error)
				  : pf_pfdo_write(conversion.profile, r->output, &error);
	pf_account_print(&conversion, r->quiet || r->json, status < 0);
	if (r->json && pf_account_json(&conversion, status < 0 ? error.text : NULL) != 0 && status == PF_OK)
		status = pf_fail(&error, PF_ENOMEM, "out of memory for the account");
	pf_buffer_fini(&fdata);
	if (status == PF_OK && !r->fdata)
		pf_trust_print(&conversion.traffic, &conversion.profile->agreement, r->quiet || r->json);
	if (status < 0)
		fprintf(stderr, "pathfdo convert: %s\n", error.text);
	pf_conversion_fini(&conversion);
	return status == PF_OK ? 0 : PF_EXIT_FAILURE;
}

static int fail(const struct pf_error *error)
{
	fprintf(stderr, "pathfdo convert: %s\n", error->text);
	return PF_EXIT_FAILURE;
}

/* Converts the phase of FILE that is asked for, which for that becomes a recording of its own. */
static int convert_phase(const struct request *r, const char *file)
{
	char name[32];
	const char *part = name;
	struct pf_error error;
	int status = pf_outfile_spares(r->output, file, &error), fd;

	if (status != PF_OK)
		return fail(&error);
	fd = pf_spool_file(name, &error);
	if (fd < 0)
		return fail(&error);
	status = pf_phase_file_write(file, name, r->phase, &error);
	status = status == PF_OK ? convert(r, &part, 1) : fail(&error);
	close(fd);
	return status;
}

static int run(int argc, char **argv, struct request *r)
{
	bool good = parse(argc, argv, r);
	const char *fault = good && !r->help ? find_fault(r, argv + optind) : NULL;
	const char **files = (const char **)argv + optind;
	size_t count = (size_t)(argc - optind);
	int status;

	if (r->help)
		fputs(usage_text, stdout);
	if (fault)
		fprintf(stderr, "pathfdo convert: %s\n", fault);
	if (!good || fault) {
		fprintf(stderr, "`pathfdo convert --help` tells the options.\n");
		return PF_EXIT_USAGE;
	}
	if (r->help)
		return 0;
	status = pf_spool("convert", files, count);
	if (status)
		return status;
	return r->phase ? convert_phase(r, files[0]) : convert(r, files, count);
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
