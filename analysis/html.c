/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as one HTML page that needs nothing else: styles and pictures are inside, there is no script, and a policy
 * forbids any.  It is written so that an XML parser takes it too, which makes it checkable.  The hard case is foreign
 * text, which goes through one escape without exception. */
#include "analysis/beyond.h"
#include "analysis/charts.h"
#include "analysis/svg.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--dim:#595959;--line:#d0d0d0;--stripe:#f4f4f4;"
    "--good:#00694c;--bad:#a03c00;--base:#777;--flags:#8a8a8a;--instr:#0072b2;--clock:#b87f00;--soft:#00875f;"
    "--lbr:#b0568a;--afdo:#d55e00;--o3:#5c5c5c;--o3-soft:#00523a}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--dim:#a8a8a8;--line:#444;--stripe:#202020;"
    "--good:#4fd6a9;--bad:#ff9a5c;--base:#999;--flags:#9a9a9a;--instr:#56b4e9;--clock:#e69f00;--soft:#2fc796;"
    "--lbr:#e29bc4;--afdo:#ff8a3d;--o3:#c2c2c2;--o3-soft:#7fe8c4}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:76rem;margin:0 auto;padding:1rem}\n"
    ".verdict{font-size:1.3rem;font-weight:600}.legend "
    "span{white-space:nowrap;margin-right:1rem}.wide{overflow-x:auto}figure{margin:1.5rem "
    "0}figcaption,.note{color:var(--dim);max-width:60rem}\n"
    "table{border-collapse:collapse;font-size:.9rem}th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);"
    "text-align:left;vertical-align:top}tbody tr:nth-child(even){background:var(--stripe)}\n"
    "td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".good{color:var(--good)}.bad,.failed{color:var(--bad)}.quiet{color:var(--dim)}small{color:var(--dim)}\n"
    "dt{font-weight:600}dd{margin:0 0 .3rem 1.5rem;overflow-wrap:anywhere}\n"
    "svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg .tick,svg .name{text-anchor:end}\n"
    ".grid{stroke:var(--line)}.zero,.interval{stroke:var(--ink)}.interval{fill:none;stroke-width:1.3}\n"
    ".v-base{fill:var(--base);stroke:var(--base)}.v-flags{fill:var(--flags);stroke:var(--flags)}\n"
    ".v-instr{fill:var(--instr);stroke:var(--instr)}.v-clock{fill:var(--clock);stroke:var(--clock)}\n"
    ".v-soft{fill:var(--soft);stroke:var(--soft)}.v-lbr{fill:var(--lbr);stroke:var(--lbr)}\n"
    ".v-afdo{fill:var(--afdo);stroke:var(--afdo)}.v-o3{fill:var(--o3);stroke:var(--o3)}\n"
    ".v-o3-soft{fill:var(--o3-soft);stroke:var(--o3-soft)}rect.noise{fill-opacity:0}\n"
    "@media print{:root{--ink:#000;--paper:#fff}}\n";

static void put_between(struct pf_buffer *out, const char *before, const char *text, const char *after)
{
	pf_buffer_printf(out, "%s", before);
	pf_svg_text(out, text);
	pf_buffer_printf(out, "%s\n", after);
}

static void put_head(struct pf_buffer *out)
{
	pf_buffer_printf(out, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
			      "<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" "
			      "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
			      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
			      "<title>pathfdo compare</title>\n<style>\n");
	pf_buffer_bytes(out, style, sizeof style - 1);
	pf_buffer_printf(out, "</style>\n</head>\n");
}

static void put_provenance(struct pf_buffer *out, const struct pf_results *results, size_t source)
{
	struct pf_provenance provenance;

	if (!pf_render_provenance(&provenance, results->comparison, source, out))
		return;
	put_between(out, "<dl>\n<dt>measured</dt><dd>", provenance.dates, "</dd>");
	put_between(out, "<dt>machine</dt><dd>", provenance.machine, "</dd>");
	put_between(out, "<dt>versions</dt><dd>", provenance.versions, "</dd>");
	put_between(out, "<dt>files</dt><dd>", provenance.files, "</dd>\n</dl>");
	pf_provenance_fini(&provenance);
}

static void put_cell(struct pf_buffer *out, const struct pf_cell *cell, bool words, bool heads)
{
	static const char *const classes[] = { "", " quiet", " good", " bad", " failed" };
	const char *tag = heads ? "th" : "td";

	pf_buffer_printf(out, "<%s%s class=\"%s%s\">", tag, heads ? " scope=\"row\"" : "", words ? "words" : "number",
			 classes[cell->mark]);
	pf_svg_text(out, cell->text ? cell->text : cell->value);
	if (*cell->detail) {
		pf_buffer_printf(out, " <small>");
		pf_svg_text(out, cell->detail);
		pf_buffer_printf(out, "</small>");
	}
	if (cell->mark == PF_CELL_NOISE)
		pf_buffer_printf(out, " <span title=\"inside the noise\">~</span>");
	if (cell->few)
		pf_buffer_printf(out, " <span title=\"few pairs\">?</span>");
	pf_buffer_printf(out, "</%s>", tag);
}

static void put_grid(struct pf_buffer *out, const struct pf_sheet *sheet)
{
	pf_buffer_printf(out, "<div class=\"wide\"><table aria-labelledby=\"%s\">\n<thead><tr>", sheet->id);
	for (size_t c = 0; c < sheet->column_count; c++)
		pf_buffer_printf(out, "<th scope=\"col\" class=\"%s\">%s</th>",
				 c < sheet->text_columns ? "words" : "number", sheet->columns[c]);
	pf_buffer_printf(out, "</tr></thead>\n<tbody>\n");
	for (size_t row = 0; row < sheet->row_count; row++) {
		pf_buffer_printf(out, "<tr>");
		for (size_t c = 0; c < sheet->column_count; c++)
			put_cell(out, &sheet->cells[row * sheet->column_count + c], c < sheet->text_columns, c == 0);
		pf_buffer_printf(out, "</tr>\n");
	}
	pf_buffer_printf(out, "</tbody>\n</table></div>\n");
}

static void put_sheet(struct pf_buffer *out, const struct pf_sheet *sheet)
{
	const char *line;

	pf_buffer_printf(out, "<h2 id=\"%s\">", sheet->id);
	pf_svg_text(out, sheet->title);
	pf_buffer_printf(out, "</h2>\n");
	if (sheet->row_count)
		put_grid(out, sheet);
	for (size_t at = 0; at < sheet->notes.size; at += strlen(line) + 1) {
		line = (const char *)sheet->notes.data + at;
		put_between(out, "<p class=\"note\">", line, "</p>");
	}
}

void pf_render_html(struct pf_buffer *out, const struct pf_sheets *sheets, const struct pf_results *results)
{
	char *verdict = pf_beyond_verdict(results), *summary = pf_render_summary(results);

	put_head(out);
	pf_buffer_printf(out, "<body>\n<main>\n<h1>pathfdo compare</h1>\n");
	put_between(out, "<p class=\"verdict\">", verdict ? verdict : "", "</p>");
	put_between(out, "<p>", summary ? summary : "", "</p>");
	out->failed |= !summary || !verdict;
	free(verdict);
	free(summary);
	for (size_t i = 0; i < results->comparison->source_count; i++)
		put_provenance(out, results, i);
	pf_charts_put(out, results);
	pf_buffer_printf(
	    out,
	    "<p>In brackets the 95%% interval. ~: inside the noise, no difference is shown. ?: fewer than %d "
	    "pairs, the interval is a guess. -: not measured, or no gain to have a part of.</p>\n",
	    PF_STATISTICS_FEW);
	for (size_t i = 0; i < sheets->count; i++)
		put_sheet(out, &sheets->sheets[i]);
	pf_buffer_printf(out, "</main>\n</body>\n</html>\n");
}
