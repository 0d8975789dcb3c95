/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as a page of Markdown.  The hard case is foreign text in a table: a bar would end the cell, a backtick or
 * a bracket start something else, a tag become HTML; all that Markdown reads is escaped. */
#include "analysis/beyond.h"
#include "analysis/render.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_escaped(struct pf_buffer *out, const char *character, size_t length)
{
	if (*character == '<')
		pf_buffer_printf(out, "&lt;");
	else if (*character == '&')
		pf_buffer_printf(out, "&amp;");
	else if (length == 1 && strchr("\\`*_[]|~#>$!", *character))
		pf_buffer_printf(out, "\\%c", *character);
	else
		pf_buffer_bytes(out, character, length);
}

static void put_text(struct pf_buffer *out, const char *text)
{
	pf_render_text(out, text, put_escaped);
}

static void put_item(struct pf_buffer *out, const char *label, const char *text)
{
	pf_buffer_printf(out, "%s", label);
	put_text(out, text);
	pf_buffer_u8(out, '\n');
}

/* Paths below the current folder without it: the page is read on other machines. */
static void put_local(struct pf_buffer *out, const char *label, const char *text)
{
	char here[PATH_MAX];
	char *local = strdup(text);
	size_t length = getcwd(here, sizeof here - 1) ? strlen(here) : 0;

	if (length > 1) {
		strcpy(here + length++, "/");
		for (char *at = local; at && (at = strstr(at, here));) {
			if (at > local && !strchr(" \t\n'\"=:,(", at[-1]))
				at += length;
			else
				memmove(at, at + length, strlen(at + length) + 1);
		}
	}
	out->failed |= !local;
	put_item(out, label, local ? local : "");
	free(local);
}

static void put_cell(struct pf_buffer *out, const struct pf_cell *cell)
{
	put_text(out, cell->text ? cell->text : cell->value);
	if (*cell->detail)
		pf_buffer_printf(out, " ");
	put_text(out, cell->detail);
	if (cell->mark == PF_CELL_NOISE)
		pf_buffer_printf(out, " \\~");
	if (cell->few)
		pf_buffer_printf(out, " ?");
}

static void put_grid(struct pf_buffer *out, const struct pf_sheet *sheet)
{
	for (size_t c = 0; c < sheet->column_count; c++)
		pf_buffer_printf(out, "| %s ", sheet->columns[c]);
	pf_buffer_printf(out, "|\n");
	for (size_t c = 0; c < sheet->column_count; c++)
		pf_buffer_printf(out, c < sheet->text_columns ? "| --- " : "| ---: ");
	pf_buffer_printf(out, "|\n");
	for (size_t row = 0; row < sheet->row_count; row++) {
		for (size_t c = 0; c < sheet->column_count; c++) {
			pf_buffer_printf(out, "| ");
			put_cell(out, &sheet->cells[row * sheet->column_count + c]);
			pf_buffer_printf(out, " ");
		}
		pf_buffer_printf(out, "|\n");
	}
}

static void put_notes(struct pf_buffer *out, const struct pf_sheet *sheet)
{
	const char *line;

	for (size_t at = 0; at < sheet->notes.size; at += strlen(line) + 1) {
		line = (const char *)sheet->notes.data + at;
		pf_buffer_printf(out, "\n");
		put_item(out, "", line);
	}
}

static void put_workload(struct pf_buffer *out, const struct pf_compared_program *program)
{
	const struct pf_compared_variant *sound = NULL;

	for (int v = 0; v < PF_VARIANTS && !sound; v++)
		if (program->variants[v].reference_count)
			sound = &program->variants[v];
	if (!*program->build && !*program->train && !sound)
		return;
	put_item(out, "- ", program->name);
	if (*program->build)
		put_local(out, "  - build: ", program->build);
	if (*program->train)
		put_local(out, "  - training: ", program->train);
	if (*program->counted)
		put_local(out, "  - instructions counted of: ", program->counted);
	for (size_t i = 0; sound && i < sound->reference_count; i++)
		if (*sound->references[i].command)
			put_local(out, "  - reference: ", sound->references[i].command);
}

static void put_provenance(struct pf_buffer *out, const struct pf_results *results, size_t source)
{
	struct pf_provenance provenance;

	if (!pf_render_provenance(&provenance, results->comparison, source, out))
		return;
	put_item(out, "- measured: ", provenance.dates);
	put_item(out, "- machine: ", provenance.machine);
	put_item(out, "- versions: ", provenance.versions);
	put_local(out, "- files: ", provenance.files);
	pf_provenance_fini(&provenance);
}

void pf_render_markdown(struct pf_buffer *out, const struct pf_sheets *sheets, const struct pf_results *results)
{
	char *verdict = pf_beyond_verdict(results), *summary = pf_render_summary(results);

	pf_buffer_printf(out, "# Results of pathfdo compare\n\n");
	put_item(out, "", verdict ? verdict : "");
	pf_buffer_printf(out, "\n");
	put_item(out, "", summary ? summary : "");
	out->failed |= !summary || !verdict;
	free(verdict);
	free(summary);
	pf_buffer_printf(out, "\n");
	for (size_t i = 0; i < results->comparison->source_count; i++)
		put_provenance(out, results, i);
	pf_buffer_printf(
	    out,
	    "\nIn brackets the 95%% interval. \"\\~\": inside the noise, no difference is shown. \"?\": fewer than "
	    "%d pairs, the interval is a guess. \"-\": not measured, or no gain to have a part of.\n",
	    PF_STATISTICS_FEW);
	for (size_t i = 0; i < sheets->count; i++) {
		const struct pf_sheet *sheet = &sheets->sheets[i];

		pf_buffer_printf(out, "\n## %s\n", sheet->title);
		if (sheet->row_count) {
			pf_buffer_printf(out, "\n");
			put_grid(out, sheet);
		}
		put_notes(out, sheet);
	}
	pf_buffer_printf(out, "\n## The workloads\n\n");
	for (size_t at = 0; at < results->comparison->program_count; at++)
		put_workload(out, &results->comparison->programs[at]);
}
