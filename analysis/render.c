/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the renderings share: foreign text made harmless, and the lines that open a report.  The hard case is text that
 * comes from elsewhere - names, commands, compilers' messages: escape sequences would steer a terminal, overrides of
 * the writing direction would turn a line around, and a broken byte would make the page no UTF-8. */
#include "analysis/render.h"
#include "analysis/beyond.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The code point at TEXT and its LENGTH in bytes; LENGTH 1 and no code point (0xfffd) if it is broken. */
static uint32_t code_point(const char *text, size_t *length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	size_t wanted = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
	uint32_t point = wanted == 1 ? *at : *at & (0xffu >> (wanted + 1));

	*length = 1;
	if (!wanted)
		return 0xfffd;
	for (size_t i = 1; i < wanted; i++) {
		if (at[i] >> 6 != 2)
			return 0xfffd;
		point = point << 6 | (at[i] & 0x3f);
	}
	if (point < least[wanted] || point > 0x10ffff || point >> 11 == 0x1b)
		return 0xfffd;
	*length = wanted;
	return point;
}

static bool is_harmful(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || /* controls */
	       (point >= 0x202a && point <= 0x202e) ||            /* overrides of direction */
	       (point >= 0x2066 && point <= 0x2069) ||            /* isolates of direction */
	       point == 0x2028 || point == 0x2029 ||              /* line ends of a kind */
	       point == 0xfffd || (point & 0xfffe) == 0xfffe;     /* broken, and no characters */
}

void pf_render_text(struct pf_buffer *out, const char *text, pf_render_character *put)
{
	while (*text) {
		size_t length;
		uint32_t point = code_point(text, &length);

		if (point == '\n' || point == '\r' || point == '\t')
			put(out, " ", 1);
		else if (is_harmful(point))
			put(out, "\xef\xbf\xbd", 3);
		else
			put(out, text, length);
		text += length;
	}
}

size_t pf_render_width(const char *text)
{
	size_t width = 0, length;

	for (; *text; text += length, width++)
		code_point(text, &length);
	return width;
}

/* Ends the text that OUT holds and hands it to the caller. */
static char *finish(struct pf_buffer *out)
{
	pf_buffer_u8(out, 0);
	if (!out->failed)
		return (char *)out->data;
	pf_buffer_fini(out);
	return NULL;
}

static void add_part(struct pf_buffer *out, const char *before, const char *part)
{
	if (*part)
		pf_buffer_printf(out, "%s%s%s", out->size ? ", " : "", before, part);
}

/* Whether the processor counted is part of what a measurement is worth. */
static void add_counters(struct pf_buffer *out, const struct pf_compared_source *source)
{
	const char *before = "counting ";

	for (int c = 0; c < PF_COUNTERS; c++) {
		if (source->counts[c])
			add_part(out, before, pf_counter_words[c]);
		before = source->counts[c] ? "" : before;
	}
	if (source->counts[PF_COUNTER_CYCLES])
		return;
	add_part(out, "", "cycles not counted");
	if (*source->uncounted)
		pf_buffer_printf(out, " (%s)", source->uncounted);
}

static char *machine_of(const struct pf_compared_source *source)
{
	struct pf_buffer out = { 0 };

	add_part(&out, "", source->cpu);
	if (source->cores >= 0)
		pf_buffer_printf(&out, "%s%.0f core%s", out.size ? ", " : "", source->cores,
				 source->cores == 1 ? "" : "s");
	if (source->memory_kb >= 0)
		pf_buffer_printf(&out, "%s%.1f GB", out.size ? ", " : "", source->memory_kb * 1024 / 1e9);
	add_part(&out, "a virtual machine of ", source->hypervisor);
	add_part(&out, "", source->system);
	add_part(&out, "kernel ", source->kernel);
	add_counters(&out, source);
	if (!out.size)
		pf_buffer_printf(&out, "not said");
	return finish(&out);
}

static char *versions_of(const struct pf_compared_source *source)
{
	struct pf_buffer out = { 0 };
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)source->versions, key, value)
	{
		if (json_is_string(value) && *json_string_value(value))
			pf_buffer_printf(&out, "%s%s: %s", out.size ? "; " : "", key, json_string_value(value));
	}
	if (!out.size)
		pf_buffer_printf(&out, "not said");
	return finish(&out);
}

static bool has_programs(const struct pf_comparison *comparison, size_t source)
{
	for (size_t at = 0; at < comparison->program_count; at++)
		if (comparison->programs[at].source == source)
			return true;
	return false;
}

void pf_provenance_fini(struct pf_provenance *provenance)
{
	free(provenance->files);
	free(provenance->dates);
	free(provenance->machine);
	free(provenance->versions);
}

/* Whether SOURCE was measured as PROVENANCE says; sets FAILED when out of memory. */
static bool is_same(const struct pf_provenance *provenance, const struct pf_compared_source *source, bool *failed)
{
	char *machine = machine_of(source), *versions = versions_of(source);
	bool same = false;

	if (machine && versions)
		same = strcmp(machine, provenance->machine) == 0 && strcmp(versions, provenance->versions) == 0;
	else
		*failed = true;
	free(machine);
	free(versions);
	return same;
}

/* Names the files from FIRST on that are alike, and the span of their dates. */
static bool gather(struct pf_provenance *provenance, const struct pf_comparison *comparison, size_t first, bool *failed)
{
	const char *earliest = comparison->sources[first].date, *latest = earliest;
	struct pf_buffer files = { 0 }, dates = { 0 };

	for (size_t i = first; i < comparison->source_count; i++) {
		const struct pf_compared_source *source = &comparison->sources[i];

		if (!has_programs(comparison, i) || !is_same(provenance, source, failed))
			continue;
		add_part(&files, "", source->file);
		earliest = strcmp(source->date, earliest) < 0 ? source->date : earliest;
		latest = strcmp(source->date, latest) > 0 ? source->date : latest;
	}
	pf_buffer_printf(&dates, "%s", *earliest ? earliest : "not said");
	if (strcmp(earliest, latest) != 0)
		pf_buffer_printf(&dates, " to %s", latest);
	provenance->files = finish(&files);
	provenance->dates = finish(&dates);
	return provenance->files && provenance->dates;
}

bool pf_render_provenance(struct pf_provenance *provenance, const struct pf_comparison *comparison, size_t first,
			  struct pf_buffer *out)
{
	bool failed = false, done = has_programs(comparison, first);

	*provenance = (struct pf_provenance) { .machine = machine_of(&comparison->sources[first]),
					       .versions = versions_of(&comparison->sources[first]) };
	failed = !provenance->machine || !provenance->versions;
	for (size_t i = 0; i < first && done && !failed; i++)
		done = !has_programs(comparison, i) || !is_same(provenance, &comparison->sources[i], &failed);
	if (done && !failed)
		failed = !gather(provenance, comparison, first, &failed) || failed;
	out->failed |= failed;
	if (done && !failed)
		return true;
	pf_provenance_fini(provenance);
	return false;
}

/* The middle of the programs' reaches; -1 when none was measured, or out of memory. */
static double middle_reach(const struct pf_results *results, enum pf_measure measure)
{
	double reaches[PF_COMPARISON_PROGRAMS];
	size_t count = 0;

	for (size_t at = 0; at < results->comparison->program_count; at++)
		if (results->programs[at].noise[measure].reach >= 0)
			reaches[count++] = results->programs[at].noise[measure].reach;
	return count ? pf_statistics_median(reaches, count) : -1;
}

/* "(3 in C, 1 in C++)", or nothing. */
static void put_languages(struct pf_buffer *out, const struct pf_results *results)
{
	static const char *const names[] = { "C", "C++", "Fortran" };
	const char *between = " (";

	for (int g = PF_GROUP_C; g <= PF_GROUP_FORTRAN; g++) {
		size_t count = 0;

		for (size_t at = 0; at < results->comparison->program_count; at++)
			count += pf_results_member(results, PF_MEASURE_TIME, (enum pf_group)g, at);
		if (!count)
			continue;
		pf_buffer_printf(out, "%s%zu in %s", between, count, names[g - PF_GROUP_C]);
		between = ", ";
	}
	if (*between == ',')
		pf_buffer_printf(out, ")");
}

char *pf_render_summary(const struct pf_results *results)
{
	struct pf_buffer out = { 0 };
	size_t count = results->comparison->program_count;
	bool by_cycles = pf_beyond_measure(results) == PF_MEASURE_CYCLES;
	double reach = middle_reach(results, by_cycles ? PF_MEASURE_CYCLES : PF_MEASURE_TIME);

	pf_buffer_printf(&out, "%zu program%s", count, count == 1 ? "" : "s");
	put_languages(&out, results);
	pf_buffer_printf(&out, ", %zu failure%s. ", results->failure_count, results->failure_count == 1 ? "" : "s");
	if (reach >= 0)
		pf_buffer_printf(&out, "Base against itself differs by up to %.2f%%%s%s, in 95 of 100 series.",
				 100 * reach, by_cycles ? " by cycles" : "",
				 count == 1 ? "" : " on the middle program");
	else
		pf_buffer_printf(&out, "The noise of the machine was not measured.");
	return finish(&out);
}
