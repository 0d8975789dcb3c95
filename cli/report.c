/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo report`: what a build made of its profile, once for all of its compiles.  A compile by itself says little:
 * it knows neither whether the next file fits nor what the program is linked from.  Nor does it know of files that were
 * not compiled: that is asked of the program (report-binary.c). */
#include "analysis/buildlog.h"
#include "cli/commands.h"
#include "cli/demangle.h"
#include "cli/output.h"
#include "cli/report-binary.h"
#include "support/jsontext.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FEW 10 /* functions and reasons that are named */

static const char help[] =
    "usage: pathfdo report [OPTION]... FILE\n"
    "       pathfdo report [OPTION]... [--profile=FILE.pfdo] PROGRAM\n"
    "\n"
    "Sums up what a build made of its profile.  FILE is what the compiles have written, each as it came:\n"
    "    make clean && make CFLAGS=\"-O2 -g $(pathfdo cflags --report=build.report app.pfdo)\"\n"
    "    pathfdo report build.report\n"
    "Of a program or a library it tells which files were compiled for a profile, and which were not:\n"
    "    pathfdo report --profile=app.pfdo ./app\n"
    "\n"
    "      --profile FILE   the profile that PROGRAM is meant to be compiled for; status 1 if a part of it is lost\n"
    "      --debug-dir DIR  where PROGRAM's debug information is, if not in it; before /usr/lib/debug\n"
    "      --all            all stale functions, or files, not the first ten\n"
    "      --json           as JSON\n"
    "  -h, --help           this text\n";

static void print_stale(const struct pf_buildlog_list *list, bool all)
{
	for (size_t i = 0; i < list->count && (all || i < FEW); i++) {
		char *name = pf_demangle(list->items[i].name);

		printf("    %s  %s\n", pf_output_name(list->items[i].place), name ? name : list->items[i].name);
		free(name);
	}
	if (!all && list->count > FEW)
		printf("    and %zu more; --all lists them\n", list->count - FEW);
}

static void print_refusals(const struct pf_buildlog_list *list)
{
	for (size_t i = 0; i < list->count && i < FEW; i++)
		printf("    %" PRIu64 ": %s\n", list->items[i].count, pf_output_name(list->items[i].name));
}

static void print_text(const struct pf_buildlog *log, bool all)
{
	printf("files      %" PRIu64 " compiled", log->files);
	if (log->foreign)
		printf(", %" PRIu64 " of them no part of the profiled program", log->foreign);
	printf("\nfunctions  %" PRIu64 " matched, %" PRIu64 " stale, %" PRIu64 " not seen when the profile was made\n",
	       log->matched, log->stale, log->unmatched);
	print_stale(&log->stale_functions, all);
	printf("calls      %" PRIu64 " inlined again as in the profiled binary, %" PRIu64 " not; %" PRIu64
	       " indirect ones made direct\n",
	       log->inlined, log->refused, log->promoted);
	print_refusals(&log->refusals);
	if (log->older)
		printf("warning: %" PRIu64
		       " files were compiled for another profile than the last one; compile them again\n",
		       log->older);
	if (!log->matched)
		printf("warning: no function has counts: the profile is of another program, or all of it has changed; "
		       "record the "
		       "program that is built here\n");
	else if (log->stale > log->matched)
		printf("warning: more functions are stale than fit; record the program anew\n");
}

static void put_json(struct pf_buffer *out, const struct pf_buildlog *log)
{
	pf_buffer_printf(out, "{\"files\": %" PRIu64, log->files);
	pf_json_put_count(out, "older", log->older);
	pf_json_put_count(out, "foreign", log->foreign);
	pf_json_put_count(out, "matched", log->matched);
	pf_json_put_count(out, "stale", log->stale);
	pf_json_put_count(out, "unmatched", log->unmatched);
	pf_json_put_count(out, "inlined", log->inlined);
	pf_json_put_count(out, "refused", log->refused);
	pf_json_put_count(out, "promoted", log->promoted);
	pf_buffer_printf(out, ",\n\"stale_functions\": [");
	for (size_t i = 0; i < log->stale_functions.count; i++) {
		pf_buffer_printf(out, "%s{\"function\": ", i ? ",\n " : "\n ");
		pf_json_put_string(out, log->stale_functions.items[i].name);
		pf_json_put_field(out, "place", log->stale_functions.items[i].place);
		pf_buffer_printf(out, "}");
	}
	pf_buffer_printf(out, "],\n\"reasons\": {");
	for (size_t i = 0; i < log->refusals.count; i++) {
		pf_buffer_printf(out, i ? ",\n " : "\n ");
		pf_json_put_string(out, log->refusals.items[i].name);
		pf_buffer_printf(out, ": %" PRIu64, log->refusals.items[i].count);
	}
	pf_buffer_printf(out, "}}\n");
}

static int print_json(const struct pf_buildlog *log)
{
	struct pf_buffer out = { 0 };

	put_json(&out, log);
	return pf_output_print("report", &out);
}

static int report_on_log(const char *path, bool all, bool json)
{
	struct pf_buildlog log;
	struct pf_error error;
	int status = 0;

	if (pf_buildlog_read(path, &log, &error) < 0) {
		fprintf(stderr, "pathfdo report: %s\n", error.text);
		return PF_EXIT_FAILURE;
	}
	if (json)
		status = print_json(&log);
	else
		print_text(&log, all);
	pf_buildlog_fini(&log);
	return status;
}

int pf_cmd_report(int argc, char **argv)
{
	static const struct option longs[] = { { "all", no_argument, NULL, 'a' },
					       { "json", no_argument, NULL, 'j' },
					       { "profile", required_argument, NULL, 'p' },
					       { "debug-dir", required_argument, NULL, 'd' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	struct pf_report_binary asked = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		asked.all |= option == 'a';
		asked.json |= option == 'j';
		if (option == 'p')
			asked.profile = optarg;
		if (option == 'd')
			asked.debug_dir = optarg;
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == '?') {
			fputs("`pathfdo report --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	if (optind + 1 != argc) {
		fputs("pathfdo report: name one file, which the compiles have written, or the program\n"
		      "`pathfdo report --help` tells the options.\n",
		      stderr);
		return PF_EXIT_USAGE;
	}
	if (pf_report_is_binary(argv[optind]))
		return pf_report_on_binary(argv[optind], &asked);
	if (access(argv[optind], R_OK) == 0 && (asked.profile || asked.debug_dir)) {
		fprintf(stderr, "pathfdo report: %s: --profile and --debug-dir are for programs, and this is none\n",
			argv[optind]);
		return PF_EXIT_FAILURE;
	}
	return report_on_log(argv[optind], asked.all, asked.json);
}
