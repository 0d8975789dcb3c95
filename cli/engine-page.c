/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See engine-page.h.  Two pictures as Zilles and Sohi drew them: each value's estimated invariance over the true one
 * (Figure 5), and the error as the run goes on (Figure 7).  The hard case is that most values weigh next to nothing in
 * the error: a dot's area is its weight, so that what is seen to be off is what counts. */
#include "cli/engine-page.h"

#include "analysis/svgtext.h"

#include <inttypes.h>
#include <math.h>

#define SIDE 400.0 /* of the square of dots */
#define WIDTH 760.0
#define HEIGHT 260.0
#define LEFT 56.0
#define TOP 14.0
#define LARGEST 14.0 /* radius of a dot */
#define SMALLEST 1.2

static const char head[] =
    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
static const char style[] =
    "<style>\n:root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--dim:#595959;--line:#d0d0d0;"
    "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#b58900;--c5:#2b8fc4;--c6:#7a4fbf;--c7:#555}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--dim:#a8a8a8;--line:#444;"
    "--c0:#56b4e9;--c1:#ff8a3d;--c2:#2fd1a0;--c3:#e69fc8;--c4:#e0c341;--c5:#7cc7ee;--c6:#b493f0;--c7:#aaa}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:60rem;margin:0 auto;padding:1rem}h1,h2,h3,p{overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.2rem;margin:1.8rem 0 .4rem}h3{font-size:1rem;margin:1rem 0 0}\n"
    ".dim{color:var(--dim)}.wide{overflow-x:auto}figure{margin:0}\n"
    ".all{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem}\n"
    "svg{display:block;width:100%;height:auto;font:12px system-ui,sans-serif;fill:var(--ink)}\n"
    ".axis{stroke:var(--line);fill:none}circle{fill-opacity:.45}\n"
    "@media print{:root{--ink:#000;--paper:#fff}}\n</style>\n";

static void put(struct pf_buffer *out, const char *markup)
{
	pf_buffer_bytes(out, markup, strlen(markup));
}

/* The program's name without its folder. */
static void put_name(struct pf_buffer *out, const struct pf_engine_told *told)
{
	const char *name = told->machine->program->name, *slash = strrchr(name, '/');

	pf_svg_text(out, slash ? slash + 1 : name);
}

/* --- Figure 5 ----------------------------------------------------------------------------------------------------- */

static void put_dot(struct pf_buffer *out, const struct pf_truth_point *point, double most, uint32_t colour)
{
	double radius = LARGEST * sqrt((double)point->count / most);

	pf_buffer_printf(out,
			 "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"var(--c%u)\"><title>0x%" PRIx64 ", %" PRIu64
			 " times: true %.1f%%, estimated %.1f%%</title></circle>\n",
			 LEFT + SIDE * point->share, TOP + SIDE * (1 - point->estimate),
			 radius > SMALLEST ? radius : SMALLEST, colour, point->value, point->count, 100 * point->share,
			 100 * point->estimate);
}

static void put_scatter(struct pf_buffer *out, const struct pf_engine_told *told, uint32_t colour)
{
	double most = 1;

	for (size_t i = 0; i < told->points.count; i++)
		most = (double)told->points.at[i].count > most ? (double)told->points.at[i].count : most;
	put(out, "<figure><h3>");
	put_name(out, told);
	pf_buffer_printf(
	    out,
	    "</h3><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Estimated over true invariance; "
	    "weighted error %.2f%%\">\n<path class=\"axis\" d=\"M%.0f %.0fv%.0fh%.0fM%.0f %.0fl%.0f %.0f\"/>\n",
	    LEFT + SIDE + LARGEST, TOP + SIDE + 40, 100 * told->score->rms, LEFT, TOP, SIDE, SIDE, LEFT, TOP + SIDE,
	    SIDE, -SIDE);
	for (size_t i = 0; i < told->points.count; i++)
		put_dot(out, &told->points.at[i], most, colour);
	for (int i = 0; i <= 4; i++)
		pf_buffer_printf(out,
				 "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%d%%</text>"
				 "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%d%%</text>\n",
				 LEFT + SIDE * i / 4, TOP + SIDE + 16, 25 * i, LEFT - 6, TOP + SIDE * (4 - i) / 4 + 4,
				 25 * i);
	pf_buffer_printf(
	    out,
	    "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">true invariance</text></svg>"
	    "<p class=\"dim\">%" PRIu64 " values, %" PRIu64 " with an estimate; weighted error %.2f%%</p></figure>\n",
	    LEFT + SIDE / 2, TOP + SIDE + 34, told->score->values, told->score->seen, 100 * told->score->rms);
}

/* --- Figure 7 ----------------------------------------------------------------------------------------------------- */

struct scale {
	double first, last, most; /* logarithms of loads; error */
};

static double x_of(const struct scale *s, uint64_t loads)
{
	return LEFT + (WIDTH - LEFT - LARGEST) * (log2((double)loads) - s->first) / (s->last - s->first);
}

static double y_of(const struct scale *s, double rms)
{
	return TOP + HEIGHT * (1 - rms / s->most);
}

static struct scale scale_of(const struct pf_engine_told *told, uint32_t count)
{
	struct scale s = { .first = INFINITY, .most = .01 };

	for (uint32_t i = 0; i < count; i++) {
		for (size_t k = 0; k < told[i].course->count; k++) {
			const struct pf_truth_step *step = &told[i].course->at[k];

			if (step->loads == 0) /* which no logarithm has */
				continue;
			s.first = fmin(s.first, log2((double)step->loads));
			s.last = fmax(s.last, log2((double)step->loads));
			s.most = fmax(s.most, step->rms);
		}
	}
	return s;
}

static void put_line(struct pf_buffer *out, const struct pf_engine_told *told, const struct scale *s, uint32_t colour)
{
	put(out, "<path fill=\"none\" stroke-width=\"2\" d=\"");
	char next = 'M';

	for (size_t k = 0; k < told->course->count; k++) {
		if (told->course->at[k].loads == 0)
			continue;
		pf_buffer_printf(out, "%c%.1f %.1f", next, x_of(s, told->course->at[k].loads),
				 y_of(s, told->course->at[k].rms));
		next = 'L';
	}
	pf_buffer_printf(out, "\" stroke=\"var(--c%u)\"/>\n", colour);
}

static void put_legend(struct pf_buffer *out, const struct pf_engine_told *told, uint32_t count)
{
	put(out, "<p>");
	for (uint32_t i = 0; i < count; i++) {
		if (!told[i].score)
			continue;
		pf_buffer_printf(out, "<b style=\"color:var(--c%u)\">", i);
		put_name(out, &told[i]);
		put(out, "</b> ");
	}
	put(out, "</p>\n");
}

static void put_course(struct pf_buffer *out, const struct pf_engine_told *told, uint32_t count)
{
	struct scale s = scale_of(told, count);

	if (!(s.last > s.first))
		return; /* one moment is no course */
	pf_buffer_printf(
	    out,
	    "<h2>The error as the run goes on</h2>\n<p class=\"dim\">Of what was saved by then, against "
	    "what had been loaded by then; the scale of loads is logarithmic.</p>\n"
	    "<figure class=\"wide\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Weighted error "
	    "by loads executed\">\n<path class=\"axis\" d=\"M%.0f %.0fv%.0fh%.0f\"/>\n"
	    "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%.0f%%</text>"
	    "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">0%%</text>\n",
	    WIDTH, TOP + HEIGHT + 24, LEFT, TOP, HEIGHT, WIDTH - LEFT - LARGEST, LEFT - 6, TOP + 4, 100 * s.most,
	    LEFT - 6, TOP + HEIGHT + 4);
	for (uint32_t i = 0; i < count; i++)
		put_line(out, &told[i], &s, i);
	pf_buffer_printf(out,
			 "<text x=\"%.0f\" y=\"%.0f\">%.0f loads</text><text x=\"%.0f\" y=\"%.0f\" "
			 "text-anchor=\"end\">%.1f million</text>\n</svg></figure>\n",
			 LEFT, TOP + HEIGHT + 18, exp2(s.first), WIDTH - LARGEST, TOP + HEIGHT + 18,
			 exp2(s.last) / 1e6);
	put_legend(out, told, count);
}

bool pf_engine_page_put(struct pf_buffer *out, const struct pf_engine_told *told, uint32_t count, const char *name)
{
	put(out, head);
	put(out, "<title>Invariance of loads of ");
	pf_svg_text(out, name);
	put(out, "</title>\n");
	put(out, style);
	put(out, "</head>\n<body><main>\n<h1>Invariance of loads of ");
	pf_svg_text(out, name);
	put(out, "</h1>\n<h2>Estimated over true</h2>\n<p class=\"dim\">Each dot is a value that a load loaded "
		 "200 times or more and in a quarter of its executions; its area is how often. What is on the line is "
		 "right; "
		 "what has no estimate is at 0%.</p>\n<div class=\"all\">\n");
	for (uint32_t i = 0; i < count; i++) {
		if (told[i].score)
			put_scatter(out, &told[i], i);
	}
	put(out, "</div>\n");
	put_course(out, told, count);
	put(out, "</main></body>\n</html>\n");
	return !out->failed;
}
