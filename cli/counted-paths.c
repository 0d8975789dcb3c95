/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See counted-paths.h.  Paths are told by their source lines, as those of recordings are.  The hard case is what is not
 * in the counts: paths that never ended, and executions without memory to count them, are told with their number. */
#include "cli/counted-paths.h"
#include "analysis/countedpaths.h"
#include "cli/commands.h"
#include "cli/demangle.h"
#include "support/filename.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINES 12 /* of a path in text */

/* A path of the whole program. */
struct ranked {
	const struct pf_counted_function *function;
	const struct pf_counted_path *path;
};

struct ranking {
	PF_ARRAY(struct ranked) paths;
};

static int compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->path->count != b->path->count)
		return a->path->count > b->path->count ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

/* All paths, or the TOP most frequent ones. */
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

static double share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* Calls DO with each source line of the path, in its order, once where it is repeated at once.  False without memory.
 */
static bool each_line(const struct ranked *r, void (*take)(void *to, const struct pf_counted_line *line), void *to)
{
	const struct pf_counted_function *f = r->function;
	uint32_t *blocks = calloc((size_t)f->graph->block_count + 1, sizeof *blocks), count;
	struct pf_counted_line last = { "", 0 };

	if (!blocks)
		return false;
	count = pf_counted_blocks(f, r->path->number, blocks);
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
		printf(" %s:%" PRIu32, pf_filename_base(line->file), line->line);
	else
		printf(" %" PRIu32, line->line);
	shown->file = line->file;
}

static bool print_path(const struct pf_counted *c, const struct ranked *r)
{
	char *name = pf_demangle(r->function->name);
	struct shown shown = { "", 0 };
	bool good;

	printf("%6.2f%% %12" PRIu64 "  %s %" PRIu64 " ", 100 * share(r->path->count, c->total), r->path->count,
	       name ? name : "", r->path->number);
	good = name && each_line(r, print_line, &shown);
	printf("\n");
	free(name);
	return good;
}

static bool print_text(const struct pf_counted *c, const struct ranking *r)
{
	uint64_t paths = 0, ran = 0, unfinished = 0;
	size_t functions = 0;
	bool good = true;

	for (size_t i = 0; i < c->functions.count; i++) {
		const struct pf_counted_function *f = &c->functions.at[i];

		functions += f->paths.count > 0;
		ran += f->paths.count;
		paths = paths + f->numbers.count < paths ? UINT64_MAX : paths + f->numbers.count;
		unfinished += f->unfinished;
	}
	printf("%s: %zu functions, of which %zu ran; %" PRIu64 " paths, of which %" PRIu64 " ran, %" PRIu64 " times\n",
	       c->module, c->functions.count, functions, paths, ran, c->total);
	if (unfinished > 0)
		printf("%" PRIu64 " paths were begun and never ended (by exit, longjmp or an exception), and are not "
		       "counted\n",
		       unfinished);
	if (c->lost > 0)
		printf("%" PRIu64 " executions are not counted, for the program had no memory to do so\n", c->lost);
	printf("\n");
	for (size_t i = 0; i < r->paths.count && good; i++)
		good = print_path(c, &r->paths.at[i]);
	return good;
}

static void append_line(void *to, const struct pf_counted_line *line)
{
	json_array_append_new(to, json_pack("{s:s, s:I}", "file", line->file, "line", (json_int_t)line->line));
}

static json_t *path_as_json(const struct pf_counted *c, const struct ranked *r)
{
	json_t *lines = json_array();

	if (!lines || !each_line(r, append_line, lines)) {
		json_decref(lines);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:o}", "function", r->function->name, "file",
			 r->function->where.file, "line", (json_int_t)r->function->where.line, "number",
			 (json_int_t)r->path->number, "count", (json_int_t)r->path->count, "share",
			 share(r->path->count, c->total), "lines", lines);
}

static json_t *edges_as_json(const struct pf_counted_function *f)
{
	json_t *edges = json_array();

	for (uint32_t e = 0; e < f->graph->edge_count; e++) {
		const struct pf_graph_edge *edge = &f->graph->edges[e];

		if (!f->stands_in[e])
			json_array_append_new(edges, json_pack("[I, I, I]", (json_int_t)edge->from,
							       (json_int_t)edge->to, (json_int_t)edge->count));
	}
	return edges;
}

/* Blocks to which control comes over edges that cannot be counted on. */
static json_t *enters_as_json(const struct pf_counted_function *f)
{
	json_t *blocks = json_array();

	for (uint32_t e = 0; e < f->graph->edge_count; e++) {
		if (f->stands_in[e] && f->graph->edges[e].from == f->graph->entry)
			json_array_append_new(blocks, json_integer((json_int_t)f->graph->edges[e].to));
	}
	return blocks;
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

static json_t *function_as_json(const struct pf_counted_function *f)
{
	json_t *blocks = json_array();

	for (uint32_t b = 0; b < f->graph->block_count; b++)
		json_array_append_new(blocks, json_integer((json_int_t)f->graph->blocks[b].count));
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:b}", "function", f->name, "file",
			 f->where.file, "line", (json_int_t)f->where.line, "paths", (json_int_t)f->numbers.count, "ran",
			 (json_int_t)f->paths.count, "executions", (json_int_t)f->total, "unfinished",
			 (json_int_t)f->unfinished, "blocks", blocks, "edges", edges_as_json(f), "enters",
			 enters_as_json(f), "setjmp", is_returned_to(f));
}

/* Values that cannot be made (no memory, a name that is no UTF-8) are left out by jansson, and tell by their number. */
static bool print_json(const struct pf_counted *c, const struct ranking *r)
{
	json_t *functions = json_array(), *top = json_array(), *root;
	bool good;

	for (size_t i = 0; i < c->functions.count; i++)
		json_array_append_new(functions, function_as_json(&c->functions.at[i]));
	for (size_t i = 0; i < r->paths.count; i++)
		json_array_append_new(top, path_as_json(c, &r->paths.at[i]));
	good = json_array_size(functions) == c->functions.count && json_array_size(top) == r->paths.count;
	root = json_pack("{s:s, s:I, s:I, s:o, s:o}", "module", c->module, "total", (json_int_t)c->total, "lost",
			 (json_int_t)c->lost, "functions", functions, "top", top);
	good = good && root && json_dumpf(root, stdout, JSON_COMPACT) == 0;
	printf("\n");
	json_decref(root);
	return good;
}

int pf_counted_paths_show(const char *const *files, size_t count, uint32_t top, bool json)
{
	struct pf_counted c = { 0 };
	struct ranking r = { 0 };
	struct pf_error error;
	int status = PF_OK;

	for (size_t i = 0; i < count && status == PF_OK; i++)
		status = pf_counted_read(&c, files[i], &error);
	if (status == PF_OK)
		status = pf_counted_finish(&c, &error);
	if (status == PF_OK && !rank(&r, &c, top))
		status = pf_fail(&error, PF_ENOMEM, "out of memory for what is to be shown");
	if (status == PF_OK && !(json ? print_json(&c, &r) : print_text(&c, &r)))
		status =
		    pf_fail(&error, PF_ENOMEM, "out of memory, or a name that is no UTF-8, for what is to be shown");
	if (status < 0)
		fprintf(stderr, "pathfdo paths: %s\n", error.text);
	pf_array_fini(&r.paths);
	pf_counted_fini(&c);
	return status < 0 ? PF_EXIT_FAILURE : 0;
}
