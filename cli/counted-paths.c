/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See counted-paths.h.  Paths are told by their source lines, as those of recordings are.  The hard case is what is not
 * in the counts: paths that never ended, and executions without memory to count them, are told with their number. */
#include "cli/counted-paths.h"
#include "analysis/contexts.h"
#include "cli/counted-classes.h"
#include "cli/commands.h"
#include "cli/demangle.h"
#include "cli/output.h"
#include "cli/path-page.h"
#include "cli/percent.h"
#include "cli/source-age.h"
#include "converter/duplicates.h"
#include "support/filename.h"
#include "support/jsontext.h"
#include "support/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINES 12 /* of a path in text */

bool pf_counted_paths_are(const char *path)
{
	return pf_counted_is(path) || pf_contexts_is(path);
}

int pf_counted_paths_read(struct pf_counted *c, const char *path, struct pf_error *error)
{
	struct pf_contexts contexts = { 0 };
	int status;

	if (!pf_contexts_is(path))
		return pf_counted_read(c, path, error);
	status = pf_contexts_read(&contexts, path, error);
	if (status == PF_OK)
		status = pf_contexts_take_paths(&contexts, c, path, error);
	pf_contexts_fini(&contexts);
	return status;
}

/* A path of the whole program. */
struct ranked {
	const struct pf_counted_function *function;
	const struct pf_counted_path *path;
};

struct ranking {
	PF_ARRAY(struct ranked) paths;
	struct pf_counted_classes classes; /* they go by its metric */
};

static int compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->path->took != b->path->took)
		return a->path->took > b->path->took ? -1 : 1;
	if (a->path->count != b->path->count)
		return a->path->count > b->path->count ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

/* All paths, or the TOP ones with the most of the metric or, where there is none, executions. */
static bool rank(struct ranking *r, const struct pf_counted *c, uint32_t top)
{
	for (size_t i = 0; i < c->functions.count; i++) {
		const struct pf_counted_function *f = &c->functions.at[i];

		for (size_t k = 0; k < f->paths.count; k++) {
			struct ranked *new = pf_array_push(&r->paths);

			if (!new)
				return false;
			*new = (struct ranked) { f, &f->paths.at[k] };
		}
	}
	pf_array_sort(&r->paths, compare);
	if (top > 0 && r->paths.count > top)
		r->paths.count = top;
	return true;
}

bool pf_counted_path_lines(const struct pf_counted_function *f, uint64_t number,
			   void (*take)(void *to, const struct pf_counted_line *line), void *to)
{
	uint32_t *blocks = calloc((size_t)f->graph->block_count + 1, sizeof *blocks), count;
	struct pf_counted_line last = { "", 0 };

	if (!blocks)
		return false;
	count = pf_counted_blocks(f, number, blocks);
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = f->first_line[blocks[i]]; k < f->first_line[blocks[i] + 1]; k++) {
			const struct pf_counted_line *line = &f->lines.at[k];

			if (line->line == last.line && strcmp(line->file, last.file) == 0)
				continue;
			take(to, line);
			last = *line;
		}
	}
	free(blocks);
	return true;
}

struct shown {
	const char *file;
	unsigned count;
};

static void print_line(void *to, const struct pf_counted_line *line)
{
	struct shown *shown = to;

	if (shown->count++ > MOST_LINES)
		return;
	if (shown->count > MOST_LINES)
		printf(" ...");
	else if (strcmp(line->file, shown->file) != 0)
		printf(" %s:%" PRIu32, pf_output_name(pf_filename_base(line->file)), line->line);
	else
		printf(" %" PRIu32, line->line);
	shown->file = line->file;
}

bool pf_counted_path_print(const struct pf_counted_function *f, uint64_t number)
{
	struct shown shown = { "", 0 };

	return pf_counted_path_lines(f, number, print_line, &shown);
}

static double share_of(const struct ranking *r, const struct ranked *ranked)
{
	return pf_share(pf_counted_metric(&r->classes, ranked->path), r->classes.metric);
}

static bool print_path(const struct ranking *all, const struct ranked *r)
{
	char *name = pf_demangle(r->function->name);
	bool good;

	printf("%6.2f%% %12" PRIu64, 100 * share_of(all, r), r->path->count);
	if (all->classes.measured)
		printf(" %14" PRIu64, r->path->took);
	printf("  %s %" PRIu64 " ", name ? name : "", r->path->number);
	good = name && pf_counted_path_print(r->function, r->path->number);
	printf("\n");
	free(name);
	return good;
}

/* What is said of all: into OUT, one sentence a line. */
static void put_summary(struct pf_buffer *out, const struct pf_counted *c)
{
	uint64_t paths = 0, ran = 0, unfinished = 0;
	size_t functions = 0;

	for (size_t i = 0; i < c->functions.count; i++) {
		const struct pf_counted_function *f = &c->functions.at[i];

		functions += f->paths.count > 0;
		ran += f->paths.count;
		paths = paths + f->numbers.count < paths ? UINT64_MAX : paths + f->numbers.count;
		unfinished += f->unfinished;
	}
	pf_buffer_printf(out,
			 "%s: %zu functions, of which %zu ran; %" PRIu64 " paths, of which %" PRIu64 " ran, %" PRIu64
			 " times\n",
			 pf_output_name(c->module), c->functions.count, functions, paths, ran, c->total);
	if (unfinished > 0)
		pf_buffer_printf(out,
				 "%" PRIu64 " paths were begun and never ended (by exit, longjmp or an exception), and "
				 "are not counted\n",
				 unfinished);
	if (c->lost > 0)
		pf_buffer_printf(
		    out, "%" PRIu64 " executions are not counted, for the program had no memory to do so\n", c->lost);
}

static bool print_text(const struct pf_counted *c, const struct ranking *r)
{
	struct pf_buffer summary = { 0 };
	bool good;

	put_summary(&summary, c);
	pf_counted_classes_put(&summary, &r->classes);
	good = !summary.failed;
	if (good)
		printf("%.*s\n", (int)summary.size, (const char *)summary.data);
	pf_buffer_fini(&summary);
	for (size_t i = 0; i < r->paths.count && good; i++)
		good = print_path(r, &r->paths.at[i]);
	return good;
}

static bool put_page(const struct pf_counted *c, const struct ranking *r, struct pf_heat_sources *sources,
		     struct pf_buffer *out)
{
	struct pf_buffer summary = { 0 };
	struct pf_paged_path *paths = calloc(r->paths.count + 1, sizeof *paths);
	struct pf_path_page page = { .name = c->module,
				     .count = r->paths.count,
				     .sources = sources,
				     .metric = r->classes.measured ? r->classes.measured : "executions" };
	bool good;

	put_summary(&summary, c);
	pf_counted_classes_put(&summary, &r->classes);
	pf_buffer_u8(&summary, 0);
	for (size_t i = 0; paths && i < r->paths.count; i++) {
		const struct ranked *ranked = &r->paths.at[i];

		paths[i] = (struct pf_paged_path) { ranked->function, ranked->path->number, (double)ranked->path->count,
						    share_of(r, ranked) };
	}
	page.paths = paths;
	page.summary = (const char *)summary.data;
	good = paths && !summary.failed && pf_path_page_put(out, &page);
	free(paths);
	pf_buffer_fini(&summary);
	return good;
}

struct listed {
	struct pf_buffer *out;
	const char *comma;
};

static void put_line(void *to, const struct pf_counted_line *line)
{
	struct listed *listed = to;

	pf_buffer_printf(listed->out, "%s{\"file\": ", listed->comma);
	pf_json_put_string(listed->out, line->file);
	pf_json_put_count(listed->out, "line", line->line);
	pf_buffer_printf(listed->out, "}");
	listed->comma = ", ";
}

/* What is measured besides executions is under its own name. */
static const char *key_of(const char *measured)
{
	return measured ? measured : "cycles";
}

static void put_path(struct pf_buffer *out, const struct ranking *all, const struct ranked *r)
{
	struct listed lines = { out, "" };

	pf_buffer_printf(out, "{\"function\": ");
	pf_json_put_string(out, r->function->name);
	pf_json_put_field(out, "file", r->function->where.file);
	pf_json_put_count(out, "line", r->function->where.line);
	pf_json_put_count(out, "number", r->path->number);
	pf_json_put_count(out, "count", r->path->count);
	pf_json_put_count(out, key_of(all->classes.measured), r->path->took);
	pf_buffer_printf(out, ", \"share\": %.8f, \"lines\": [", share_of(all, r));
	out->failed |= !pf_counted_path_lines(r->function, r->path->number, put_line, &lines);
	pf_buffer_printf(out, "]}");
}

static void put_edges(struct pf_buffer *out, const struct pf_counted_function *f)
{
	const char *comma = "";

	pf_buffer_printf(out, ", \"edges\": [");
	for (uint32_t e = 0; e < f->graph->edge_count; e++) {
		const struct pf_graph_edge *edge = &f->graph->edges[e];

		if (f->stands_in[e])
			continue;
		pf_buffer_printf(out, "%s[%" PRIu32 ", %" PRIu32 ", %" PRIu64 "]", comma, edge->from, edge->to,
				 edge->count);
		comma = ", ";
	}
	pf_buffer_printf(out, "]");
}

/* Blocks to which control comes over edges that cannot be counted on. */
static void put_enters(struct pf_buffer *out, const struct pf_counted_function *f)
{
	const char *comma = "";

	pf_buffer_printf(out, ", \"enters\": [");
	for (uint32_t e = 0; e < f->graph->edge_count; e++) {
		if (!f->stands_in[e] || f->graph->edges[e].from != f->graph->entry)
			continue;
		pf_buffer_printf(out, "%s%" PRIu32, comma, f->graph->edges[e].to);
		comma = ", ";
	}
	pf_buffer_printf(out, "]");
}

/* Whether setjmp may come back to it, so that each of its edges is a path. */
static bool is_returned_to(const struct pf_counted_function *f)
{
	bool all = true, enters = false;

	for (uint32_t e = 0; e < f->graph->edge_count; e++) {
		all &= f->cut[e] || f->graph->edges[e].to == f->graph->exit;
		enters |= f->stands_in[e];
	}
	return all && enters;
}

static void put_function(struct pf_buffer *out, const struct pf_counted_function *f, const char *measured)
{
	pf_buffer_printf(out, "{\"function\": ");
	pf_json_put_string(out, f->name);
	pf_json_put_field(out, "file", f->where.file);
	pf_json_put_count(out, "line", f->where.line);
	pf_json_put_count(out, "paths", f->numbers.count);
	pf_json_put_count(out, "ran", f->paths.count);
	pf_json_put_count(out, "executions", f->total);
	pf_json_put_count(out, key_of(measured), f->took);
	pf_json_put_count(out, "unfinished", f->unfinished);
	pf_buffer_printf(out, ", \"blocks\": [");
	for (uint32_t b = 0; b < f->graph->block_count; b++)
		pf_buffer_printf(out, "%s%" PRIu64, b ? ", " : "", f->graph->blocks[b].count);
	pf_buffer_printf(out, "]");
	put_edges(out, f);
	put_enters(out, f);
	pf_json_put_flag(out, "setjmp", is_returned_to(f));
	pf_buffer_printf(out, "}");
}

static int print_json(const struct pf_counted *c, const struct ranking *r)
{
	struct pf_buffer out = { 0 };

	pf_buffer_printf(&out, "{\"module\": ");
	pf_json_put_string(&out, c->module);
	pf_json_put_count(&out, "total", c->total);
	pf_json_put_count(&out, "lost", c->lost);
	pf_counted_classes_put_json(&out, &r->classes);
	pf_buffer_printf(&out, ",\n\"functions\": [");
	for (size_t i = 0; i < c->functions.count; i++) {
		pf_buffer_printf(&out, i ? ",\n " : "\n ");
		put_function(&out, &c->functions.at[i], r->classes.measured);
	}
	pf_buffer_printf(&out, "],\n\"top\": [");
	for (size_t i = 0; i < r->paths.count; i++) {
		pf_buffer_printf(&out, i ? ",\n " : "\n ");
		put_path(&out, r, &r->paths.at[i]);
	}
	pf_buffer_printf(&out, "]}\n");
	return pf_output_print("paths", &out);
}

/* Text or a page. */
static int show(const struct pf_counted *c, const struct ranking *r, const struct pf_counted_view *view,
		struct pf_error *error)
{
	struct pf_heat_sources sources = { .folders = view->folders,
					   .output = view->html,
					   .made = pf_source_age_of_file(c->module) };
	struct pf_buffer out = { 0 };
	bool good = view->html ? put_page(c, r, &sources, &out) : print_text(c, r);
	int status =
	    good ? pf_heat_spare(&sources, error) : pf_fail(error, PF_ENOMEM, "out of memory for what is to be shown");

	if (status == PF_OK && view->html)
		status = pf_outfile_write(view->html, out.data, out.size, error);
	pf_buffer_fini(&out);
	return status;
}

static int read_all(struct pf_counted *c, const char *const *files, size_t count, const char *html,
		    struct pf_error *error)
{
	struct pf_known_files known = { .counts = true };
	int status = PF_OK;

	for (size_t i = 0; i < count && status == PF_OK; i++) {
		status = html ? pf_outfile_spares(html, files[i], error) : PF_OK;
		if (status == PF_OK)
			status = pf_known_files_add(&known, files[i], error);
		if (status == PF_OK)
			status = pf_counted_paths_read(c, files[i], error);
	}
	pf_known_files_fini(&known);
	return status == PF_OK ? pf_counted_finish(c, error) : status;
}

int pf_counted_paths_show(const char *const *files, size_t count, const struct pf_counted_view *view)
{
	struct pf_counted c = { 0 };
	struct ranking r = { 0 };
	struct pf_error error;
	int status = read_all(&c, files, count, view->html, &error);

	if (status == PF_OK)
		status = pf_counted_classify(&r.classes, &c, view->threshold, &error);
	if (status == PF_OK && !rank(&r, &c, view->top))
		status = pf_fail(&error, PF_ENOMEM, "out of memory for what is to be shown");
	if (status == PF_OK && !view->json)
		status = show(&c, &r, view, &error);
	if (status < 0)
		fprintf(stderr, "pathfdo paths: %s\n", error.text);
	else if (view->json)
		status = print_json(&c, &r);
	pf_array_fini(&r.paths);
	pf_counted_fini(&c);
	return status == PF_OK ? 0 : PF_EXIT_FAILURE;
}
