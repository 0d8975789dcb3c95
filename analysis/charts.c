/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pictures there are: gains by program for each language; of several programs what collecting costs, and what the
 * tool costs.  A picture without a single bar is left out. */
#include "analysis/charts.h"
#include "analysis/svg.h"

#include <stdlib.h>
#include <string.h>

/* One picture in the making.  The bars of one more group than there are programs: the mean. */
struct drawing {
	const char *groups[PF_COMPARISON_PROGRAMS + 1];
	struct pf_bar bars[(PF_COMPARISON_PROGRAMS + 1) * PF_VARIANTS];
	int series[PF_VARIANTS];
	struct pf_chart chart;
	const char *missing[PF_COMPARISON_PROGRAMS]; /* programs without a bar */
	size_t missing_count;
	bool has_mean; /* the last group is the mean */
};

static void start(struct drawing *drawing, const char *id, const char *title, const char *unit, bool has_sign)
{
	drawing->chart = (struct pf_chart) { .id = id,
					     .title = title,
					     .unit = unit,
					     .has_sign = has_sign,
					     .groups = drawing->groups,
					     .series = drawing->series,
					     .bars = drawing->bars };
	drawing->missing_count = 0;
	drawing->has_mean = false;
}

static bool has_bar(const struct drawing *drawing, size_t group)
{
	for (size_t s = 0; s < drawing->chart.series_count; s++)
		if (drawing->bars[group * drawing->chart.series_count + s].estimate.known)
			return true;
	return false;
}

/* Takes out the groups without a bar, whose names the caption will tell, and the mean of a single program. */
static void prune(struct drawing *drawing)
{
	size_t series = drawing->chart.series_count, kept = 0;

	for (size_t g = 0; g < drawing->chart.group_count; g++) {
		bool is_mean = drawing->has_mean && g + 1 == drawing->chart.group_count;

		if (has_bar(drawing, g) && !(is_mean && kept < 2)) {
			memmove(drawing->bars + kept * series, drawing->bars + g * series,
				series * sizeof *drawing->bars);
			drawing->groups[kept++] = drawing->groups[g];
		} else if (!is_mean) {
			drawing->missing[drawing->missing_count++] = drawing->groups[g];
		}
	}
	drawing->chart.group_count = kept;
}

static void put_drawing(struct pf_buffer *out, struct drawing *drawing, const char *caption)
{
	prune(drawing);
	if (!drawing->chart.group_count)
		return;
	pf_buffer_printf(out, "<figure>\n<figcaption><b>");
	pf_svg_text(out, drawing->chart.title);
	pf_buffer_printf(out, ".</b> ");
	pf_svg_text(out, caption);
	for (size_t i = 0; i < drawing->missing_count; i++) {
		pf_buffer_printf(out, i ? ", " : " Without ");
		pf_svg_text(out, drawing->missing[i]);
	}
	pf_buffer_printf(out, drawing->missing_count ? ", for want of numbers." : "");
	pf_buffer_printf(out, "</figcaption>\n");
	pf_svg_legend(out, &drawing->chart);
	pf_buffer_printf(out, "<div class=\"wide\">");
	pf_svg_bars(out, &drawing->chart);
	pf_buffer_printf(out, "</div>\n</figure>\n");
}

/* A new group of empty bars. */
static struct pf_bar *add_group(struct drawing *drawing, const char *name, bool is_mean)
{
	struct pf_bar *bars = drawing->bars + drawing->chart.group_count * drawing->chart.series_count;

	memset(bars, 0, drawing->chart.series_count * sizeof *bars);
	drawing->groups[drawing->chart.group_count++] = name;
	drawing->has_mean = is_mean;
	return bars;
}

/* A ratio as a change in percent. */
static struct pf_estimate change(const struct pf_estimate *ratio)
{
	return (struct pf_estimate) { ratio->known,           ratio->bounded,          100 * (ratio->value - 1),
				      100 * (ratio->low - 1), 100 * (ratio->high - 1), ratio->freedom };
}

static struct pf_bar gain_bar(const struct pf_estimate *ratio, enum pf_verdict verdict)
{
	return (struct pf_bar) { change(ratio), verdict == PF_VERDICT_NOISE };
}

static void add_series(struct drawing *drawing, const struct pf_results *results, int first)
{
	for (int v = first; v < PF_VARIANTS; v++)
		if (pf_sheets_has(results, v))
			drawing->series[drawing->chart.series_count++] = v;
}

/* Whether AT is drawn in the picture of GROUP; programs of other languages are in that of all. */
static bool is_drawn(const struct pf_results *results, enum pf_measure measure, enum pf_group group, size_t at)
{
	if (group != PF_GROUP_ALL)
		return pf_results_member(results, measure, group, at);
	for (int g = PF_GROUP_C; g <= PF_GROUP_FORTRAN; g++)
		if (pf_results_member(results, measure, (enum pf_group)g, at))
			return false;
	return true;
}

static void draw_gains(struct pf_buffer *out, struct drawing *drawing, const struct pf_results *results,
		       enum pf_measure measure, enum pf_group group)
{
	static const char *const ids[PF_MEASURES][PF_GROUPS] = {
		{ "cycles-other", "cycles-c", "cycles-cxx", "cycles-fortran", NULL },
		{ "time-other", "time-c", "time-cxx", "time-fortran", NULL },
		{ "instructions-other", "instructions-c", "instructions-cxx", "instructions-fortran", NULL },
	};
	static const char *const titles[PF_MEASURES][PF_GROUPS] = {
		{ "Speed-up by cycles, other programs", "Speed-up by cycles, C programs",
		  "Speed-up by cycles, C++ programs", "Speed-up by cycles, Fortran programs", NULL },
		{ "Speed-up by time, other programs", "Speed-up by time, C programs", "Speed-up by time, C++ programs",
		  "Speed-up by time, Fortran programs", NULL },
		{ "Gain in instructions, other programs", "Gain in instructions, C programs",
		  "Gain in instructions, C++ programs", "Gain in instructions, Fortran programs", NULL },
	};
	static const char *const alone[PF_MEASURES] = { "Speed-up by cycles", "Speed-up by time",
							"Gain in instructions" };
	bool single = results->comparison->program_count == 1;
	struct pf_bar *bars;

	start(drawing, ids[measure][group], single ? alone[measure] : titles[measure][group], "%", true);
	add_series(drawing, results, PF_VARIANT_FLAGS);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		if (!is_drawn(results, measure, group, at))
			continue;
		bars = add_group(drawing, results->comparison->programs[at].name, false);
		for (size_t s = 0; s < drawing->chart.series_count; s++) {
			const struct pf_gain *gain = &results->programs[at].variants[drawing->series[s]].gain[measure];

			bars[s] = gain_bar(&gain->ratio, gain->verdict);
		}
	}
	if (group != PF_GROUP_ALL) {
		bars = add_group(drawing, "geometric mean", true);
		for (size_t s = 0; s < drawing->chart.series_count; s++) {
			const struct pf_mean *mean = &results->means[measure][group][drawing->series[s]];

			bars[s] = gain_bar(&mean->ratio, mean->verdict);
		}
	}
	put_drawing(out, drawing,
		    measure < PF_MEASURES_PAIRED
			? "Over base, upwards is faster; lines are 95% intervals, hollow bars are inside the noise."
			: "Fewer instructions than base, counted by callgrind; hollow bars differ by less than 0.1%.");
}

static void draw_overheads(struct pf_buffer *out, struct drawing *drawing, const struct pf_results *results)
{
	struct pf_bar *bars;

	start(drawing, "collecting", "Overhead of collecting", "%", true);
	for (int v = 0; v < PF_VARIANTS; v++)
		if (results->overheads[v].programs)
			drawing->series[drawing->chart.series_count++] = v;
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		bars = add_group(drawing, results->comparison->programs[at].name, false);
		for (size_t s = 0; s < drawing->chart.series_count; s++) {
			const struct pf_estimate *overhead =
			    &results->programs[at].variants[drawing->series[s]].overhead;

			bars[s] = gain_bar(overhead, pf_results_judge(overhead, -1));
		}
	}
	bars = add_group(drawing, "geometric mean", true);
	for (size_t s = 0; s < drawing->chart.series_count; s++) {
		const struct pf_mean *mean = &results->overheads[drawing->series[s]];

		bars[s] = gain_bar(&mean->ratio, mean->verdict);
	}
	put_drawing(out, drawing,
		    "User and system time of the training run, over that of the plain run; upwards is slower.");
}

static void draw_tool(struct pf_buffer *out, struct drawing *drawing, const struct pf_results *results)
{
	start(drawing, "converting", "Time to make the profile", " s", false);
	add_series(drawing, results, PF_VARIANT_CLOCK);
	for (size_t at = 0; at < results->comparison->program_count; at++) {
		const struct pf_compared_program *program = &results->comparison->programs[at];
		struct pf_bar *bars = add_group(drawing, program->name, false);

		for (size_t s = 0; s < drawing->chart.series_count; s++) {
			int v = drawing->series[s];
			double seconds = program->variants[v].convert_seconds;

			if (results->programs[at].variants[v].sound && seconds >= 0)
				bars[s].estimate = (struct pf_estimate) { .known = true, .value = seconds };
		}
	}
	put_drawing(out, drawing, "From the recording to the profile, once.");
}

void pf_charts_put(struct pf_buffer *out, const struct pf_results *results)
{
	struct drawing *drawing = calloc(1, sizeof *drawing);

	if (!drawing) {
		out->failed = true;
		return;
	}
	for (int m = 0; m < PF_MEASURES; m++) {
		for (int g = PF_GROUP_C; g <= PF_GROUP_FORTRAN; g++)
			draw_gains(out, drawing, results, (enum pf_measure)m, (enum pf_group)g);
		draw_gains(out, drawing, results, (enum pf_measure)m, PF_GROUP_ALL);
	}
	if (results->comparison->program_count > 1) {
		draw_overheads(out, drawing, results);
		draw_tool(out, drawing, results);
	}
	free(drawing);
}
