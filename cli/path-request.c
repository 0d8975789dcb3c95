/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `pathfdo paths`.  The hard case is what cannot go together: two kinds of output at once, or an option
 * of one kind with another. */
#include "cli/path-request.h"

#include "cli/output.h"
#include "support/infile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char pf_path_usage[] =
    "usage: pathfdo paths [OPTION]... -b BINARY FILE...\n"
    "       pathfdo paths --exact [OPTION]... NAME.PID.paths...\n\n"
    "Tells which acyclic paths the functions of BINARY ran, and how often, from perf.data files with branch "
    "vectors.\n\n"
    "  -b, --binary=FILE      the program or library that was recorded\n"
    "  -o, --output=FILE      write the path profile\n"
    "      --credit=HOW       of what is seen of a path only in part: likely (default), equal, none\n"
    "      --threshold=PCT    share of all flow that makes a path hot, in percent (default 0.125,\n"
    "                         of counted paths 1)\n"
    "      --top=N            list the N hottest paths (default 20)\n"
    "      --links=N          list the N most frequent successions of paths, which the cuts between paths lose\n"
    "      --exact            the FILEs are path profiles (of -o, or of instrumented programs), which add up\n"
    "      --against=FILE     compare with an exact path profile of the same binary\n"
    "      --weight=HOW       what a vector counts: rate (default), period, none\n"
    "      --length=N         use only the first N branches of each vector\n"
    "      --every=N          use only each N-th vector\n"
    "      --json             print JSON\n"
    "      --html=FILE        write a page for a browser: each path in its source and its flow graph\n"
    "      --source=DIR       with --html: look for sources in DIR, too; may be repeated\n"
    "      --debug-dir=DIR    search separate debug files here before /usr/lib/debug\n"
    "      --symfs=DIR        prefix of the recorded paths\n"
    "  -h, --help             this text\n";

enum { OPTION_CREDIT = 256, OPTION_THRESHOLD, OPTION_TOP, OPTION_LINKS, OPTION_EXACT, OPTION_HTML, OPTION_SOURCE };

static const struct option options_table[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "credit", required_argument, NULL, OPTION_CREDIT },
	{ "threshold", required_argument, NULL, OPTION_THRESHOLD },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ "links", required_argument, NULL, OPTION_LINKS },
	{ "exact", no_argument, NULL, OPTION_EXACT },
	{ "html", required_argument, NULL, OPTION_HTML },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	PF_VECTOR_OPTIONS,
	{ 0 },
};

static bool parse_credit(const char *text, enum pf_path_credit *credit)
{
	static const char *const names[] = { "likely", "equal", "none" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(text, names[i]) == 0) {
			*credit = (enum pf_path_credit)i;
			return true;
		}
	}
	fprintf(stderr, "pathfdo paths: --credit=%s: must be likely, equal or none\n", text);
	return false;
}

static bool parse_threshold(const char *text, double *threshold)
{
	char *end;
	double percent = strtod(text, &end);

	if (*text >= '0' && *text <= '9' && !*end && percent > 0 && percent <= 100) {
		*threshold = percent / 100;
		return true;
	}
	fprintf(stderr, "pathfdo paths: --threshold=%s: must be a number above 0, and at most 100\n", text);
	return false;
}

static bool parse_folder(struct pf_path_request *r, const char *folder)
{
	struct pf_error error;

	if (r->folder_count == PF_PATH_FOLDERS) {
		fprintf(stderr, "pathfdo paths: --source is given too often\n");
		return false;
	}
	if (pf_infile_check_folder("--source", folder, &error) < 0) {
		fprintf(stderr, "pathfdo paths: %s\n", error.text);
		return false;
	}
	r->folders[r->folder_count++] = folder;
	return true;
}

/* Options that exclude each other. */
static bool agree(const struct pf_path_request *r)
{
	const char *fault = NULL;

	if (r->common.json && pf_output_is_standard(r->output))
		fault = "--json prints on standard output: name a file with -o";
	if (pf_output_is_standard(r->output) && pf_output_is_standard(r->html))
		fault = "only one thing at a time can go to standard output: name files";
	if (pf_output_is_same(r->output, r->html))
		fault = "-o and --html are one file: name two";
	if (r->html && (r->common.json || r->common.against || r->links > 0))
		fault = "--html is without --json, --against and --links";
	if (r->folder_count > 0 && !r->html)
		fault = "--source goes with --html";
	if (fault)
		fprintf(stderr, "pathfdo paths: %s\n", fault);
	return !fault;
}

bool pf_path_request_parse(int argc, char **argv, struct pf_path_request *r)
{
	bool good = true;
	int option;

	optind = 1;
	while (good && (option = getopt_long(argc, argv, "b:o:h", options_table, NULL)) >= 0) {
		switch (option) {
		case 'o':
			r->output = optarg;
			break;
		case OPTION_CREDIT:
			good = parse_credit(optarg, &r->credit);
			break;
		case OPTION_THRESHOLD:
			good = parse_threshold(optarg, &r->threshold);
			break;
		case OPTION_LINKS:
			good = pf_vector_number(&r->common, "links", optarg, 1000000, &r->links);
			break;
		case OPTION_EXACT:
			r->exact = true;
			break;
		case OPTION_HTML:
			r->html = optarg;
			break;
		case OPTION_SOURCE:
			good = parse_folder(r, optarg);
			break;
		case OPTION_TOP:
			good = pf_vector_number(&r->common, "top", optarg, 1000000, &r->top);
			break;
		default:
			good = pf_vector_option(&r->common, option);
		}
	}
	r->folders[r->folder_count] = ".";
	return good && agree(r);
}
