/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo context`: the calling context tree of an instrumented program, its size and shape, its most frequent calls
 * with their callers, or all of it for other tools.  The hard case is what is not in the tree: calls that there was no
 * memory to count are told with their number. */
#include "analysis/contexts.h"
#include "cli/commands.h"
#include "cli/context-page.h"
#include "cli/counted-paths.h"
#include "cli/demangle.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/percent.h"
#include "cli/spool.h"
#include "converter/duplicates.h"
#include "profile/json.h"
#include "profile/saturate.h"
#include "support/buffer.h"
#include "support/outfile.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP 30

struct options {
	uint64_t top; /* 0: all */
	const char *html;
	bool by_site, by_calls, paths, folded, json, no_pager;
};

/* A finished tree, with names as people write them. */
struct view {
	struct pf_contexts contexts;
	struct pf_context_statistics statistics;
	char **names;        /* of functions */
	uint64_t calls, ran; /* executions of paths */
};

static const char help[] =
    "usage: pathfdo context [OPTION]... NAME.PID.context...\n"
    "\n"
    "Shows what programs counted that were compiled with `pathfdo cflags --instrument=context`: which functions were\n"
    "called, by which chains of callers, and how often.  Files add up.\n"
    "\n"
    "  -n, --top N        the N most frequent calls, and their callers; 0: all; default: 30\n"
    "      --sites        tell the call sites of a function apart\n"
    "      --calls        order by calls, also where something was measured besides\n"
    "      --paths        below each context, the paths that its function ran there (--instrument=paths,context)\n"
    "      --folded       one line a chain of callers, with its count, as flame graphs are made of\n"
    "      --json         as JSON: all of the tree, and its statistics\n"
    "      --html FILE    write a page with a flame graph\n"
    "      --no-pager     print to the terminal without a pager\n"
    "  -h, --help         this text\n";

static int usage_error(const char *what, const char *which)
{
	fprintf(stderr, "pathfdo context: %s%s\n`pathfdo context --help` tells the options.\n", what, which);
	return PF_EXIT_USAGE;
}

static bool parse_top(const char *text, uint64_t *top)
{
	char *end;

	*top = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end;
}

/* -1 to go on, or the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "top", required_argument, NULL, 'n' },  { "sites", no_argument, NULL, 's' },
		{ "calls", no_argument, NULL, 'c' },      { "paths", no_argument, NULL, 'p' },
		{ "folded", no_argument, NULL, 'f' },     { "json", no_argument, NULL, 'j' },
		{ "html", required_argument, NULL, 'H' }, { "no-pager", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },       { 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "n:h", longs, NULL)) != -1) {
		if (option == 'n' && !parse_top(optarg, &o->top))
			return usage_error("-n wants a number, not ", optarg);
		if (option == 's')
			o->by_site = true;
		if (option == 'c')
			o->by_calls = true;
		if (option == 'p')
			o->paths = true;
		if (option == 'f')
			o->folded = true;
		if (option == 'j')
			o->json = true;
		if (option == 'H')
			o->html = optarg;
		if (option == 'P')
			o->no_pager = true;
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == '?')
			return usage_error("", "this option is not known, or lacks its value");
	}
	if (o->folded + o->json + (o->html != NULL) > 1)
		return usage_error("--folded, --json and --html exclude each other", "");
	if (o->paths && (o->folded || o->json || o->html))
		return usage_error("--paths is for text; --json has paths in any case", "");
	return optind == argc ? usage_error("name the files NAME.PID.context", "") : -1;
}

static const struct pf_context_node *node_at(const struct view *v, uint32_t node)
{
	return &v->contexts.nodes.at[node];
}

static const char *name_of(const struct view *v, uint32_t node)
{
	return v->names[node_at(v, node)->function];
}

static bool is_signal(const struct view *v, uint32_t node)
{
	return node_at(v, node)->parent == 0 && node_at(v, node)->site == PF_CONTEXT_SIGNALS;
}

static void print_statistics(const struct view *v)
{
	const struct pf_context_statistics *s = &v->statistics;

	printf("%s: %" PRIu64 " calls of %" PRIu64 " functions in %" PRIu64 " contexts\n",
	       pf_output_name(v->contexts.module), v->calls, s->functions, s->records);
	printf("height %.1f on average, %" PRIu64 " at most; %.2f callees of a context that calls; %" PRIu64
	       " recursive calls\n",
	       s->height, s->most_height, s->out_degree, s->recursive);
	if (s->replicated != PF_CONTEXT_NOTHING)
		printf("%s is in the most contexts, %" PRIu64 "\n", v->names[s->replicated], s->replication);
	if (v->contexts.by_site)
		printf("%" PRIu64 " call sites in all contexts, of which %" PRIu64 " were used\n", s->sites,
		       s->used_sites);
	if (v->contexts.paths.count > 0)
		printf("%" PRIu64 " executions of %zu paths, those of each context being its own\n", v->ran,
		       v->contexts.paths.count);
	printf("a context takes %.0f bytes of memory; the files have %" PRIu64 " bytes\n", s->record_size,
	       v->contexts.bytes);
	if (v->contexts.lost > 0)
		printf("%" PRIu64 " calls or paths are not counted where they belong, for the program had no memory "
		       "to do so\n",
		       v->contexts.lost);
}

static int compare_counts(const void *left, const void *right, void *of)
{
	const struct view *v = of;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (node_at(v, a)->own != node_at(v, b)->own)
		return node_at(v, a)->own > node_at(v, b)->own ? -1 : 1;
	return (a > b) - (a < b);
}

/* Which nodes are shown: the TOP most frequent ones and their callers.  NULL without memory. */
static bool *choose(struct view *v, uint64_t top)
{
	size_t count = v->contexts.nodes.count;
	uint32_t *order = calloc(count + 1, sizeof *order);
	bool *shown = calloc(count + 1, sizeof *shown);

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order && shown) {
		qsort_r(order + 1, count - 1, sizeof *order, compare_counts, v);
		for (size_t i = 1; i < count && (top == 0 || i <= top); i++) {
			for (uint32_t n = order[i]; n != 0 && !shown[n]; n = node_at(v, n)->parent)
				shown[n] = true;
		}
	} else {
		free(shown);
		shown = NULL;
	}
	free(order);
	return shown;
}

#define DEEPEST_INDENT 100

/* The indent of NODE's name. */
static int indent_of(const struct view *v, uint32_t node)
{
	uint32_t depth = node_at(v, node)->depth;

	return 2 * ((int)(depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT) - 1);
}

static bool print_paths(const struct view *v, uint32_t node)
{
	const struct pf_context_node *n = node_at(v, node);
	bool good = true;

	for (uint32_t i = n->first_path; i < n->first_path + n->path_count && good; i++) {
		const struct pf_context_path *path = &v->contexts.paths.at[i];

		printf("%7s %14" PRIu64, "", path->count);
		if (v->contexts.by_metric)
			printf(" %16" PRIu64, path->took);
		printf("  %*spath %" PRIu64 " ", indent_of(v, node) + 4, "", path->number);
		good = pf_counted_path_print(v->contexts.functions.at[n->function].paths, path->number);
		printf("\n");
	}
	return good;
}

static void print_node(const struct view *v, uint32_t node)
{
	const struct pf_context_node *n = node_at(v, node);
	uint32_t line = pf_contexts_line(&v->contexts, node);

	printf("%6.2f%% %14" PRIu64, pf_percent(n->below, node_at(v, 0)->below), n->count);
	if (v->contexts.by_metric)
		printf(" %16" PRIu64, n->own);
	printf("  %*s%s", indent_of(v, node), "", name_of(v, node));
	if (line > 0)
		printf(", called at line %" PRIu32, line);
	if (n->leads != node)
		printf(", recursively");
	if (is_signal(v, node))
		printf(", by a signal");
	printf("\n");
}

static bool print_text(struct view *v, const struct options *o)
{
	bool *shown = choose(v, o->top), good = true;
	pid_t pager;

	if (!shown)
		return false;
	pager = pf_pager_start(o->no_pager);
	print_statistics(v);
	printf("\n  below          calls");
	if (v->contexts.by_metric)
		printf("%*s%s", 16 - (int)strlen(v->contexts.metric), " own ", v->contexts.metric);
	printf("  context\n");
	for (uint32_t i = pf_contexts_next(&v->contexts, 0); i != PF_CONTEXT_NOTHING && good;
	     i = pf_contexts_next(&v->contexts, i)) {
		if (shown[i])
			print_node(v, i);
		if (shown[i] && o->paths)
			good = print_paths(v, i);
	}
	pf_pager_wait(pager);
	free(shown);
	return good;
}

/* Frames of NODE's chain, the outermost first; blanks are what ends them. */
static void put_chain(struct pf_buffer *out, const struct view *v, uint32_t node, uint32_t *chain)
{
	uint32_t depth = 0;

	for (uint32_t i = node; i != 0; i = node_at(v, i)->parent)
		chain[depth++] = i;
	if (is_signal(v, chain[depth - 1]))
		pf_buffer_printf(out, "[signal];");
	while (depth-- > 0) {
		uint32_t line = pf_contexts_line(&v->contexts, chain[depth]);

		for (const char *c = name_of(v, chain[depth]); *c; c++)
			pf_buffer_u8(out, (uint8_t)*c <= ' ' || *c == ';' || *c == 0x7f ? '_' : (uint8_t)*c);
		if (line > 0)
			pf_buffer_printf(out, ":%" PRIu32, line);
		pf_buffer_printf(out, depth > 0 ? ";" : " %" PRIu64 "\n", node_at(v, node)->own);
	}
}

static bool put_folded(struct pf_buffer *out, const struct view *v)
{
	uint32_t *chain = calloc(v->contexts.nodes.count + 1, sizeof *chain);

	for (uint32_t i = pf_contexts_next(&v->contexts, 0); chain && i != PF_CONTEXT_NOTHING;
	     i = pf_contexts_next(&v->contexts, i)) {
		if (node_at(v, i)->own > 0)
			put_chain(out, v, i, chain);
	}
	free(chain);
	return chain != NULL;
}

static void put_statistics(struct pf_buffer *out, const struct view *v)
{
	const struct pf_context_statistics *s = &v->statistics;

	pf_buffer_printf(out, "{\"module\": ");
	pf_json_put_string(out, v->contexts.module);
	pf_buffer_printf(out,
			 ", \"metric\": \"%s\", \"calls\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"bytes\": %" PRIu64
			 ",\n"
			 "\"statistics\": {\"functions\": %" PRIu64 ", \"contexts\": %" PRIu64
			 ", \"recursive\": %" PRIu64 ", \"height\": %.3f, \"highest\": %" PRIu64
			 ", \"out_degree\": %.3f, \"replication\": %" PRIu64 ", \"context_bytes\": %.1f",
			 v->contexts.by_metric ? v->contexts.metric : "calls", v->calls, v->contexts.lost,
			 v->contexts.bytes, s->functions, s->records, s->recursive, s->height, s->most_height,
			 s->out_degree, s->replication, s->record_size);
	if (v->contexts.by_site)
		pf_buffer_printf(out, ", \"sites\": %" PRIu64 ", \"used_sites\": %" PRIu64, s->sites, s->used_sites);
	pf_buffer_printf(out, "},\n\"contexts\": [");
}

/* What is measured besides is under its own name. */
static const char *key_of(const struct view *v)
{
	return v->contexts.metric ? v->contexts.metric : "cycles";
}

static void put_paths(struct pf_buffer *out, const struct view *v, uint32_t node)
{
	const struct pf_context_node *n = node_at(v, node);

	pf_buffer_printf(out, ", \"paths\": [");
	for (uint32_t i = n->first_path; i < n->first_path + n->path_count; i++)
		pf_buffer_printf(out, "%s{\"number\": %" PRIu64 ", \"count\": %" PRIu64 ", \"%s\": %" PRIu64 "}",
				 i > n->first_path ? ", " : "", v->contexts.paths.at[i].number,
				 v->contexts.paths.at[i].count, key_of(v), v->contexts.paths.at[i].took);
	pf_buffer_printf(out, "]");
}

static void put_node(struct pf_buffer *out, const struct view *v, uint32_t node)
{
	const struct pf_context_node *n = node_at(v, node);
	const struct pf_context_function *f = &v->contexts.functions.at[n->function];
	uint32_t line = pf_contexts_line(&v->contexts, node);

	pf_buffer_printf(out, "{\"id\": %" PRIu32 ", \"parent\": %" PRIu32 ", \"function\": ", node, n->parent);
	pf_json_put_string(out, f->name);
	pf_buffer_printf(out, ", \"file\": ");
	pf_json_put_string(out, f->file);
	pf_buffer_printf(out,
			 ", \"line\": %" PRIu32 ", \"calls\": %" PRIu64 ", \"%s\": %" PRIu64 ", \"own\": %" PRIu64
			 ", \"below\": %" PRIu64,
			 f->line, n->count, key_of(v), n->took, n->own, n->below);
	if (line > 0)
		pf_buffer_printf(out, ", \"called_at\": %" PRIu32, line);
	if (n->leads != node)
		pf_buffer_printf(out, ", \"recursive\": %" PRIu32, n->leads);
	if (is_signal(v, node))
		pf_buffer_printf(out, ", \"signal\": true");
	if (f->paths && n->leads == node)
		put_paths(out, v, node);
	pf_buffer_printf(out, "}");
}

static void put_json(struct pf_buffer *out, const struct view *v)
{
	const char *between = "\n";

	put_statistics(out, v);
	for (uint32_t i = pf_contexts_next(&v->contexts, 0); i != PF_CONTEXT_NOTHING;
	     i = pf_contexts_next(&v->contexts, i)) {
		pf_buffer_printf(out, "%s", between);
		put_node(out, v, i);
		between = ",\n";
	}
	pf_buffer_printf(out, "]}\n");
}

static int print(struct view *v, const struct options *o, struct pf_error *error)
{
	struct pf_buffer out = { 0 };
	int status = PF_OK;
	bool good = true;

	if (o->html)
		good = pf_context_page_put(&out, &v->contexts, v->names);
	else if (o->json)
		put_json(&out, v);
	else if (o->folded)
		good = put_folded(&out, v);
	else
		good = print_text(v, o);
	if (!good || out.failed)
		status = pf_fail(error, PF_ENOMEM, "out of memory for what is to be shown");
	else if (o->html)
		status = pf_outfile_write(o->html, out.data, out.size, error);
	else if (out.size > 0) /* text is printed already */
		fwrite(out.data, 1, out.size, stdout);
	pf_buffer_fini(&out);
	return status;
}

static void count_calls(struct view *v)
{
	for (size_t i = 0; i < v->contexts.nodes.count; i++) {
		v->calls = pf_count_add(v->calls, v->contexts.nodes.at[i].count);
		v->ran = pf_count_add(v->ran, v->contexts.nodes.at[i].ran);
	}
}

static bool name_functions(struct view *v)
{
	v->names = calloc(v->contexts.functions.count + 1, sizeof *v->names);
	for (size_t i = 0; v->names && i < v->contexts.functions.count; i++) {
		v->names[i] = pf_demangle(v->contexts.functions.at[i].name);
		if (!v->names[i])
			return false;
	}
	return v->names != NULL;
}

static void fini(struct view *v)
{
	for (size_t i = 0; v->names && i < v->contexts.functions.count; i++)
		free(v->names[i]);
	free(v->names);
	pf_contexts_fini(&v->contexts);
}

static int read_all(struct pf_contexts *c, char *const *paths, const struct options *o, struct pf_error *error)
{
	struct pf_known_files known = { .counts = true };
	int status = PF_OK;

	for (; *paths && status == PF_OK; paths++) {
		status = o->html ? pf_outfile_spares(o->html, *paths, error) : PF_OK;
		if (status == PF_OK)
			status = pf_known_files_add(&known, *paths, error);
		if (status == PF_OK)
			status = pf_contexts_read(c, *paths, error);
	}
	pf_known_files_fini(&known);
	return status;
}

int pf_cmd_context(int argc, char **argv)
{
	struct options o = { .top = DEFAULT_TOP };
	struct view v = { 0 };
	struct pf_error error = { 0 };
	int status = parse_options(argc, argv, &o);

	if (status >= 0)
		return status;
	status = pf_spool("context", (const char **)argv + optind, (size_t)(argc - optind));
	if (status)
		return status;
	status = read_all(&v.contexts, argv + optind, &o, &error);
	if (status == PF_OK)
		status = pf_contexts_finish(&v.contexts, o.by_site, v.contexts.metric && !o.by_calls, &error);
	if (status == PF_OK)
		status = pf_contexts_measure(&v.contexts, &v.statistics, &error);
	if (status == PF_OK) {
		count_calls(&v);
		status = name_functions(&v) ? print(&v, &o, &error)
					    : pf_fail(&error, PF_ENOMEM, "out of memory for the names of functions");
	}
	if (status < 0)
		fprintf(stderr, "pathfdo context: %s\n", error.text);
	fini(&v);
	return status < 0 ? PF_EXIT_FAILURE : 0;
}
