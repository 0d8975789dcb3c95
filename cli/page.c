/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page has no script, and a policy that forbids any: sections fold by themselves, colours follow the reader's. What
 * is long scrolls within its frame, so that it fits a phone.  The hard case is foreign text (sources, names, paths),
 * which goes through one escape without exception. */
#include "cli/page.h"
#include "analysis/svgtext.h"
#include "analysis/buildlog.h"
#include "cli/demangle.h"
#include "cli/line-heat.h"
#include "cli/output.h"
#include "cli/percent.h"
#include "cli/source-age.h"
#include "profile/agreement.h"
#include "support/outfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTIONS 100
#define WITH_SOURCE 40 /* functions */
#define OPEN_SOURCE 2
#define MOST_PATHS 20
#define AROUND 3 /* lines shown around those that ran */

static const char style[] =
    ":root{color-scheme:light "
    "dark;--ink:#1b1b1b;--paper:#fff;--dim:#595959;--line:#d0d0d0;--bar:#0072b2;--hot:213,94,0;"
    "--warn:#a03c00;--link:#00529b}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--dim:#a8a8a8;--line:#444;--bar:#56b4e9;"
    "--hot:255,138,61;--warn:#ff9a5c;--link:#8cc8ff}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:76rem;margin:0 auto;padding:1rem}h1,h2,p,li{overflow-wrap:anywhere}a{color:var(--link)}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.2rem;margin:1.8rem 0 .4rem}\n"
    ".wide{overflow-x:auto}.dim,small{color:var(--dim)}.warn{color:var(--warn)}\n"
    "table{border-collapse:collapse;font-size:.9rem}td,th{padding:.15rem .6rem;text-align:left;vertical-align:top}\n"
    ".list td,.list th{border-bottom:1px solid var(--line)}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".list td.f{min-width:14rem;max-width:40rem;overflow-wrap:anywhere}.b{width:6rem;min-width:3rem}\n"
    ".b i{display:block;height:.7rem;margin-top:.4rem;background:var(--bar);border-radius:2px}\n"
    "details{border-top:1px solid var(--line);padding:.3rem 0}summary{cursor:pointer;overflow-wrap:anywhere}\n"
    ".code{font:13px/1.45 ui-monospace,monospace;tab-size:4;min-width:100%}.code td{padding:0 .5rem;white-space:pre}\n"
    ".code td.n{color:var(--dim)}.code .i td{color:var(--dim);font-style:italic}\n"
    ".code tr[style] td.n{color:var(--ink)}\n"
    "@media(max-width:600px){td,th{padding:.15rem .3rem}.b{display:none}.list td.f{min-width:9rem}}\n"
    "@media print{:root{--ink:#000;--paper:#fff}}\n";

struct writer {
	struct pf_buffer out;
	const struct pf_profile *profile;
	struct pf_heat_index index;
	const struct pf_page *page;
	struct pf_heat_sources sources;
	struct pf_summary summary;
	struct pf_buildlog log;
	const struct pf_function **functions; /* hottest first */
	struct pf_error *error;
};

static void put(struct writer *w, const char *markup)
{
	pf_buffer_bytes(&w->out, markup, strlen(markup));
}

static void put_text(struct writer *w, const char *text)
{
	pf_svg_text(&w->out, text);
}

static void put_name(struct writer *w, const char *name)
{
	char *demangled = pf_demangle(name);

	put_text(w, demangled ? demangled : name);
	free(demangled);
}

/* 1234567 as "1,234,567", with room for a word. */
static void put_number(struct writer *w, uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			put(w, ",");
		pf_buffer_u8(&w->out, (uint8_t)digits[i]);
	}
}

static void put_head(struct writer *w, const char *name)
{
	put(w,
	    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
	    "charset=\"utf-8\"/>\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
	put_text(w, name);
	put(w, "</title>\n<style>\n");
	put(w, style);
	put(w, "</style>\n</head>\n<body><main>\n<h1>");
	put_text(w, name);
	put(w, "</h1>\n");
}

static void put_trust(struct writer *w)
{
	uint32_t permille = pf_agreement_permille(&w->profile->agreement);

	if (permille == PF_AGREEMENT_UNKNOWN) {
		put(w, "<p>How well it was sampled is not known: it was made by hand, from mere counts, or by an "
		       "older version."
		       "</p>\n");
		return;
	}
	pf_buffer_printf(&w->out,
			 "<p%s>Two halves of the recording agree to %" PRIu32 ".%" PRIu32 "%%, by %" PRIu64
			 " looks: by chance alone, about %" PRIu32 "%% of the profile is wrong.%s</p>\n",
			 permille < 600 ? " class=\"warn\"" : "", permille / 10, permille % 10,
			 w->profile->agreement.looks, (1000 - permille + 10) / 20,
			 permille < 600 ? " Too little was recorded to be sure of it." : "");
}

static void put_sampling(struct writer *w)
{
	static const char *const kinds[] = { "", "lbr", "soft", "clock", "other" };

	pf_buffer_printf(&w->out, "<p><b>%" PRIu32 " functions</b>, %" PRIu64 " positions. The hottest ",
			 w->summary.function_count, w->summary.positions);
	pf_buffer_printf(&w->out, "%" PRIu64 " positions make up 90%% of all counts, %" PRIu64 " make up 99%%.</p>\n",
			 w->summary.cutoffs[10].positions, w->summary.cutoffs[12].positions);
	put_trust(w);
	if (!w->profile->provenance_count)
		return;
	put(w, "<div class=\"wide\"><table class=\"list\"><thead><tr><th>recorded from</th><th>source</th>"
	       "<th class=\"n\">samples</th><th class=\"n\">lost</th></tr></thead><tbody>\n");
	for (uint32_t p = 0; p < w->profile->provenance_count; p++) {
		const struct pf_provenance *from = &w->profile->provenances[p];

		put(w, "<tr><td class=\"f\">");
		put_text(w, from->binary);
		pf_buffer_printf(&w->out, "</td><td>%s</td><td class=\"n\">",
				 (size_t)from->kind < sizeof kinds / sizeof *kinds ? kinds[from->kind] : "");
		put_number(w, from->samples);
		put(w, "</td><td class=\"n\">");
		put_number(w, from->lost);
		put(w, "</td></tr>\n");
	}
	put(w, "</tbody></table></div>\n");
}

static void put_build(struct writer *w)
{
	const struct pf_buildlog *log = &w->log;

	if (!w->page->report)
		return;
	pf_buffer_printf(&w->out,
			 "<h2>What the build made of it</h2>\n<p><b>%" PRIu64 " functions matched</b>, %s%" PRIu64
			 " stale%s, %" PRIu64 " not seen in the recording, in %" PRIu64 " files. %" PRIu64
			 " calls were inlined again, %" PRIu64 " were not, %" PRIu64
			 " indirect calls were made direct.</p>\n",
			 log->matched, log->stale ? "<b class=\"warn\">" : "", log->stale, log->stale ? "</b>" : "",
			 log->unmatched, log->files, log->inlined, log->refused, log->promoted);
	if (log->refusals.count)
		put(w, "<p>Why calls were not inlined again:</p>\n<ul>\n");
	for (size_t i = 0; i < log->refusals.count && i < 10; i++) {
		pf_buffer_printf(&w->out, "<li>%" PRIu64 ": ", log->refusals.items[i].count);
		put_text(w, log->refusals.items[i].name);
		put(w, "</li>\n");
	}
	if (log->refusals.count)
		put(w, "</ul>\n");
}

/* What the build made of FUNCTION: a word, "" if no report tells. */
static const char *found(const struct writer *w, const struct pf_function *function)
{
	for (size_t i = 0; i < w->log.stale_functions.count; i++) {
		if (strcmp(w->log.stale_functions.items[i].name, function->name) == 0)
			return "stale";
	}
	for (size_t i = 0; i < w->log.matched_functions.count; i++) {
		if (strcmp(w->log.matched_functions.items[i].name, function->name) == 0)
			return "matched";
	}
	return "no body of its own";
}

static uint32_t shown_functions(const struct writer *w, uint32_t most)
{
	return w->profile->function_count < most ? w->profile->function_count : most;
}

static void put_functions(struct writer *w)
{
	uint32_t count = shown_functions(w, MOST_FUNCTIONS);

	put(w, "<h2>Functions</h2>\n<div class=\"wide\"><table class=\"list\"><thead><tr><th "
	       "class=\"n\">share</th><th class=\"b\"></th>"
	       "<th>function</th><th class=\"n\">entered</th>");
	put(w, w->page->report ? "<th>in the build</th></tr></thead><tbody>\n" : "</tr></thead><tbody>\n");
	for (uint32_t f = 0; f < count; f++) {
		const struct pf_function *function = w->functions[f];
		double percent = pf_percent(function->total, w->summary.total);

		pf_buffer_printf(&w->out,
				 "<tr><td class=\"n\">%.1f%%</td><td class=\"b\"><i "
				 "style=\"width:%.1f%%\"></i></td><td class=\"f\">",
				 percent, percent);
		if (f < WITH_SOURCE)
			pf_buffer_printf(&w->out, "<a href=\"#f%" PRIu32 "\">", f);
		put_name(w, function->name);
		put(w, f < WITH_SOURCE ? "</a><br/><small>" : "<br/><small>");
		put_text(w, function->file);
		pf_buffer_printf(&w->out, ":%" PRIu32 "</small></td><td class=\"n\">", function->line);
		put_number(w, function->head);
		if (w->page->report)
			pf_buffer_printf(&w->out, "</td><td>%s", found(w, function));
		put(w, "</td></tr>\n");
	}
	put(w, "</tbody></table></div>\n");
	if (count < w->profile->function_count)
		pf_buffer_printf(&w->out, "<p class=\"dim\">and %" PRIu32 " more</p>\n",
				 w->profile->function_count - count);
}

static void put_line(struct writer *w, const struct pf_heat *heat, const struct pf_heat_line *line, uint32_t number,
		     const char *text)
{
	put(w, "<tr");
	if (line && line->count)
		pf_buffer_printf(&w->out, " style=\"background:rgba(var(--hot),%.2f)\"",
				 0.05 + 0.45 * (double)line->count / (double)heat->maximum);
	put(w, "><td class=\"n\">");
	if (line)
		put_number(w, line->count);
	put(w, "</td><td class=\"n\">");
	if (line && (line->taken || line->fell))
		pf_buffer_printf(&w->out, "%.0f%%",
				 100.0 * (double)line->taken / ((double)line->taken + (double)line->fell));
	pf_buffer_printf(&w->out, "</td><td class=\"n\">%" PRIu32 "</td><td>", number);
	pf_output_source(&w->out, text);
	put(w, "</td></tr>\n");
}

static void put_inlined(struct writer *w, const struct pf_heat *heat, uint32_t line, size_t *at)
{
	for (; *at < heat->inline_count && heat->inlines[*at].line <= line; ++*at) {
		put(w, "<tr class=\"i\"><td class=\"n\">");
		put_number(w, heat->inlines[*at].entries);
		put(w, "</td><td></td><td></td><td>    inlined: ");
		put_name(w, heat->inlines[*at].name);
		put(w, "</td></tr>\n");
	}
}

/* Whether LINE is near one that ran, the next of which is AT. */
static bool is_near(const struct pf_heat *heat, size_t at, uint32_t line)
{
	return (at < heat->line_count && heat->lines[at].line <= (uint64_t)line + AROUND) ||
	       (at && line <= (uint64_t)heat->lines[at - 1].line + AROUND) || line == heat->first;
}

static void put_source(struct writer *w, const struct pf_heat *heat, FILE *source)
{
	size_t at = 0, inlined = 0, room = 0;
	bool gap = false;
	char *text = NULL;
	ssize_t length;

	for (uint32_t line = 1; source && (length = getline(&text, &room, source)) >= 0; line++) {
		bool ran = at < heat->line_count && heat->lines[at].line == line;

		text[strcspn(text, "\r\n")] = '\0';
		if (!is_near(heat, at, line)) {
			if (gap && at < heat->line_count)
				put(w, "<tr class=\"i\"><td></td><td></td><td></td><td>...</td></tr>\n");
			gap = false;
			continue;
		}
		gap = true;
		put_line(w, heat, ran ? &heat->lines[at] : NULL, line, text);
		at += ran;
		put_inlined(w, heat, line, &inlined);
	}
	for (; at < heat->line_count; at++) {
		put_line(w, heat, &heat->lines[at], heat->lines[at].line, "");
		put_inlined(w, heat, heat->lines[at].line, &inlined);
	}
	free(text);
}

static int put_body(struct writer *w, uint32_t f)
{
	const struct pf_function *function = w->functions[f];
	struct pf_heat heat;
	FILE *source;
	int status = pf_heat_of(&w->index, function->name, function->file, function->line, &heat, w->error);

	if (status < 0)
		return status;
	source = pf_heat_open(function->file, &w->sources);
	pf_buffer_printf(&w->out, "<details id=\"f%" PRIu32 "\"%s><summary>", f,
			 f < OPEN_SOURCE ? " open=\"open\"" : "");
	put_name(w, function->name);
	put(w, " <small>");
	put_text(w, function->file);
	pf_buffer_printf(&w->out, ":%" PRIu32 "%s</small></summary>\n", function->line,
			 !source            ? " - the source is not here; --source DIR says where it is"
			 : w->sources.newer ? " - " PF_SOURCE_AGE_NEWER
					    : "");
	put(w,
	    "<div class=\"wide\"><table class=\"code\"><thead><tr><th class=\"n\">count</th><th class=\"n\">taken</th>"
	    "<th class=\"n\">line</th><th></th></tr></thead><tbody>\n");
	put_source(w, &heat, source);
	put(w, "</tbody></table></div></details>\n");
	if (source)
		fclose(source);
	pf_heat_fini(&heat);
	return PF_OK;
}

struct hot_path {
	const struct pf_function *function;
	const struct pf_path *path;
};

static int by_descending_count(const void *a, const void *b)
{
	uint64_t x = ((const struct hot_path *)a)->path->count, y = ((const struct hot_path *)b)->path->count;

	return (x < y) - (x > y);
}

static void put_path(struct writer *w, const struct hot_path *hot)
{
	const struct pf_function *function = hot->function;
	uint32_t last = 0, node = UINT32_MAX;

	put(w, "<tr><td class=\"n\">");
	put_number(w, hot->path->count);
	put(w, "</td><td class=\"f\">");
	put_name(w, function->name);
	put(w, "<br/><small>lines");
	for (uint32_t i = 0; i < hot->path->place_count; i++) {
		const struct pf_place *place = &hot->path->places[i];
		uint32_t line = (uint32_t)((int64_t)function->nodes[place->node].line + place->position.line);

		if (place->node == node && line == last)
			continue;
		put(w, i ? " \xe2\x86\x92 " : " ");
		if (place->node != node && place->node) {
			put_name(w, function->nodes[place->node].name);
			put(w, ":");
		}
		pf_buffer_printf(&w->out, "%" PRIu32, line);
		node = place->node;
		last = line;
	}
	put(w, "</small></td></tr>\n");
}

static int put_paths(struct writer *w)
{
	size_t count = 0;
	struct hot_path *paths;

	for (uint32_t f = 0; f < w->profile->function_count; f++)
		count += w->profile->functions[f].path_count;
	if (!count)
		return PF_OK;
	paths = calloc(count, sizeof *paths);
	if (!paths)
		return pf_fail(w->error, PF_ENOMEM, "out of memory for the page");
	count = 0;
	for (uint32_t f = 0; f < w->profile->function_count; f++) {
		for (uint32_t p = 0; p < w->profile->functions[f].path_count; p++)
			paths[count++] =
			    (struct hot_path) { &w->profile->functions[f], &w->profile->functions[f].paths[p] };
	}
	qsort(paths, count, sizeof *paths, by_descending_count);
	put(w, "<h2>Hot paths</h2>\n<div class=\"wide\"><table class=\"list\"><thead><tr><th class=\"n\">count</th>"
	       "<th>what ran one behind the other</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < count && i < MOST_PATHS; i++)
		put_path(w, &paths[i]);
	put(w, "</tbody></table></div>\n");
	free(paths);
	return PF_OK;
}

static int by_descending_total(const void *a, const void *b)
{
	const struct pf_function *x = *(const struct pf_function *const *)a, *y = *(const struct pf_function *const *)b;

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : (x > y) - (x < y);
}

static int put_all(struct writer *w, const char *name)
{
	int status = PF_OK;

	for (uint32_t f = 0; f < w->profile->function_count; f++)
		w->functions[f] = &w->profile->functions[f];
	qsort(w->functions, w->profile->function_count, sizeof *w->functions, by_descending_total);
	put_head(w, name);
	put_sampling(w);
	put_build(w);
	put_functions(w);
	put(w, "<h2>Source</h2>\n<p class=\"dim\">How often each line ran, all inlined instances included, and how "
	       "often its "
	       "jumps were taken.</p>\n");
	for (uint32_t f = 0; status == PF_OK && f < shown_functions(w, WITH_SOURCE); f++)
		status = put_body(w, f);
	if (status == PF_OK)
		status = put_paths(w);
	put(w, "</main></body>\n</html>\n");
	return status == PF_OK && w->out.failed ? pf_fail(w->error, PF_ENOMEM, "out of memory for the page") : status;
}

int pf_page_write(const struct pf_profile *profile, const char *name, const struct pf_page *page, const char *path,
		  struct pf_error *error)
{
	struct pf_page own = *page;
	struct writer w = {
		.profile = profile, .page = &own, .sources = { .folders = own.folders, .output = path }, .error = error
	};
	int status = pf_profile_summarise(profile, &w.summary, error);

	own.folders[own.folder_count] = ".";
	w.sources.made = pf_source_age_of_profile(profile, name);
	if (status == PF_OK && page->report)
		status = pf_buildlog_read(page->report, &w.log, error);
	w.functions = calloc((size_t)profile->function_count + 1, sizeof *w.functions);
	if (status == PF_OK && !w.functions)
		status = pf_fail(error, PF_ENOMEM, "out of memory for the page");
	if (status == PF_OK)
		status = pf_heat_index_init(&w.index, profile, error);
	if (status == PF_OK)
		status = put_all(&w, name);
	if (status == PF_OK)
		status = pf_heat_spare(&w.sources, error);
	if (status == PF_OK)
		status = pf_outfile_write(path, w.out.data, w.out.size, error);
	free(w.functions);
	pf_heat_index_fini(&w.index);
	pf_buffer_fini(&w.out);
	pf_buildlog_fini(&w.log);
	return status;
}
