/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See context-page.h.  A bar for each context, as wide as its share of the metric or calls, callers on top, those with
 * the most on the left; its figures are shown where the pointer rests, and where there is none, at the foot of the
 * screen for the bar that was tapped, which is the page's target: there is no script.  The hard case is a tree of
 * millions: what is too narrow to be seen is left out with all below it. */
#include "cli/context-page.h"

#include "analysis/svgtext.h"
#include "cli/percent.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1200.0
#define HEIGHT 18 /* of a bar */
#define NARROWEST 0.5
#define NAME_WIDTH 24.0 /* narrower ones have no name */
#define COLOURS 7u

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--dim:#595959;"
    "--c0:#f3b2a0;--c1:#f6c89a;--c2:#f2da8d;--c3:#cfe2a5;--c4:#a9dcc3;--c5:#a9cdec;--c6:#c9bdec}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--dim:#a8a8a8;"
    "--c0:#7d3a28;--c1:#7d4f1e;--c2:#6b5a12;--c3:#475e1e;--c4:#1f5c43;--c5:#1f4f77;--c6:#4b3d80}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{padding:1rem}h1{font-size:1.5rem;margin:.5rem 0}h1,p{overflow-wrap:anywhere}.dim{color:var(--dim)}\n"
    ".wide{overflow-x:auto}\n"
    ".flames{display:block;min-width:62rem;width:100%;height:auto;font:12px system-ui,sans-serif;fill:var(--ink)}\n"
    "rect{stroke:var(--paper);stroke-width:.5}\n"
    ".narrow{display:none}@media(max-width:64rem){.narrow{display:inline}}\n"
    ".figures{display:none;position:fixed;left:0;right:0;bottom:0;margin:0;padding:.75rem 1rem;background:var(--paper);"
    "border-top:2px solid var(--dim)}.figures:target{display:block}\n";

struct page {
	struct pf_buffer *out;
	const struct pf_contexts *c;
	char *const *names;
	double *left; /* of each bar; of its next child's while bars are put */
};

static void put(struct page *p, const char *markup)
{
	pf_buffer_bytes(p->out, markup, strlen(markup));
}

static const struct pf_context_node *node_at(const struct page *p, uint32_t node)
{
	return &p->c->nodes.at[node];
}

static double width_of(const struct page *p, uint32_t node)
{
	return WIDTH * pf_share(node_at(p, node)->below, node_at(p, 0)->below);
}

/* The next bar behind NODE's: those below a bar that is not put are not, either. */
static uint32_t next_bar(const struct page *p, uint32_t node)
{
	uint32_t next = pf_contexts_next(p->c, node);

	/* Brothers come in the order of their width: behind one that is too narrow, only uncles are wide enough. */
	while (next != PF_CONTEXT_NOTHING && width_of(p, next) < NARROWEST) {
		uint32_t parent = node_at(p, next)->parent;

		while (parent != 0 && node_at(p, parent)->next == PF_CONTEXT_NOTHING)
			parent = node_at(p, parent)->parent;
		next = parent == 0 ? PF_CONTEXT_NOTHING : node_at(p, parent)->next;
	}
	return next;
}

/* One colour a function, the same in all pages. */
static unsigned colour_of(const char *name)
{
	unsigned sum = 0;

	while (*name)
		sum = sum * 31 + (unsigned char)*name++;
	return sum % COLOURS;
}

static void put_figures(struct page *p, uint32_t node)
{
	const struct pf_context_node *n = node_at(p, node);
	uint32_t line = pf_contexts_line(p->c, node);

	pf_svg_text(p->out, p->names[n->function]);
	if (line > 0)
		pf_buffer_printf(p->out, ", called at line %" PRIu32, line);
	pf_buffer_printf(p->out, "%s: %.2f%% with what it calls, %" PRIu64 " calls",
			 n->leads != node ? ", recursively" : "", pf_percent(n->below, node_at(p, 0)->below), n->count);
	if (p->c->by_metric)
		pf_buffer_printf(p->out, ", %" PRIu64 " own %s", n->own, p->c->metric);
}

static void put_bar(struct page *p, uint32_t node)
{
	const struct pf_context_node *n = node_at(p, node);
	double width = width_of(p, node), left = p->left[n->parent];

	p->left[n->parent] += width;
	p->left[node] = left;
	pf_buffer_printf(
	    p->out, "<a href=\"#c%" PRIu32 "\"><svg x=\"%.2f\" y=\"%" PRIu64 "\" width=\"%.2f\" height=\"%d\"><title>",
	    node, left, (uint64_t)(n->depth - 1) * HEIGHT, width, HEIGHT);
	put_figures(p, node);
	pf_buffer_printf(p->out, "</title><rect width=\"100%%\" height=\"100%%\" fill=\"var(--c%u)\"/>",
			 colour_of(p->names[n->function]));
	if (width >= NAME_WIDTH) {
		put(p, "<text x=\"3\" y=\"13\">");
		pf_svg_text(p->out, p->names[n->function]);
		put(p, "</text>");
	}
	put(p, "</svg></a>\n");
}

static void put_head(struct page *p)
{
	put(p,
	    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
	    "charset=\"utf-8\"/>\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	    "'unsafe-inline'\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>Calling contexts of ");
	pf_svg_text(p->out, p->c->module);
	put(p, "</title>\n<style>\n");
	put(p, style);
	put(p, "</style>\n</head>\n<body><main>\n<h1>Calling contexts of ");
	pf_svg_text(p->out, p->c->module);
	pf_buffer_printf(p->out,
			 "</h1>\n<p class=\"dim\">Widths are shares of %" PRIu64
			 " %s; callers are above those that they "
			 "call. Rest on a bar, or tap it, for its figures. <span class=\"narrow\">The picture goes on "
			 "to the right.</span></p>\n",
			 node_at(p, 0)->below, p->c->by_metric ? p->c->metric : "calls");
}

bool pf_context_page_put(struct pf_buffer *out, const struct pf_contexts *c, char *const *names)
{
	struct page p = { .out = out, .c = c, .names = names, .left = calloc(c->nodes.count, sizeof *p.left) };
	uint32_t deepest = 1;

	if (!p.left)
		return false;
	for (uint32_t i = next_bar(&p, 0); i != PF_CONTEXT_NOTHING; i = next_bar(&p, i))
		deepest = node_at(&p, i)->depth > deepest ? node_at(&p, i)->depth : deepest;
	put_head(&p);
	pf_buffer_printf(
	    out,
	    "<div class=\"wide\"><svg class=\"flames\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f "
	    "%" PRIu64 "\">\n",
	    WIDTH, (uint64_t)deepest * HEIGHT);
	for (uint32_t i = next_bar(&p, 0); i != PF_CONTEXT_NOTHING; i = next_bar(&p, i))
		put_bar(&p, i);
	put(&p, "</svg></div>\n");
	for (uint32_t i = next_bar(&p, 0); i != PF_CONTEXT_NOTHING; i = next_bar(&p, i)) {
		pf_buffer_printf(out, "<p class=\"figures\" id=\"c%" PRIu32 "\">", i);
		put_figures(&p, i);
		put(&p, "</p>\n");
	}
	put(&p, "</main></body>\n</html>\n");
	free(p.left);
	return !out->failed;
}
