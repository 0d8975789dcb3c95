/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo show`: the functions of a profile, or all of it as text, JSON or a page, and back from text.  Hard case: a
 * profile of hundreds of megabytes, so one function at a time is formatted and printed, and nothing more once nobody
 * takes it. */
#include "cli/commands.h"
#include "cli/demangle.h"
#include "cli/page.h"
#include "cli/pager.h"
#include "cli/percent.h"
#include "profile/agreement.h"
#include "profile/json.h"
#include "profile/pfdo.h"
#include "profile/text.h"
#include "support/infile.h"
#include "support/outfile.h"
#include "support/wholefile.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *input, *output, *function, *from, *html;
	struct pf_page page;
	uint64_t top; /* 0: all */
	bool functions, summary, json, text, no_pager;
};

static const char help[] =
    "usage: pathfdo show [OPTION]... FILE.pfdo\n"
    "       pathfdo show --from-text FILE -o FILE.pfdo\n"
    "\n"
    "Lists the functions of a profile, hottest first, or prints what else is in it.  '-' is standard input or output.\n"
    "\n"
    "  -n, --top N           only the N hottest functions\n"
    "      --text            all that is in it, as text\n"
    "      --function NAME   all that is known of the function NAME (its linkage name, or as people write it), as "
    "text\n"
    "      --summary         only what the profile was made from, and how its counts are distributed\n"
    "      --json            as JSON; with --functions without what is in the functions\n"
    "      --functions       the list, which is also what no option gives\n"
    "      --html FILE       write a page for a browser: functions, source with counts, hot paths\n"
    "      --report FILE     with --html: what a build made of the profile (pathfdo cflags --report)\n"
    "      --source DIR      with --html: look for sources in DIR, too; may be repeated\n"
    "      --no-pager        print to the terminal without a pager\n"
    "      --from-text FILE  read the text form and write a profile\n"
    "  -o, --output FILE     where to write the profile that --from-text makes\n"
    "  -h, --help            this text\n";

static int usage_error(const char *what)
{
	fprintf(stderr, "pathfdo show: %s\n`pathfdo show --help` tells the options.\n", what);
	return PF_EXIT_USAGE;
}

static int failure(const struct pf_error *error)
{
	fprintf(stderr, "pathfdo show: %s\n", error->text);
	return PF_EXIT_FAILURE;
}

/* Prints what is in OUT and empties it.  False when nobody reads any more. */
static bool flush(struct pf_buffer *out)
{
	bool good = !out->failed && fwrite(out->data, 1, out->size, stdout) == out->size;

	out->size = 0;
	return good;
}

/* Prints the rest; whether standard output took it all is for main to say. */
static int finish_output(struct pf_buffer *out)
{
	struct pf_error error;
	bool memory = out->failed;

	flush(out);
	pf_buffer_fini(out);
	if (!memory)
		return 0;
	pf_fail(&error, PF_ENOMEM, "out of memory for what is to be shown");
	return failure(&error);
}

static int by_descending_total(const void *a, const void *b)
{
	const struct pf_function *x = *(const struct pf_function *const *)a, *y = *(const struct pf_function *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x < y ? -1 : x > y; /* in the profile's order, which is by name */
}

static bool is_list(const struct options *options)
{
	return !options->text && !options->function && !options->json && !options->summary;
}

/* The functions to show; NULL when out of memory.  Ordered by heat when it matters, else by name. */
static const struct pf_function **select_functions(const struct pf_profile *profile, const struct options *options,
						   uint32_t *count)
{
	const struct pf_function **selected = calloc((size_t)profile->function_count + 1, sizeof *selected);

	*count = 0;
	for (uint32_t f = 0; selected && f < profile->function_count; f++) {
		if (!options->function || pf_demangle_matches(profile->functions[f].name, options->function))
			selected[(*count)++] = &profile->functions[f];
	}
	if (selected && (options->functions || options->top || is_list(options)))
		qsort(selected, *count, sizeof *selected, by_descending_total);
	if (options->top && *count > options->top)
		*count = (uint32_t)options->top;
	return selected;
}

/* NAME as people write it.  What is no name of C++ is quoted as in the text form, if need be. */
static void put_name(struct pf_buffer *out, const char *name)
{
	char *demangled = pf_demangle_brief(name);

	if (!demangled || strcmp(demangled, name) == 0 || strncmp(name, "_Z", 2) != 0)
		pf_text_put_word(out, name);
	else
		pf_buffer_printf(out, "%s", demangled);
	free(demangled);
}

static void put_function_line(struct pf_buffer *out, const struct pf_function *function, uint64_t total)
{
	pf_buffer_printf(out, "%6.2f%% %14" PRIu64 " %14" PRIu64 "  ", pf_percent(function->total, total),
			 function->total, function->head);
	put_name(out, function->name);
	pf_buffer_printf(out, "  ");
	pf_text_put_word(out, function->file);
	pf_buffer_printf(out, ":%" PRIu32 "\n", function->line);
}

static void put_summary(struct pf_buffer *out, const struct pf_profile *profile, const struct pf_summary *summary)
{
	uint32_t agreement = pf_agreement_permille(&profile->agreement);

	pf_text_put_head(out, profile);
	pf_buffer_printf(out,
			 "\ncompiled %" PRIu32 "\nfunctions %" PRIu32 "\npositions %" PRIu64 "\ntotal %" PRIu64
			 "\nmaximum %" PRIu64 "\n",
			 profile->compiled_count, summary->function_count, summary->positions, summary->total,
			 summary->maximum);
	if (agreement != PF_AGREEMENT_UNKNOWN)
		pf_buffer_printf(out, "halves agree to %u.%u%% by %" PRIu64 " looks\n", agreement / 10, agreement % 10,
				 profile->agreement.looks);
	pf_buffer_printf(out, "\n share   positions    each at least\n");
	for (size_t i = 0; i < PF_CUTOFF_COUNT; i++)
		pf_buffer_printf(out, "%5.1f%% %11" PRIu64 " %16" PRIu64 "\n", summary->cutoffs[i].permille / 10.0,
				 summary->cutoffs[i].positions, summary->cutoffs[i].minimum);
}

/* Whether everything is to be shown: then also what belongs to no function. */
static bool is_whole(const struct options *options)
{
	return !options->functions && !options->top && !options->function && !options->summary && !is_list(options);
}

static void show_text(struct pf_buffer *out, const struct pf_profile *profile, const struct pf_summary *summary,
		      const struct options *options, const struct pf_function **selected, uint32_t count)
{
	if (options->summary) {
		put_summary(out, profile, summary);
		return;
	}
	if (is_list(options))
		pf_buffer_printf(out, "  share          total           head  function  declared\n");
	else
		pf_text_put_head(out, profile);
	for (uint32_t f = 0; f < count; f++) {
		if (is_list(options))
			put_function_line(out, selected[f], summary->total);
		else
			pf_text_put_function(out, selected[f]);
		if (!flush(out))
			return;
	}
	if (is_whole(options))
		pf_text_put_compiled(out, profile);
}

static void show_json(struct pf_buffer *out, const struct pf_profile *profile, const struct pf_summary *summary,
		      const struct options *options, const struct pf_function **selected, uint32_t count)
{
	pf_buffer_printf(out, "{\"format\": \"pathfdo-profile\", \"version\": 1, \"unit\": \"%s\",\n\"summary\": ",
			 profile->unit == PF_UNIT_SAMPLES ? "samples" : "executions");
	pf_json_put_summary(out, summary);
	pf_buffer_printf(out, ",\n\"provenance\": [");
	for (uint32_t p = 0; p < profile->provenance_count; p++) {
		pf_buffer_printf(out, p ? ",\n " : "\n ");
		pf_json_put_provenance(out, &profile->provenances[p]);
	}
	pf_buffer_printf(out, "]");
	if (profile->agreement.looks > 0) {
		pf_buffer_printf(out, ",\n\"agreement\": ");
		pf_json_put_agreement(out, &profile->agreement);
	}
	pf_buffer_printf(out, ",\n\"compiled_count\": %" PRIu32, profile->compiled_count);
	if (is_whole(options)) {
		pf_buffer_printf(out, ",\n\"compiled\": ");
		pf_json_put_compiled(out, profile);
	}
	if (!options->summary)
		pf_buffer_printf(out, ",\n\"functions\": [");
	for (uint32_t f = 0; !options->summary && f < count; f++) {
		pf_buffer_printf(out, f ? ",\n" : "\n");
		pf_json_put_function(out, selected[f], !options->functions);
		if (!flush(out))
			return;
	}
	pf_buffer_printf(out, options->summary ? "}\n" : "]}\n");
}

/* NAME is no function of the profile.  It may be in some, inlined: the first of them is named. */
static int fail_to_select(const struct pf_profile *profile, const struct options *options, struct pf_error *error)
{
	const char *host = NULL;
	uint32_t hosts = 0;

	for (uint32_t f = 0; f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];
		bool inlined = false;

		for (uint32_t n = 1; n < function->node_count && !inlined; n++)
			inlined = pf_demangle_matches(function->nodes[n].name, options->function);
		host = inlined && !host ? function->name : host;
		hosts += inlined;
	}
	if (host)
		return pf_fail(error, PF_ENOTFOUND,
			       "%s: no function is named '%s', but it was inlined into '%s', and into %" PRIu32
			       " others: show that",
			       pf_infile_name(options->input), options->function, host, hosts - 1);
	return pf_fail(error, PF_ENOTFOUND,
		       "%s: no function is named '%s'; without --function those that there are are listed",
		       pf_infile_name(options->input), options->function);
}

static int show_profile(const struct pf_profile *profile, const struct options *options, struct pf_error *error)
{
	struct pf_buffer out = { 0 };
	struct pf_summary summary;
	const struct pf_function **selected;
	uint32_t count;
	pid_t pager;
	int status;

	if (pf_profile_summarise(profile, &summary, error) < 0)
		return failure(error);
	selected = select_functions(profile, options, &count);
	if (!selected) {
		pf_fail(error, PF_ENOMEM, "%s: out of memory", options->input);
		return failure(error);
	}
	if (options->function && !count) {
		free(selected);
		fail_to_select(profile, options, error);
		return failure(error);
	}
	pager = pf_pager_start(options->no_pager || options->json);
	(options->json ? show_json : show_text)(&out, profile, &summary, options, selected, count);
	free(selected);
	status = finish_output(&out);
	pf_pager_wait(pager);
	return status;
}

static int from_text(const struct options *options, struct pf_error *error)
{
	struct pf_profile *profile = NULL;
	struct pf_buffer text = { 0 };
	int status = pf_outfile_spares(options->output, options->from, error);

	if (status == PF_OK)
		status = pf_wholefile_read(options->from, &text, error);
	if (status == PF_OK)
		status = pf_text_read(pf_infile_name(options->from), text.data ? (const char *)text.data : "",
				      text.size, &profile, error);
	if (status == PF_OK)
		status = pf_pfdo_write(profile, options->output, error);
	pf_buffer_fini(&text);
	pf_profile_free(profile);
	return status < 0 ? failure(error) : 0;
}

static bool parse_top(const char *text, uint64_t *top)
{
	char *end;

	errno = 0;
	*top = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *top;
}

enum {
	OPTION_FUNCTIONS = 256,
	OPTION_FUNCTION,
	OPTION_SUMMARY,
	OPTION_JSON,
	OPTION_TEXT,
	OPTION_FROM,
	OPTION_HTML,
	OPTION_REPORT,
	OPTION_SOURCE,
	OPTION_PAGER
};

static const struct option longs[] = {
	{ "functions", no_argument, NULL, OPTION_FUNCTIONS },
	{ "top", required_argument, NULL, 'n' },
	{ "function", required_argument, NULL, OPTION_FUNCTION },
	{ "summary", no_argument, NULL, OPTION_SUMMARY },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "text", no_argument, NULL, OPTION_TEXT },
	{ "html", required_argument, NULL, OPTION_HTML },
	{ "report", required_argument, NULL, OPTION_REPORT },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "no-pager", no_argument, NULL, OPTION_PAGER },
	{ "from-text", required_argument, NULL, OPTION_FROM },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int option;

	while ((option = getopt_long(argc, argv, "n:o:h", longs, NULL)) != -1) {
		switch (option) {
		case OPTION_FUNCTIONS:
			options->functions = true;
			break;
		case 'n':
			if (!parse_top(optarg, &options->top))
				return usage_error("--top takes a number from 1 on");
			break;
		case OPTION_FUNCTION:
			options->function = optarg;
			break;
		case OPTION_SUMMARY:
			options->summary = true;
			break;
		case OPTION_JSON:
			options->json = true;
			break;
		case OPTION_TEXT:
			options->text = true;
			break;
		case OPTION_FROM:
			options->from = optarg;
			break;
		case OPTION_HTML:
			options->html = optarg;
			break;
		case OPTION_REPORT:
			options->page.report = optarg;
			break;
		case OPTION_SOURCE:
			if (options->page.folder_count == PF_PAGE_FOLDERS)
				return usage_error("--source is given too often");
			options->page.folders[options->page.folder_count++] = optarg;
			break;
		case OPTION_PAGER:
			options->no_pager = true;
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs("`pathfdo show --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	return -1;
}

static int check_options(int argc, char **argv, struct options *options)
{
	bool selects = options->functions || options->top || options->function || options->summary || options->json ||
		       options->text || options->html;

	if (options->from) {
		if (optind < argc || selects)
			return usage_error("--from-text goes with -o alone");
		return options->output ? -1 : usage_error("--from-text needs -o FILE");
	}
	if (options->output)
		return usage_error("-o goes with --from-text; the text goes to standard output");
	if (optind + 1 != argc)
		return usage_error(optind == argc ? "which profile?" : "one profile at a time");
	if (options->summary && (options->functions || options->top || options->function))
		return usage_error("--summary shows no functions");
	if (options->html && (options->functions || options->top || options->function || options->summary ||
			      options->json || options->text))
		return usage_error("--html is of the whole profile");
	if (options->text && (options->json || options->summary || options->functions))
		return usage_error("--text is a form of its own: give it without --json, --summary and --functions");
	if (!options->html && (options->page.report || options->page.folder_count))
		return usage_error("--report and --source go with --html");
	options->input = argv[optind];
	return -1;
}

static int check_folders(const struct pf_page *page, struct pf_error *error)
{
	int status = PF_OK;

	for (int i = 0; i < page->folder_count && status == PF_OK; i++)
		status = pf_infile_check_folder("--source", page->folders[i], error);
	return status;
}

int pf_cmd_show(int argc, char **argv)
{
	struct options options = { 0 };
	struct pf_profile *profile;
	struct pf_error error = { 0 };
	int status = parse_options(argc, argv, &options);

	if (status < 0)
		status = check_options(argc, argv, &options);
	if (status >= 0)
		return status;
	if (options.from)
		return from_text(&options, &error);
	if (pf_pfdo_read(options.input, &profile, &error) < 0)
		return failure(&error);
	if (!options.html)
		status = show_profile(profile, &options, &error);
	else if (check_folders(&options.page, &error) < 0 ||
		 pf_outfile_spares(options.html, options.input, &error) < 0 ||
		 pf_outfile_spares(options.html, options.page.report, &error) < 0 ||
		 pf_page_write(profile, options.input, &options.page, options.html, &error) < 0)
		status = failure(&error);
	else
		status = 0;
	pf_profile_free(profile);
	return status;
}
