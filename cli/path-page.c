/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See path-page.h.  The page has no script: each path has a section of its own, to which its line in the ranking leads.
 * The hard case is a function that fills a wall: of a large graph only the path's own blocks are drawn, and of the
 * source what is near the path. */
#include "cli/path-page.h"

#include "analysis/flowchart.h"
#include "analysis/svgtext.h"
#include "cli/demangle.h"
#include "cli/output.h"
#include "cli/source-age.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SECTIONS 100
#define MOST_BLOCKS 200 /* of a graph that is drawn whole */
#define AROUND 4        /* lines shown around those of the path */

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--dim:#595959;--line:#d0d0d0;--bar:#0072b2;"
    "--on:#d55e00;--mark:#ffe3cf;--box:#f2f2f2;--link:#00529b}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--dim:#a8a8a8;--line:#555;--bar:#56b4e9;"
    "--on:#ff8a3d;--mark:#53301a;--box:#242424;--link:#8cc8ff}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:90rem;margin:0 auto;padding:1rem}h1,h2,p{overflow-wrap:anywhere}a{color:var(--link)}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.1rem;margin:2rem 0 .4rem}\n"
    ".wide{overflow-x:auto}.dim,small{color:var(--dim)}\n"
    ".both{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1rem}\n"
    "table{border-collapse:collapse;font-size:.9rem}td,th{padding:.15rem .6rem;text-align:left;vertical-align:top}\n"
    ".list td,.list th{border-bottom:1px solid var(--line)}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".list td.f{min-width:12rem;overflow-wrap:anywhere}.b{width:6rem;min-width:3rem}\n"
    ".b i{display:block;height:.7rem;margin-top:.4rem;background:var(--bar);border-radius:2px}\n"
    ".code{font:13px/1.45 ui-monospace,monospace;min-width:100%}.code td{padding:0 .5rem;white-space:pre}\n"
    ".code td.n{color:var(--dim)}.code .on td{background:var(--mark)}.code .on td.n{color:var(--ink)}\n"
    ".flow{display:block;font:11px system-ui,sans-serif}.flow text{fill:var(--ink);text-anchor:middle}\n"
    ".edge{fill:none;stroke:var(--dim)}.edge.back{stroke-dasharray:4 3}.edge.on{stroke:var(--on);stroke-width:2.4}\n"
    ".block rect{fill:var(--box);stroke:var(--dim)}.block.on rect{fill:var(--mark);stroke:var(--on);stroke-width:2}\n"
    "@media(max-width:900px){.both{grid-template-columns:minmax(0,1fr)}.b{display:none}td,th{padding:.15rem .3rem}}\n"
    "@media print{:root{--ink:#000;--paper:#fff}}\n";

/* A line of the function's source. */
struct sourceline {
	struct pf_counted_line at;
	uint64_t count; /* of the block with the most */
	bool on;
};

/* One path and its function, as they are drawn. */
struct drawing {
	const struct pf_counted_function *function;
	bool *blocks_on, *edges_on, *shown;
	char (*names)[24];
	const char **name_list;
	PF_ARRAY(struct sourceline) lines;
};

struct page {
	struct pf_buffer *out;
	const struct pf_path_page *what;
};

static void put(struct page *p, const char *markup)
{
	pf_buffer_bytes(p->out, markup, strlen(markup));
}

static void put_name(struct page *p, const char *name)
{
	char *demangled = pf_demangle(name);

	pf_svg_text(p->out, demangled ? demangled : name);
	free(demangled);
}

/* A paragraph for each line. */
static void put_summary(struct page *p)
{
	for (const char *line = p->what->summary; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *text = strndup(line, strcspn(line, "\n"));

		p->out->failed |= !text;
		put(p, "<p>");
		pf_svg_text(p->out, text ? text : "");
		put(p, "</p>\n");
		free(text);
	}
}

static void put_head(struct page *p)
{
	put(p, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
	       "charset=\"utf-8\"/>\n"
	       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	       "'unsafe-inline'\"/>\n"
	       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>Paths of ");
	pf_svg_text(p->out, p->what->name);
	put(p, "</title>\n<style>\n");
	put(p, style);
	put(p, "</style>\n</head>\n<body><main>\n<h1>Paths of ");
	pf_svg_text(p->out, p->what->name);
	put(p, "</h1>\n");
	put_summary(p);
}

static void put_ranking(struct page *p)
{
	put(p, "<div class=\"wide\"><table class=\"list\"><thead><tr><th class=\"n\">share</th><th class=\"b\"></th>"
	       "<th class=\"n\">times</th><th>function</th><th class=\"n\">path</th><th class=\"n\">of</th>"
	       "</tr></thead><tbody>\n");
	for (size_t i = 0; i < p->what->count; i++) {
		const struct pf_paged_path *path = &p->what->paths[i];

		pf_buffer_printf(p->out,
				 "<tr><td class=\"n\">%.2f%%</td><td class=\"b\"><i style=\"width:%.1f%%\"></i></td>"
				 "<td class=\"n\">%.0f</td><td class=\"f\">",
				 100 * path->share, 100 * path->share, path->count);
		if (i < MOST_SECTIONS)
			pf_buffer_printf(p->out, "<a href=\"#p%zu\">", i + 1);
		put_name(p, path->function->name);
		put(p, i < MOST_SECTIONS ? "</a>" : "");
		pf_buffer_printf(p->out, "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td></tr>\n",
				 path->number, path->function->numbers.count);
	}
	put(p, "</tbody></table></div>\n");
}

/* Marks the path's blocks and edges.  Where its last edge leads is not its own, but shown. */
static bool mark_path(struct drawing *d, uint64_t number)
{
	const struct pf_counted_function *f = d->function;
	const struct pf_graph *g = f->graph;
	uint32_t *edges = calloc((size_t)g->block_count + 1, sizeof *edges), start, count;

	if (!edges)
		return false;
	count = pf_pathnumber_path(&f->numbers, number, &start, edges);
	d->blocks_on[start] = true;
	for (uint32_t i = 0; i < count; i++) {
		d->edges_on[edges[i]] = d->shown[g->edges[edges[i]].to] = true;
		if (!f->numbers.cut[edges[i]])
			d->blocks_on[g->edges[edges[i]].to] = true;
	}
	for (uint32_t b = 0; b < g->block_count; b++)
		d->shown[b] |= g->block_count <= MOST_BLOCKS || d->blocks_on[b];
	free(edges);
	return true;
}

/* Blocks are called by their first and last line. */
static void name_blocks(struct drawing *d)
{
	const struct pf_counted_function *f = d->function;

	for (uint32_t b = 0; b < f->graph->block_count; b++) {
		uint32_t first = f->first_line[b], count = f->first_line[b + 1] - first;
		const struct pf_counted_line *lines = f->lines.at + first;

		if (b == f->graph->entry || b == f->graph->exit)
			snprintf(d->names[b], sizeof *d->names, "%s", b == f->graph->entry ? "entry" : "exit");
		else if (count > 0 && lines[0].line == lines[count - 1].line)
			snprintf(d->names[b], sizeof *d->names, "%" PRIu32, lines[0].line);
		else if (count > 0)
			snprintf(d->names[b], sizeof *d->names, "%" PRIu32 "\xe2\x80\xa6%" PRIu32, lines[0].line,
				 lines[count - 1].line);
		d->name_list[b] = d->names[b];
	}
}

/* The function's own file first. */
static int compare_lines(const void *left, const void *right, void *own)
{
	const struct sourceline *a = left, *b = right;
	int files = strcmp(a->at.file, b->at.file);

	if (files && strcmp(a->at.file, own) == 0)
		return -1;
	if (files && strcmp(b->at.file, own) == 0)
		return 1;
	if (files)
		return files;
	return (a->at.line > b->at.line) - (a->at.line < b->at.line);
}

/* The lines of the function, each once. */
static bool collect_lines(struct drawing *d)
{
	const struct pf_counted_function *f = d->function;
	size_t kept = 0;

	for (uint32_t b = 0; b < f->graph->block_count; b++) {
		for (uint32_t k = f->first_line[b]; k < f->first_line[b + 1]; k++) {
			struct sourceline *line = pf_array_push(&d->lines);

			if (!line)
				return false;
			*line = (struct sourceline) { f->lines.at[k], f->graph->blocks[b].count, d->blocks_on[b] };
		}
	}
	if (d->lines.count > 1)
		qsort_r(d->lines.at, d->lines.count, sizeof *d->lines.at, compare_lines, (void *)f->where.file);
	for (size_t i = 0; i < d->lines.count; i++) {
		struct sourceline *line = &d->lines.at[i], *last = kept > 0 ? &d->lines.at[kept - 1] : NULL;

		if (last && last->at.line == line->at.line && strcmp(last->at.file, line->at.file) == 0) {
			last->count = line->count > last->count ? line->count : last->count;
			last->on |= line->on;
		} else {
			d->lines.at[kept++] = *line;
		}
	}
	d->lines.count = kept;
	return true;
}

/* LINE is NULL for what is no code. */
static void put_line(struct page *p, const struct sourceline *line, uint32_t number, const char *text)
{
	put(p, line && line->on ? "<tr class=\"on\"><td class=\"n\">" : "<tr><td class=\"n\">");
	if (line && line->count > 0)
		pf_buffer_printf(p->out, "%" PRIu64, line->count);
	pf_buffer_printf(p->out, "</td><td class=\"n\">%" PRIu32 "</td><td>", number);
	pf_output_source(p->out, text);
	put(p, "</td></tr>\n");
}

/* Whether one of the COUNT lines near NUMBER is on the path; those below *FROM are passed. */
static bool is_near(const struct sourceline *lines, size_t count, uint32_t number, size_t *from)
{
	while (*from < count && (!lines[*from].on || (uint64_t)lines[*from].at.line + AROUND < number))
		++*from;
	return *from < count && lines[*from].at.line <= (uint64_t)number + AROUND;
}

/* The COUNT lines at LINES are of one file. */
static void put_source(struct page *p, const struct sourceline *lines, size_t count, FILE *source)
{
	size_t at = 0, from = 0, room = 0;
	bool gap = false;
	char *text = NULL;

	for (uint32_t number = 1; source && from < count && getline(&text, &room, source) >= 0; number++) {
		bool known;

		while (at < count && lines[at].at.line < number)
			at++;
		known = at < count && lines[at].at.line == number;
		text[strcspn(text, "\r\n")] = '\0';
		if (is_near(lines, count, number, &from))
			put_line(p, known ? &lines[at] : NULL, number, text);
		else if (gap && from < count)
			put(p, "<tr><td></td><td></td><td>...</td></tr>\n");
		gap = is_near(lines, count, number, &from);
	}
	for (size_t i = 0; i < count && !source; i++) {
		if (lines[i].on)
			put_line(p, &lines[i], lines[i].at.line, "");
	}
	free(text);
}

/* The sources of the files that the path is in, its function's first. */
static void put_sources(struct page *p, const struct drawing *d)
{
	for (size_t first = 0, end; first < d->lines.count; first = end) {
		const char *file = d->lines.at[first].at.file;
		bool on = false;
		FILE *source;

		for (end = first; end < d->lines.count && strcmp(d->lines.at[end].at.file, file) == 0; end++)
			on |= d->lines.at[end].on;
		if (!on)
			continue;
		source = pf_heat_open(file, p->what->sources);
		put(p, "<p class=\"dim\">");
		pf_svg_text(p->out, file);
		put(p, !source                   ? " - the source is not here; --source=DIR says where it is</p>\n"
		       : p->what->sources->newer ? " - " PF_SOURCE_AGE_NEWER "</p>\n"
						 : "</p>\n");
		put(p, "<div class=\"wide\"><table class=\"code\"><tbody>\n");
		put_source(p, d->lines.at + first, end - first, source);
		put(p, "</tbody></table></div>\n");
		if (source)
			fclose(source);
	}
}

static bool put_chart(struct page *p, const struct drawing *d, size_t rank)
{
	struct pf_flowchart chart = { .graph = d->function->graph,
				      .shown = d->shown,
				      .blocks_on = d->blocks_on,
				      .edges_on = d->edges_on,
				      .names = d->name_list };
	char title[64];

	snprintf(title, sizeof title, "The flow graph, with path %zu of the ranking", rank);
	chart.title = title;
	if (d->function->graph->block_count > MOST_BLOCKS)
		pf_buffer_printf(p->out, "<p class=\"dim\">of the graph's %" PRIu32 " blocks, those of the path</p>\n",
				 d->function->graph->block_count);
	put(p, "<div class=\"wide\">");
	if (!pf_flowchart_put(p->out, &chart))
		return false;
	put(p, "</div>\n");
	return true;
}

static bool prepare(struct drawing *d, const struct pf_paged_path *path)
{
	const struct pf_graph *g = path->function->graph;

	*d = (struct drawing) { .function = path->function };
	d->blocks_on = calloc((size_t)g->block_count + 1, sizeof *d->blocks_on);
	d->shown = calloc((size_t)g->block_count + 1, sizeof *d->shown);
	d->edges_on = calloc((size_t)g->edge_count + 1, sizeof *d->edges_on);
	d->names = calloc((size_t)g->block_count + 1, sizeof *d->names);
	d->name_list = calloc((size_t)g->block_count + 1, sizeof *d->name_list);
	if (!d->blocks_on || !d->shown || !d->edges_on || !d->names || !d->name_list || !mark_path(d, path->number))
		return false;
	name_blocks(d);
	return collect_lines(d);
}

static void release(struct drawing *d)
{
	free(d->blocks_on);
	free(d->shown);
	free(d->edges_on);
	free(d->names);
	free(d->name_list);
	pf_array_fini(&d->lines);
}

static bool put_section(struct page *p, size_t index)
{
	const struct pf_paged_path *path = &p->what->paths[index];
	struct drawing d;
	bool good = prepare(&d, path);

	pf_buffer_printf(p->out, "<section id=\"p%zu\"><h2>%zu. ", index + 1, index + 1);
	put_name(p, path->function->name);
	pf_buffer_printf(p->out,
			 ", path %" PRIu64 "</h2>\n<p>%.2f%% of all %s, %.0f times.</p>\n"
			 "<div class=\"both\"><div>\n",
			 path->number, 100 * path->share, p->what->metric, path->count);
	if (good)
		put_sources(p, &d);
	put(p, "</div><div>\n");
	good = good && put_chart(p, &d, index + 1);
	put(p, "</div></div></section>\n");
	release(&d);
	return good;
}

bool pf_path_page_put(struct pf_buffer *out, const struct pf_path_page *page)
{
	struct page p = { .out = out, .what = page };
	bool good = true;

	put_head(&p);
	put_ranking(&p);
	put(&p,
	    "<p class=\"dim\">Below, each path in the source, with the count of each line's most frequent block, and "
	    "in the flow graph, whose blocks are called by their first and last lines. Dashed edges go back.</p>\n");
	for (size_t i = 0; i < page->count && i < MOST_SECTIONS && good; i++)
		good = put_section(&p, i);
	put(&p, "</main></body>\n</html>\n");
	return good && !out->failed;
}
