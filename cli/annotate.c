/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo annotate`: source lines with their counts, and what was inlined where.  The hard case is a source that is
 * not here, or is another version than was profiled: that is said, and the counts are shown all the same, by line
 * numbers. */
#include "cli/commands.h"
#include "cli/demangle.h"
#include "cli/line-heat.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/percent.h"
#include "cli/source-age.h"
#include "profile/pfdo.h"
#include "support/array.h"
#include "support/filename.h"
#include "support/infile.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FOLDERS 16
#define FRAME 2 /* lines shown before the first and behind the last that ran */

struct options {
	const char *folders[MAX_FOLDERS + 2];
	struct timespec made; /* what was profiled */
	int folder_count;
	bool no_pager;
};

static const char help[] =
    "usage: pathfdo annotate [OPTION]... FILE.pfdo FUNCTION|SOURCE...\n"
    "\n"
    "Prints source with how often each line ran, which way its branches went, and what was inlined there.  A function\n"
    "is named as people write it (work, app::Table::find) or by its linkage name; a source by the end of its path.\n"
    "\n"
    "      --source DIR  look for sources in DIR, too; may be repeated\n"
    "      --no-pager    print to the terminal without a pager\n"
    "  -h, --help        this text\n";

static int failure(const char *text)
{
	fprintf(stderr, "pathfdo annotate: %s\n", text);
	return PF_EXIT_FAILURE;
}

static void print_margin(const struct pf_heat *heat, const struct pf_heat_line *line)
{
	static const char marks[] = " .:-=+*#";
	uint64_t sides = line ? line->taken / 2 + line->fell / 2 : 0;
	size_t mark = line && line->count ? 1 + (size_t)((double)line->count / (double)heat->maximum * 6.0) : 0;

	if (line)
		printf("%12" PRIu64 " %c ", line->count, marks[mark]);
	else
		printf("%12s   ", "");
	if (sides || (line && (line->taken || line->fell)))
		printf("%4.0f%%", 100.0 * (double)line->taken / ((double)line->taken + (double)line->fell));
	else
		printf("     ");
}

/* What is inlined at LINE, behind it; *AT goes on. */
static void print_inlines(const struct pf_heat *heat, uint32_t line, size_t *at)
{
	for (; *at < heat->inline_count && heat->inlines[*at].line <= line; ++*at) {
		char *name = heat->inlines[*at].line == line ? pf_demangle(heat->inlines[*at].name) : NULL;

		if (name)
			printf("%28s> inlined %" PRIu64 " times: %s\n", "", heat->inlines[*at].entries, name);
		free(name);
	}
}

/* The lines from FIRST on, SOURCE's text beside them where it is there. */
static void print_lines(const struct pf_heat *heat, FILE *source)
{
	uint32_t first = heat->first > FRAME ? heat->first - FRAME : 1, last = heat->lines[heat->line_count - 1].line;
	size_t at = 0, inlined = 0, room = 0;
	char *text = NULL;

	printf("%12s   %5s %6s\n", "count", "taken", "line");
	for (uint32_t line = 1; source && line <= (uint64_t)last + FRAME; line++) {
		ssize_t length = getline(&text, &room, source);

		if (length < 0)
			break;
		for (; at < heat->line_count && heat->lines[at].line < line; at++)
			;
		bool ran = at < heat->line_count && heat->lines[at].line == line;
		if (line < first && !ran)
			continue;
		print_margin(heat, ran ? &heat->lines[at] : NULL);
		printf(" %6" PRIu32 "  %s%s", line, text, text[length - 1] == '\n' ? "" : "\n");
		print_inlines(heat, line, &inlined);
		at += ran;
	}
	for (; at < heat->line_count; at++) {
		print_margin(heat, &heat->lines[at]);
		printf(" %6" PRIu32 "  %s\n", heat->lines[at].line,
		       source ? "(behind the end of the file: it has changed)" : "");
		print_inlines(heat, heat->lines[at].line, &inlined);
	}
	free(text);
}

static void print_heat(const struct options *options, const struct pf_heat *heat, const char *title, uint64_t total)
{
	struct pf_heat_sources sources = { .folders = options->folders, .made = options->made };
	FILE *source = pf_heat_open(heat->file, &sources);

	printf("%s  ", title);
	pf_output_word(heat->file);
	printf(":%" PRIu32 "  %.2f%% of the profile", heat->first, pf_percent(heat->total, total));
	if (heat->below > heat->total)
		printf(" (%.2f%% with what is inlined into it)", pf_percent(heat->below, total));
	if (heat->entries)
		printf(", entered %" PRIu64 " times", heat->entries);
	if (heat->instances)
		printf(", inlined in %" PRIu32 " place%s", heat->instances, heat->instances == 1 ? "" : "s");
	printf("\n%s", !source         ? "(the source is not here; --source DIR says where it is)\n"
		       : sources.newer ? "(" PF_SOURCE_AGE_NEWER ")\n"
				       : "");
	print_lines(heat, source);
	printf("\n");
	if (source)
		fclose(source);
}

/* Prints the function that NODE is, or its file; 1 if it has counts, 0, or an error. */
static int print_node(const struct pf_heat_index *index, const struct options *options, const struct pf_node *node,
		      bool whole_file, uint64_t total, struct pf_error *error)
{
	struct pf_heat heat;
	int status = pf_heat_of(index, whole_file ? NULL : node->name, node->file, node->line, &heat, error);
	char *title = whole_file ? strdup("file") : pf_demangle(node->name);
	bool shown = status == PF_OK && title && heat.line_count;

	if (shown)
		print_heat(options, &heat, title, total);
	free(title);
	if (status == PF_OK)
		pf_heat_fini(&heat);
	return status < 0 ? status : shown;
}

static bool is_end_of_path(const char *path, const char *end)
{
	size_t length = strlen(path), wanted = strlen(end);

	return length >= wanted && strcmp(path + length - wanted, end) == 0 &&
	       (length == wanted || path[length - wanted - 1] == '/');
}

/* What has been looked at, and how much of that had lines to be shown: a function that only hands on to what is inlined
 * into it has none, in each of its thousands of instances. */
struct nodes {
	bool *seen; /* functions, by their number in the index */
	PF_ARRAY(const char *) files;
	size_t count, shown;
};

static bool is_seen_file(const struct nodes *nodes, const char *file)
{
	for (size_t i = 0; i < nodes->files.count; i++) {
		if (nodes->files.at[i] == file)
			return true;
	}
	return false;
}

/* Notes NODE, or its file; 1 if it is new, 0, or PF_ENOMEM. */
static int note(struct nodes *nodes, const struct pf_heat_index *index, const struct pf_node *node, bool whole_file,
		struct pf_error *error)
{
	size_t number = whole_file ? 0 : pf_heat_index_find(index, node->name, node->file, node->line);
	const char **file;

	if (whole_file ? is_seen_file(nodes, node->file) : nodes->seen[number])
		return 0;
	nodes->count++;
	if (!whole_file) {
		nodes->seen[number] = true;
		return 1;
	}
	file = pf_array_push(&nodes->files);
	if (!file)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	*file = node->file;
	return 1;
}

/* The distinct functions, or files, that WANTED means, behind those that are noted in NODES; nothing more once nobody
 * reads. */
static int print_matches(const struct pf_heat_index *index, const struct options *options, const char *wanted,
			 bool whole_file, uint64_t total, struct nodes *nodes, struct pf_error *error)
{
	const struct pf_profile *profile = index->profile;
	int status = 0;

	for (uint32_t f = 0; status >= 0 && f < profile->function_count && !ferror(stdout); f++) {
		const struct pf_function *function = &profile->functions[f];

		for (uint32_t n = 0; status >= 0 && n < function->node_count; n++) {
			const struct pf_node *node = &function->nodes[n];

			if (!(whole_file ? is_end_of_path(node->file, wanted)
					 : pf_demangle_matches(node->name, wanted)))
				continue;
			status = note(nodes, index, node, whole_file, error);
			if (status == 1)
				status = print_node(index, options, node, whole_file, total, error);
			nodes->shown += status > 0;
		}
	}
	return status;
}

/* Functions, and if there are none, files.  What a compiler made of a function can have a dot in its name, too. */
static int print_wanted(const struct pf_heat_index *index, const struct options *options, const char *wanted,
			uint64_t total, struct pf_error *error)
{
	struct nodes nodes = { .seen = calloc(index->count + 1, sizeof *nodes.seen) };
	char *path = strdup(wanted);
	int status = path && nodes.seen ? print_matches(index, options, wanted, false, total, &nodes, error)
					: pf_fail(error, PF_ENOMEM, "out of memory");

	if (status >= 0 && !nodes.count && strpbrk(wanted, "./") && !strstr(wanted, "::")) {
		pf_filename_fold(path);
		status = print_matches(index, options, path, true, total, &nodes, error);
	}
	if (status >= 0 && nodes.count && !nodes.shown)
		status = pf_fail(error, PF_ENOTFOUND,
				 "'%s' has no counts of its own: all that ran there was inlined into it", wanted);
	else if (status >= 0 && !nodes.count)
		status = pf_fail(error, PF_ENOTFOUND,
				 "the profile has no function and no source '%s'; `pathfdo show` lists the functions",
				 wanted);
	pf_array_fini(&nodes.files);
	free(nodes.seen);
	free(path);
	return status < 0 ? status : PF_OK;
}

static int annotate(struct options *options, const char *path, char *const *wanted)
{
	struct pf_profile *profile;
	struct pf_heat_index index = { 0 };
	struct pf_summary summary;
	struct pf_error error;
	pid_t pager;
	int status;

	if (pf_pfdo_read(path, &profile, &error) < 0)
		return failure(error.text);
	options->made = pf_source_age_of_profile(profile, path);
	status = pf_profile_summarise(profile, &summary, &error);
	if (status == PF_OK)
		status = pf_heat_index_init(&index, profile, &error);
	pager = pf_pager_start(options->no_pager);
	for (; status == PF_OK && *wanted; wanted++)
		status = print_wanted(&index, options, *wanted, summary.total, &error);
	pf_pager_wait(pager);
	pf_heat_index_fini(&index);
	pf_profile_free(profile);
	return status < 0 ? failure(error.text) : 0;
}

int pf_cmd_annotate(int argc, char **argv)
{
	static const struct option longs[] = { { "source", required_argument, NULL, 's' },
					       { "no-pager", no_argument, NULL, 'p' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	struct options options = { 0 };
	struct pf_error error;
	int option;

	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (option) {
		case 's':
			if (options.folder_count == MAX_FOLDERS)
				return failure("--source is given too often");
			if (pf_infile_check_folder("--source", optarg, &error) < 0)
				return failure(error.text);
			options.folders[options.folder_count++] = optarg;
			break;
		case 'p':
			options.no_pager = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs("`pathfdo annotate --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	options.folders[options.folder_count] = ".";
	if (optind + 2 > argc) {
		fputs("pathfdo annotate: name a profile, and functions or sources\n"
		      "`pathfdo annotate --help` tells the options.\n",
		      stderr);
		return PF_EXIT_USAGE;
	}
	return annotate(&options, argv[optind], argv + optind + 1);
}
