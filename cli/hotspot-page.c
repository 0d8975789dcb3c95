/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hotspot-page.h.  Two pictures as Merten and others drew them: the branches that run often by time (Figure 1),
 * with the hot spots as bands behind them, and the size of each hot spot with its share of the run (Figure 6); then all
 * of it in a table.  The hard case is the number of dots, some ten thousand: those of one hot spot are one path of
 * short strokes, which a browser draws at once. */
#include "cli/hotspot-page.h"

#include "analysis/svgtext.h"
#include "cli/demangle.h"
#include "cli/percent.h"

#include <inttypes.h>

#define COLOURS 7u
#define MOST_FUNCTIONS 4u
#define MOST_BARS 60u
#define WIDTH 820.0
#define LEFT 60.0
#define DOTS_HEIGHT 360.0
#define BARS_HEIGHT 200.0

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--dim:#595959;--line:#d0d0d0;--none:#8a8a8a;"
    "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#b58900;--c5:#2b8fc4;--c6:#7a4fbf}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--dim:#a8a8a8;--line:#444;--none:#777;"
    "--c0:#56b4e9;--c1:#ff8a3d;--c2:#2fd1a0;--c3:#e69fc8;--c4:#e0c341;--c5:#7cc7ee;--c6:#b493f0}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:60rem;margin:0 auto;padding:1rem}h1,h2,p{overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.2rem;margin:1.8rem 0 .4rem}\n"
    ".wide{overflow-x:auto}.dim{color:var(--dim)}figure{margin:0}\n"
    "table{border-collapse:collapse;font-size:.9rem}td,th{padding:.15rem .6rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}\n"
    "td.f{min-width:12rem;overflow-wrap:anywhere}td i{display:inline-block;width:.8rem;height:.8rem}\n"
    "svg{display:block;min-width:40rem;width:100%;height:auto;font:12px system-ui,sans-serif;fill:var(--ink)}\n"
    ".axis{stroke:var(--line);fill:none}.dots{fill:none;stroke-width:2}\n"
    "@media print{:root{--ink:#000;--paper:#fff}}\n";

struct page {
	struct pf_buffer *out;
	struct pf_hotspot_run *run;
	const struct pf_hotspot_table *table;
	uint32_t *hotspots; /* by end: the last hot spot that has it */
	uint32_t *ranks;    /* by end: how many had a dot before, plus 1 */
	uint32_t ranked;
	uint64_t branches;
};

static void put(struct page *p, const char *markup)
{
	pf_buffer_bytes(p->out, markup, strlen(markup));
}

static void put_colour(struct page *p, uint32_t hotspot)
{
	if (hotspot == PF_NO_HOTSPOT)
		put(p, "var(--none)");
	else
		pf_buffer_printf(p->out, "var(--c%u)", hotspot % COLOURS);
}

static void put_name(struct page *p, const char *name)
{
	char *demangled = pf_demangle_brief(name);

	pf_svg_text(p->out, demangled ? demangled : name);
	free(demangled);
}

static void put_head(struct page *p, const char *name)
{
	put(p, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
	       "charset=\"utf-8\"/>\n"
	       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	       "'unsafe-inline'\"/>\n"
	       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>Hot spots of ");
	pf_svg_text(p->out, name);
	put(p, "</title>\n<style>\n");
	put(p, style);
	put(p, "</style>\n</head>\n<body><main>\n<h1>Hot spots of ");
	pf_svg_text(p->out, name);
	put(p, "</h1>\n");
}

static void put_summary(struct page *p, const char *source)
{
	const struct pf_hotspot_table *t = p->table;

	put(p, "<p>");
	pf_svg_text(p->out, source);
	pf_buffer_printf(
	    p->out,
	    "</p>\n<p><b>%" PRIu64 " hot spot%s</b> of %" PRIu64
	    " static instructions, %.2f%% of those that ran. Their blocks are %.2f%% of all executed "
	    "instructions; %.2f%% came after their hot spot was found, %.2f%% while it was being found.</p>\n",
	    t->hotspots, t->hotspots == 1 ? "" : "s", t->delivered, pf_percent(t->distinct, t->seen),
	    pf_percent(t->in_hotspots, t->executed), pf_percent(t->after, t->executed),
	    pf_percent(t->in_hotspots > t->after ? t->in_hotspots - t->after : 0, t->executed));
}

/* --- Figure 1 ----------------------------------------------------------------------------------------------------- */

/* Which hot spot each end is of, and the order in which ends first have a dot. */
static bool rank(struct page *p)
{
	const struct pf_hotspot_run *r = p->run;
	size_t count = r->steps.ends.count + 1;

	p->hotspots = malloc(count * sizeof *p->hotspots);
	p->ranks = calloc(count, sizeof *p->ranks);
	if (!p->hotspots || !p->ranks)
		return false;
	memset(p->hotspots, 0xff, count * sizeof *p->hotspots);
	for (size_t i = 0; i < r->detector.monitor.members.count; i++)
		p->hotspots[r->detector.monitor.members.at[i].tag] = r->detector.monitor.members.at[i].hotspot;
	for (uint32_t c = 0; c <= r->column && c < PF_HOTSPOT_COLUMNS; c++) {
		p->branches += r->columns[c].branches;
		for (size_t i = 0; i < r->columns[c].dots.count; i++) {
			uint32_t *place = &p->ranks[r->columns[c].dots.at[i].end];

			if (!*place)
				*place = ++p->ranked;
		}
	}
	return true;
}

static uint32_t column_count(const struct page *p)
{
	uint32_t count = p->run->column < PF_HOTSPOT_COLUMNS ? p->run->column + 1 : PF_HOTSPOT_COLUMNS;

	return count > 1 && p->run->columns[count - 1].branches == 0 ? count - 1 : count;
}

/* The hot spot that has half of COLUMN's branches or more. */
static uint32_t ruling(const struct pf_hotspot_column *column)
{
	for (size_t i = 0; i < column->active.count; i++) {
		if (column->active.at[i] * 2 >= column->branches && column->active.at[i])
			return (uint32_t)i;
	}
	return PF_NO_HOTSPOT;
}

static void put_bands(struct page *p, double step)
{
	uint32_t count = column_count(p), first = 0;

	for (uint32_t c = 1; c <= count; c++) {
		uint32_t hotspot = ruling(&p->run->columns[first]);

		if (c < count && ruling(&p->run->columns[c]) == hotspot)
			continue;
		if (hotspot != PF_NO_HOTSPOT) {
			pf_buffer_printf(p->out,
					 "<rect class=\"band\" x=\"%.1f\" y=\"20\" width=\"%.1f\" height=\"%.0f\" "
					 "fill-opacity=\".15\" fill=\"",
					 LEFT + first * step, (c - first) * step, DOTS_HEIGHT);
			put_colour(p, hotspot);
			pf_buffer_printf(p->out, "\"><title>hot spot %u</title></rect>\n", hotspot + 1);
			if ((c - first) * step > 14)
				pf_buffer_printf(p->out, "<text x=\"%.1f\" y=\"15\">%u</text>\n",
						 LEFT + first * step + 2, hotspot + 1);
		}
		first = c;
	}
}

/* All dots of HOTSPOT as one path. */
static void put_dots(struct page *p, uint32_t hotspot, double step)
{
	bool any = false;

	for (uint32_t c = 0; c < column_count(p); c++) {
		for (size_t i = 0; i < p->run->columns[c].dots.count; i++) {
			uint32_t end = p->run->columns[c].dots.at[i].end;

			if (p->hotspots[end] != hotspot)
				continue;
			put(p, any ? "" : "<path class=\"dots\" d=\"");
			any = true;
			pf_buffer_printf(p->out, "M%.1f %.1fh%.1f", LEFT + c * step,
					 20 + DOTS_HEIGHT - (p->ranks[end] - .5) * DOTS_HEIGHT / p->ranked, step);
		}
	}
	if (!any)
		return;
	put(p, "\" stroke=\"");
	put_colour(p, hotspot);
	put(p, "\"/>\n");
}

static void put_times(struct page *p)
{
	static const char *const anchors[] = { "start", "middle", "middle", "middle", "end" };
	bool millions = p->branches >= 4000000;

	for (int i = 0; i <= 4; i++)
		pf_buffer_printf(p->out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%.1f %c</text>\n",
				 LEFT + i * (WIDTH - LEFT) / 4, DOTS_HEIGHT + 38, anchors[i],
				 (double)p->branches * i / (millions ? 4e6 : 4e3), millions ? 'M' : 'k');
}

static void put_branches(struct page *p)
{
	double step = (WIDTH - LEFT) / column_count(p);

	pf_buffer_printf(
	    p->out,
	    "<h2>Branches by time</h2>\n<p class=\"dim\">Each stroke is a branch that ran %u times or more in the "
	    "first "
	    "%u branches of a stretch of %" PRIu64
	    "; branches stand in the order in which they first did. Behind them, the hot spot that half of the "
	    "stretch or more is in.</p>\n<figure class=\"wide\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
	    "aria-label=\"Branches that run often, by time\">\n",
	    PF_HOTSPOT_MANY, PF_HOTSPOT_SAMPLE, p->run->width, WIDTH, DOTS_HEIGHT + 60);
	put_bands(p, step);
	put_dots(p, PF_NO_HOTSPOT, step);
	for (uint32_t h = 0; h < p->run->detector.spots.count; h++)
		put_dots(p, h, step);
	pf_buffer_printf(p->out,
			 "<path class=\"axis\" d=\"M%.0f 20v%.0fh%.0f\"/><text x=\"4\" y=\"30\">%u</text>"
			 "<text x=\"4\" y=\"46\">branches</text>\n",
			 LEFT, DOTS_HEIGHT, WIDTH - LEFT, p->ranked);
	put_times(p);
	pf_buffer_printf(p->out, "<text x=\"%.0f\" y=\"%.0f\">branches executed</text>\n</svg></figure>\n", LEFT,
			 DOTS_HEIGHT + 55);
}

/* --- Figure 6 ----------------------------------------------------------------------------------------------------- */

static void put_line(struct page *p, uint32_t count, double step)
{
	double most = 1;

	for (uint32_t h = 0; h < count; h++) {
		double percent = pf_percent(p->run->accounts.at[h].executed, p->table->executed);

		most = percent > most ? percent : most;
	}
	put(p, "<path fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"1.5\" d=\"");
	for (uint32_t h = 0; h < count; h++)
		pf_buffer_printf(p->out, "%c%.1f %.1f", h ? 'L' : 'M', LEFT + (h + .5) * step,
				 20 + BARS_HEIGHT *
					  (1 - pf_percent(p->run->accounts.at[h].executed, p->table->executed) / most));
	pf_buffer_printf(p->out,
			 "\"/>\n<text x=\"%.0f\" y=\"14\" text-anchor=\"end\">line: up to %.1f%% of execution</text>\n",
			 WIDTH, most);
}

static void put_bars(struct page *p)
{
	uint32_t count = p->table->hotspots < MOST_BARS ? (uint32_t)p->table->hotspots : MOST_BARS;
	double step = (WIDTH - LEFT) / (count ? count : 1);
	uint64_t most = 1;

	if (count < 2)
		return; /* there is nothing to compare */
	for (uint32_t h = 0; h < count; h++)
		most = p->run->accounts.at[h].instructions > most ? p->run->accounts.at[h].instructions : most;
	pf_buffer_printf(p->out,
			 "<h2>Size and share of each</h2>\n<figure class=\"wide\"><svg viewBox=\"0 0 %.0f %.0f\" "
			 "role=\"img\" aria-label=\"Static instructions and share of execution of each hot spot\">\n"
			 "<text x=\"%.0f\" y=\"14\">bars: up to %" PRIu64 " static instructions</text>\n",
			 WIDTH, BARS_HEIGHT + 45, LEFT, most);
	for (uint32_t h = 0; h < count; h++) {
		double height = BARS_HEIGHT * (double)p->run->accounts.at[h].instructions / (double)most;

		pf_buffer_printf(p->out,
				 "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"",
				 LEFT + (h + .15) * step, 20 + BARS_HEIGHT - height, .7 * step, height);
		put_colour(p, h);
		pf_buffer_printf(p->out, "\"/><text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%u</text>\n",
				 LEFT + (h + .5) * step, BARS_HEIGHT + 36, h + 1);
	}
	put_line(p, count, step);
	pf_buffer_printf(p->out, "<path class=\"axis\" d=\"M%.0f 20v%.0fh%.0f\"/>\n</svg></figure>\n", LEFT,
			 BARS_HEIGHT, WIDTH - LEFT);
}

/* --- all of it in words ------------------------------------------------------------------------------------------- */

static bool put_row(struct page *p, uint32_t h)
{
	const struct pf_hotspot *spot = &p->run->detector.spots.at[h];
	const struct pf_hotspot_account *account = &p->run->accounts.at[h];
	size_t count;
	struct pf_hotspot_function *functions = pf_hotspot_run_functions(p->run, h, &count);

	pf_buffer_printf(p->out, "<tr><td class=\"n\"><i style=\"background:");
	put_colour(p, h);
	pf_buffer_printf(p->out, "\"></i> %u</td><td class=\"n\">%.2f%%</td><td class=\"f\">", h + 1,
			 pf_percent(account->executed, p->table->executed));
	for (size_t i = 0; functions && i < count && i < MOST_FUNCTIONS; i++) {
		put(p, i ? ", " : "");
		put_name(p, functions[i].name);
	}
	pf_buffer_printf(p->out,
			 "%s</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%u</td><td class=\"n\">%" PRIu64
			 "</td><td class=\"n\">%" PRIu64 "</td></tr>\n",
			 count > MOST_FUNCTIONS ? ", ..." : "", spot->found, spot->entry_count, account->instructions,
			 account->entered);
	free(functions);
	return functions != NULL;
}

bool pf_hotspot_page_put(struct pf_buffer *out, struct pf_hotspot_run *r, const struct pf_hotspot_table *table,
			 const char *name, const char *source)
{
	struct page p = { .out = out, .run = r, .table = table };
	bool put_all = rank(&p);

	put_head(&p, name);
	put_summary(&p, source);
	if (put_all) {
		put_branches(&p);
		put_bars(&p);
	}
	put(&p,
	    "<h2>Hot spots</h2>\n<div class=\"wide\"><table><thead><tr><th class=\"n\">no.</th><th "
	    "class=\"n\">executed "
	    "after</th><th>functions</th><th class=\"n\">found after branches</th><th class=\"n\">its branches</th><th "
	    "class=\"n\">static instructions</th><th class=\"n\">entered</th></tr></thead><tbody>\n");
	for (uint32_t h = 0; put_all && h < table->hotspots; h++)
		put_all = put_row(&p, h);
	put(&p, "</tbody></table></div>\n</main></body>\n</html>\n");
	free(p.hotspots);
	free(p.ranks);
	return put_all && !out->failed;
}
