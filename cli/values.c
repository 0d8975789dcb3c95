/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo values`: the values that a profile knows of, a line for each position and kind, the position that ran most
 * often first.  Hard case: several kinds at one position, and positions in inlined functions, whose lines count from
 * another declaration; and what is known of a load beside its values (how well it is foretold, its bits) is not a line
 * of its own. */
#include "cli/commands.h"
#include "cli/demangle.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/percent.h"
#include "profile/json.h"
#include "profile/pfdo.h"
#include "profile/value-list.h"
#include "support/array.h"
#include "support/infile.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 4 /* values in a line */
#define KINDS "size, align, divisor, power, quotient, switch, load, store or argument"
#define ARGUMENT "argument" /* of any number */

struct options {
	const char *input;
	const char *kind; /* NULL: all */
	uint64_t top;     /* 0: all */
	bool json, no_pager;
};

/* One kind at one position. */
struct row {
	const struct pf_function *function;
	const struct pf_record *record;
	enum pf_value_kind kind;
	struct pf_value_view view;
	uint64_t tried, same, strided; /* sightings that could be foretold; of them by the one before, by its stride */
	uint64_t fixed;                /* bits that never changed */
};

struct rows {
	struct row *at;
	size_t count, capacity;
};

static const char help[] =
    "usage: pathfdo values [OPTION]... FILE.pfdo\n"
    "\n"
    "Lists what instructions worked on: divisors, sizes of memcpy and its kin, cases of a switch, by source position;\n"
    "of recordings with --values also what was loaded, stored and handed to functions.  '-' is standard input.\n"
    "\n"
    "  -n, --top N        only the first N lines, of the positions that ran most often\n"
    "      --kind KIND    only these: " KINDS "\n"
    "      --json         as JSON, with all values\n"
    "      --no-pager     print to the terminal without a pager\n"
    "  -h, --help         this text\n";

static int usage_error(const char *what, const char *which)
{
	fprintf(stderr, "pathfdo values: %s%s\n`pathfdo values --help` tells the options.\n", what, which);
	return PF_EXIT_USAGE;
}

/* Is KIND of what NAME means?  What is told with others has no name. */
static bool is_named(enum pf_value_kind kind, const char *name)
{
	const char *own = pf_value_kind_name(kind);

	return pf_value_aspect(kind) == PF_VALUE_ITSELF &&
	       (strcmp(own, name) == 0 || (kind >= PF_VALUE_ARGUMENT && strcmp(name, ARGUMENT) == 0));
}

static bool is_kind(const char *name)
{
	for (unsigned int kind = 1; kind < PF_VALUE_KINDS; kind++) {
		if (is_named(kind, name))
			return true;
	}
	return false;
}

static bool parse_top(const char *text, uint64_t *top)
{
	char *end;

	*top = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *top > 0;
}

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "top", required_argument, NULL, 'n' }, { "kind", required_argument, NULL, 'k' },
		{ "json", no_argument, NULL, 'j' },      { "no-pager", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },      { 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "n:h", longs, NULL)) != -1) {
		if (option == 'n' && !parse_top(optarg, &options->top))
			return usage_error("-n wants a number from 1 on, not ", optarg);
		if (option == 'k' && !is_kind(options->kind = optarg))
			return usage_error("--kind is " KINDS ", not ", optarg);
		options->json |= option == 'j';
		options->no_pager |= option == 'P';
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == '?') {
			fputs("`pathfdo values --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
	}
	if (optind + 1 != argc)
		return usage_error(optind == argc ? "which profile?" : "one profile at a time", "");
	options->input = argv[optind];
	return -1;
}

/* By descending count; what is equal stays in the order of the profile. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->record->count != y->record->count)
		return x->record->count < y->record->count ? 1 : -1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static uint64_t count_of(const struct pf_value_view *view, int64_t value)
{
	for (uint32_t i = 0; i < view->count; i++) {
		if (view->values[i].value == value)
			return view->values[i].count;
	}
	return 0;
}

static uint64_t mask_of(const struct pf_record *record, unsigned int kind)
{
	struct pf_value_view view = pf_values_of(record, kind);

	return view.count ? (uint64_t)view.values[0].value : 0;
}

/* What is known of a load, a store or an argument beside its values.  A bit that is in no mask is none of the value's.
 */
static void add_aspects(struct row *row)
{
	struct pf_value_view next = pf_values_of(row->record, row->kind + PF_VALUE_NEXT);

	row->tried = next.total;
	row->same = count_of(&next, 1);
	row->strided = count_of(&next, 2);
	row->fixed = mask_of(row->record, row->kind + PF_VALUE_ONES) ^ mask_of(row->record, row->kind + PF_VALUE_ZEROS);
}

static bool add_record(struct rows *rows, const struct pf_function *function, const struct pf_record *record,
		       const char *only)
{
	for (unsigned int kind = 1; kind < PF_VALUE_KINDS; kind++) {
		struct pf_value_view view = pf_values_of(record, kind);
		struct row *row;

		if (!view.total || pf_value_aspect(kind) != PF_VALUE_ITSELF || (only && !is_named(kind, only)))
			continue;
		row = pf_array_push(rows);
		if (!row)
			return false;
		*row = (struct row) { .function = function, .record = record, .kind = kind, .view = view };
		if (kind >= PF_VALUE_LOAD)
			add_aspects(row);
	}
	return true;
}

static bool collect(struct rows *rows, const struct pf_profile *profile, const struct options *options)
{
	bool good = true;

	for (uint32_t f = 0; f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];

		for (uint32_t r = 0; r < function->record_count && good; r++)
			good = add_record(rows, function, &function->records[r], options->kind);
	}
	pf_array_sort(rows, compare_rows);
	if (options->top && rows->count > options->top)
		rows->count = options->top;
	return good;
}

static const struct pf_node *node_of(const struct row *row)
{
	return &row->function->nodes[row->record->place.node];
}

/* A line of the source may lie before its function's declaration. */
static int64_t line_of(const struct row *row)
{
	return (int64_t)node_of(row)->line + row->record->place.position.line;
}

static void print_values(const struct row *row)
{
	uint64_t shown = 0;

	for (uint32_t i = 0; i < row->view.count && i < SHOWN; i++) {
		const struct pf_value *value = &row->view.values[i];

		printf("%s%" PRId64 " %.1f%%", i ? ", " : "", value->value, pf_percent(value->count, row->view.total));
		shown += value->count;
	}
	if (shown < row->view.total)
		printf("%sothers %.1f%%", row->view.count ? ", " : "",
		       pf_percent(row->view.total - shown, row->view.total));
	if (row->tried)
		printf("; as the one before %.1f%%, by stride %.1f%%", pf_percent(row->same, row->tried),
		       pf_percent(row->strided, row->tried));
	if (row->kind >= PF_VALUE_LOAD)
		printf("; fixed bits %#" PRIx64, row->fixed);
	fputs("\n", stdout);
}

static bool print_row(const struct row *row)
{
	const struct pf_node *node = node_of(row);
	char *name = pf_demangle(node->name), *host = pf_demangle(row->function->name);
	bool good = name && host;

	if (good) {
		printf("%12" PRIu64 "  %-9s  %9" PRIu64 "  %6" PRIu64 "  ", row->record->count,
		       pf_value_kind_name(row->kind), row->view.total, row->view.looks);
		pf_output_word(node->file);
		printf(":%" PRId64 ":%" PRIu32 " %s%s%s  ", line_of(row), row->record->place.position.column, name,
		       row->record->place.node ? " in " : "", row->record->place.node ? host : "");
		print_values(row);
	}
	free(name);
	free(host);
	return good;
}

static int print_table(const struct rows *rows, const struct options *options)
{
	pid_t pager = pf_pager_start(options->no_pager);
	bool good = true;

	if (rows->count)
		printf("%12s  %-9s  %9s  %6s  %s\n", "executions", "kind", "sightings", "looks",
		       "position, function, values");
	for (size_t i = 0; i < rows->count && good; i++)
		good = print_row(&rows->at[i]);
	pf_pager_wait(pager);
	return good ? PF_OK : PF_ENOMEM;
}

static void put_row(struct pf_buffer *out, const struct row *row)
{
	const struct pf_node *node = node_of(row);

	pf_buffer_printf(out, "{\"function\": ");
	pf_json_put_string(out, node->name);
	pf_buffer_printf(out, ", \"in\": ");
	pf_json_put_string(out, row->function->name);
	pf_buffer_printf(out, ", \"file\": ");
	pf_json_put_string(out, node->file);
	pf_buffer_printf(out,
			 ", \"line\": %" PRId64 ", \"column\": %" PRIu32 ", \"discriminator\": %" PRIu32
			 ", \"executions\": %" PRIu64 ", \"kind\": \"%s\", \"sightings\": %" PRIu64
			 ", \"looks\": %" PRIu64 ", \"sum\": %" PRIu64 ", \"other\": %" PRIu64 ", \"values\": [",
			 line_of(row), row->record->place.position.column, row->record->place.position.discriminator,
			 row->record->count, pf_value_kind_name(row->kind), row->view.total, row->view.looks,
			 row->view.sum, row->view.other);
	for (uint32_t i = 0; i < row->view.count; i++)
		pf_buffer_printf(out, "%s{\"value\": %" PRId64 ", \"count\": %" PRIu64 "}", i ? ", " : "",
				 row->view.values[i].value, row->view.values[i].count);
	pf_buffer_printf(out, "]");
	if (row->kind >= PF_VALUE_LOAD)
		pf_buffer_printf(out,
				 ", \"tried\": %" PRIu64 ", \"same\": %" PRIu64 ", \"strided\": %" PRIu64
				 ", \"fixed\": \"%#" PRIx64 "\"",
				 row->tried, row->same, row->strided, row->fixed);
	pf_buffer_printf(out, "}");
}

static int print_json(const struct rows *rows)
{
	struct pf_buffer out = { 0 };
	int status = PF_OK;

	pf_buffer_printf(&out, "{\"values\": [");
	for (size_t i = 0; i < rows->count; i++) {
		pf_buffer_printf(&out, i ? ",\n" : "\n");
		put_row(&out, &rows->at[i]);
	}
	pf_buffer_printf(&out, "]}\n");
	if (out.failed)
		status = PF_ENOMEM;
	else
		fwrite(out.data, 1, out.size, stdout);
	pf_buffer_fini(&out);
	return status;
}

/* Whether P was made from vectors of the software recorder, which notes values. */
static bool has_noted(const struct pf_profile *p)
{
	for (uint32_t i = 0; i < p->provenance_count; i++) {
		if (p->provenances[i].kind == PF_SOURCE_SOFT)
			return true;
	}
	for (uint32_t f = 0; f < p->function_count; f++) {
		for (uint32_t r = 0; r < p->functions[f].record_count; r++) {
			if (p->functions[f].records[r].value_count > 0)
				return true;
		}
	}
	return false;
}

static void tell_why_none(const struct pf_profile *profile, const struct options *options)
{
	fprintf(stderr, "pathfdo values: %s knows no %s: %s\n", pf_infile_name(options->input),
		options->kind ? options->kind : "values",
		has_noted(profile) ? "nothing of the kind ran in what was recorded; what is loaded, stored and handed "
				     "to functions is noted by 'pathfdo record --values' alone"
				   : "it was made without vectors of the software recorder, which notes them: record "
				     "with 'pathfdo record --source=soft', without --raw");
}

static int print(const struct pf_profile *profile, const struct options *options, struct pf_error *error)
{
	struct rows rows = { 0 };
	int status = collect(&rows, profile, options) ? PF_OK : PF_ENOMEM;

	if (status == PF_OK && !rows.count && !options->json)
		tell_why_none(profile, options);
	if (status == PF_OK)
		status = options->json ? print_json(&rows) : print_table(&rows, options);
	pf_array_fini(&rows);
	return status < 0 ? pf_fail(error, status, "%s: out of memory", options->input) : PF_OK;
}

int pf_cmd_values(int argc, char **argv)
{
	struct options options = { 0 };
	struct pf_profile *profile = NULL;
	struct pf_error error = { 0 };
	int status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	status = pf_pfdo_read(options.input, &profile, &error);
	if (status == PF_OK)
		status = print(profile, &options, &error);
	if (status < 0)
		fprintf(stderr, "pathfdo values: %s\n", error.text);
	pf_profile_free(profile);
	return status < 0 ? PF_EXIT_FAILURE : 0;
}
