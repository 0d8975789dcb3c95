/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars in groups, drawn upwards from zero or downwards, with the interval as a line with caps.  A bar that is inside
 * the noise is hollow, so that colour alone says nothing.  The hard case is the axis: it must hold intervals of any
 * size with a handful of round numbers, and keep zero. */
#include "analysis/svg.h"

#include <math.h>
#include <string.h>

#define LEFT 64.0
#define TOP 12.0
#define PLOT 240.0
#define BELOW 110.0
#define BAR 14.0
#define GAP 18.0
#define LONGEST_LABEL 22

struct axis {
	double low, high, step;
	int digits;
};

static void put_escaped(struct pf_buffer *out, const char *character, size_t length)
{
	switch (*character) {
	case '<':
		pf_buffer_printf(out, "&lt;");
		break;
	case '>':
		pf_buffer_printf(out, "&gt;");
		break;
	case '&':
		pf_buffer_printf(out, "&amp;");
		break;
	case '"':
		pf_buffer_printf(out, "&quot;");
		break;
	case '\'':
		pf_buffer_printf(out, "&#39;");
		break;
	default:
		pf_buffer_bytes(out, character, length);
	}
}

void pf_svg_text(struct pf_buffer *out, const char *text)
{
	pf_render_text(out, text, put_escaped);
}

/* The smallest of 1, 2, 5 times a power of ten that is not below LEAST. */
static double round_up(double least)
{
	double power = pow(10, floor(log10(least)));

	for (int i = 0; i < 3; i++) {
		static const double steps[] = { 1, 2, 5 };

		if (steps[i] * power >= least * (1 - 1e-9))
			return steps[i] * power;
	}
	return 10 * power;
}

static struct axis axis_of(const struct pf_chart *chart)
{
	struct axis axis = { 0 };

	for (size_t i = 0; i < chart->group_count * chart->series_count; i++) {
		const struct pf_estimate *e = &chart->bars[i].estimate;

		if (!e->known)
			continue;
		axis.low = fmin(axis.low, e->bounded ? fmin(e->low, e->value) : e->value);
		axis.high = fmax(axis.high, e->bounded ? fmax(e->high, e->value) : e->value);
	}
	if (axis.high - axis.low < 1e-6)
		axis.high = 1;
	axis.step = round_up((axis.high - axis.low) / 6);
	axis.low -= axis.low < 0 ? 0.1 * axis.step : 0;
	axis.high = axis.step * ceil(axis.high / axis.step);
	axis.digits = axis.step < 1 ? (int)ceil(-log10(axis.step) - 1e-9) : 0;
	return axis;
}

static double y_of(const struct axis *axis, double value)
{
	return TOP + PLOT * (axis->high - value) / (axis->high - axis->low);
}

static void put_number(struct pf_buffer *out, const struct pf_chart *chart, double value, int digits)
{
	if (fabs(value) < 0.5 * pow(10, -digits))
		value = 0;
	if (fabs(value) >= 1e6)
		pf_buffer_printf(out, chart->has_sign ? "%+.2e%s" : "%.2e%s", value, chart->unit);
	else
		pf_buffer_printf(out, chart->has_sign && value != 0 ? "%+.*f%s" : "%.*f%s", digits, value, chart->unit);
}

static void put_value(struct pf_buffer *out, const struct pf_chart *chart, const struct pf_bar *bar)
{
	put_number(out, chart, bar->estimate.value, 2);
	if (bar->estimate.bounded) {
		pf_buffer_printf(out, " [");
		put_number(out, chart, bar->estimate.low, 2);
		pf_buffer_printf(out, ", ");
		put_number(out, chart, bar->estimate.high, 2);
		pf_buffer_printf(out, "]");
	}
	if (bar->noise)
		pf_buffer_printf(out, ", inside the noise");
}

/* What the picture shows, in words. */
static void put_alternative(struct pf_buffer *out, const struct pf_chart *chart)
{
	for (size_t g = 0; g < chart->group_count; g++) {
		const char *between = "";

		pf_svg_text(out, chart->groups[g]);
		pf_buffer_printf(out, ": ");
		for (size_t s = 0; s < chart->series_count; s++) {
			const struct pf_bar *bar = &chart->bars[g * chart->series_count + s];

			if (!bar->estimate.known)
				continue;
			pf_buffer_printf(out, "%s%s ", between, pf_variant_names[chart->series[s]]);
			put_value(out, chart, bar);
			between = "; ";
		}
		pf_buffer_printf(out, "%s. ", *between ? "" : "nothing measured");
	}
}

static void put_axis(struct pf_buffer *out, const struct pf_chart *chart, const struct axis *axis, double width)
{
	int first = (int)ceil(axis->low / axis->step - 1e-9), last = (int)lround(axis->high / axis->step);

	for (int i = first; i <= last; i++) {
		double value = i * axis->step, y = y_of(axis, value);
		bool zero = i == 0;

		pf_buffer_printf(out, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", zero ? "zero" : "grid", LEFT, y,
				 width - 8);
		pf_buffer_printf(out, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">", LEFT - 6, y + 4);
		put_number(out, chart, value, axis->digits);
		pf_buffer_printf(out, "</text>\n");
	}
}

/* Words of a-z and '-', which a variant's name need not be. */
static const char *const classes[PF_VARIANTS] = { "base", "flags",   "o3",  "instr", "clock",
						  "soft", "o3-soft", "lbr", "afdo" };

void pf_svg_legend(struct pf_buffer *out, const struct pf_chart *chart)
{
	pf_buffer_printf(out, "<p class=\"legend\">");
	for (size_t i = 0; i < chart->series_count; i++)
		pf_buffer_printf(out,
				 "%s<span><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"v-%s\" "
				 "width=\"12\" height=\"12\"/></svg> %s</span>",
				 i ? " " : "", classes[chart->series[i]], pf_variant_names[chart->series[i]]);
	pf_buffer_printf(out, "</p>\n");
}

static void put_bar(struct pf_buffer *out, const struct pf_chart *chart, const struct axis *axis, size_t group,
		    size_t series, double x)
{
	const struct pf_bar *bar = &chart->bars[group * chart->series_count + series];
	const char *variant = pf_variant_names[chart->series[series]];
	double y = y_of(axis, bar->estimate.value), zero = y_of(axis, 0), middle = x + BAR / 2 - 1;

	if (!bar->estimate.known)
		return;
	pf_buffer_printf(out, "<g><title>");
	pf_svg_text(out, chart->groups[group]);
	pf_buffer_printf(out, ", %s: ", variant);
	put_value(out, chart, bar);
	pf_buffer_printf(out, "</title><rect class=\"v-%s%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
			 classes[chart->series[series]], bar->noise ? " noise" : "", x, fmin(y, zero), BAR - 2,
			 fabs(y - zero));
	if (bar->estimate.bounded) {
		double low = y_of(axis, bar->estimate.low), high = y_of(axis, bar->estimate.high);

		pf_buffer_printf(out, "<path class=\"interval\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6\"/>",
				 middle, low, high, middle - 3, low, middle - 3, high);
	}
	pf_buffer_printf(out, "</g>\n");
}

/* The first characters of NAME, slanted so that neighbours do not meet. */
static void put_label(struct pf_buffer *out, const char *name, double x)
{
	const char *end = name;
	char cut[4 * LONGEST_LABEL + 1];

	for (size_t i = 0; i < LONGEST_LABEL && *end; i++)
		do
			end++;
		while (((unsigned char)*end & 0xc0) == 0x80 && (size_t)(end - name) < sizeof cut - 1);
	snprintf(cut, sizeof cut, "%.*s", (int)(end - name), name);
	pf_buffer_printf(out, "<text class=\"name\" x=\"0\" y=\"0\" transform=\"translate(%.1f %.1f) rotate(-40)\">", x,
			 TOP + PLOT + 16);
	pf_svg_text(out, cut);
	pf_buffer_printf(out, "%s</text>\n", *end ? "…" : "");
}

void pf_svg_bars(struct pf_buffer *out, const struct pf_chart *chart)
{
	struct axis axis = axis_of(chart);
	double group = BAR * (double)chart->series_count + GAP, x = LEFT + GAP / 2;
	double width = fmax(LEFT + group * (double)chart->group_count + 16, 480);

	pf_buffer_printf(out,
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"%s-title %s-text\" "
			 "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n<title id=\"%s-title\">",
			 chart->id, chart->id, width, TOP + PLOT + BELOW, width, TOP + PLOT + BELOW, chart->id);
	pf_svg_text(out, chart->title);
	pf_buffer_printf(out, "</title>\n<desc id=\"%s-text\">", chart->id);
	put_alternative(out, chart);
	pf_buffer_printf(out, "</desc>\n");
	put_axis(out, chart, &axis, width);
	for (size_t g = 0; g < chart->group_count; g++, x += group) {
		for (size_t s = 0; s < chart->series_count; s++)
			put_bar(out, chart, &axis, g, s, x + BAR * (double)s);
		put_label(out, chart->groups[g], x + group / 2);
	}
	pf_buffer_printf(out, "</svg>\n");
}
