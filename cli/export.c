/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo export`: a profile in the format of another tool.  Hard case: formats that can say less than the profile
 * does; what is lost on the way is told, a line each. */
#include "cli/commands.h"
#include "profile/exporting.h"
#include "profile/pfdo.h"
#include "support/outfile.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct options {
	const char *input, *output;
	const struct pf_export_format *format;
};

static void print_help(void)
{
	fputs("usage: pathfdo export --format=FORMAT FILE.pfdo -o FILE\n"
	      "\n"
	      "Writes a profile in the format of another tool.  '-' is standard input or output.\n"
	      "\n"
	      "      --format FORMAT   one of:\n",
	      stdout);
	for (const struct pf_export_format *format = pf_export_formats; format->name; format++)
		printf("                          %-8s%s\n", format->name, format->help);
	fputs("  -o, --output FILE     where to write it\n"
	      "  -h, --help            this text\n",
	      stdout);
}

static int usage_error(const char *what)
{
	fprintf(stderr, "pathfdo export: %s\n`pathfdo export --help` tells the options.\n", what);
	return PF_EXIT_USAGE;
}

static int unknown_format(const char *name)
{
	fprintf(stderr, "pathfdo export: there is no format '%s'; there are:", name);
	for (const struct pf_export_format *format = pf_export_formats; format->name; format++)
		fprintf(stderr, " %s", format->name);
	fputs("\n", stderr);
	return PF_EXIT_USAGE;
}

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
		switch (option) {
		case 'f':
			options->format = pf_export_find(optarg);
			if (!options->format)
				return unknown_format(optarg);
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'h':
			print_help();
			return 0;
		default:
			fputs("`pathfdo export --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	return -1;
}

static int check_options(int argc, char **argv, struct options *options)
{
	if (!options->format)
		return usage_error("--format is missing");
	if (!options->output)
		return usage_error("-o is missing");
	if (optind + 1 != argc)
		return usage_error(optind == argc ? "which profile?" : "one profile at a time");
	options->input = argv[optind];
	return -1;
}

/* Each line with the command's name in front. */
static void print_notes(const struct pf_buffer *notes)
{
	const char *at = (const char *)notes->data, *end = at + notes->size;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		fprintf(stderr, "pathfdo export: %.*s\n", (int)(stop - at), at);
		at = stop + 1;
	}
}

int pf_cmd_export(int argc, char **argv)
{
	struct options options = { 0 };
	struct pf_profile *profile = NULL;
	struct pf_buffer notes = { 0 };
	struct pf_error error = { 0 };
	int status = parse_options(argc, argv, &options);

	if (status < 0)
		status = check_options(argc, argv, &options);
	if (status >= 0)
		return status;
	status = pf_outfile_spares(options.output, options.input, &error);
	if (status == PF_OK)
		status = pf_pfdo_read(options.input, &profile, &error);
	if (status == PF_OK)
		status = pf_export_write(profile, options.input, options.format, options.output, &notes, &error);
	if (status < 0)
		fprintf(stderr, "pathfdo export: %s\n", error.text);
	else if (notes.data)
		print_notes(&notes);
	pf_buffer_fini(&notes);
	pf_profile_free(profile);
	return status < 0 ? PF_EXIT_FAILURE : 0;
}
