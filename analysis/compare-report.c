/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads files of measurements, and drives the report: check and merge, compute, lay out, render, write.  Files are
 * written last, when all else has gone well. */
#include "analysis/compare-report.h"

#include "analysis/beyond.h"
#include "analysis/evaluate.h"
#include "analysis/render.h"
#include "analysis/sheets.h"
#include "support/infile.h"
#include "support/outfile.h"
#include "support/wholefile.h"

#include <errno.h>
#include <string.h>

#define LARGEST_FILE (64u << 20)

int pf_compare_read(const char *path, json_t **root, struct pf_error *error)
{
	struct pf_buffer bytes = { 0 };
	json_error_t wrong;
	int status = pf_wholefile_read_within(path, LARGEST_FILE, &bytes, error);
	const char *name = pf_infile_name(path);

	*root = NULL;
	if (status == PF_ELIMIT)
		pf_fail(error, status, "%s: larger than 64 MB; no comparison is.", name);
	if (status == PF_OK && !bytes.size)
		status = pf_fail(error, PF_EEMPTY, "%s: the file is empty; measure again.", name);
	if (status == PF_OK) {
		*root = json_loadb((const char *)bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &wrong);
		if (!*root && json_error_code(&wrong) == json_error_out_of_memory)
			status = pf_fail(error, PF_ENOMEM, "%s: out of memory.", name);
		else if (!*root)
			status = pf_fail(error, PF_EFORMAT, "%s:%d:%d: this is no JSON: %s.", name, wrong.line,
					 wrong.column, wrong.text);
	}
	pf_buffer_fini(&bytes);
	return status;
}

typedef void renderer(struct pf_buffer *, const struct pf_sheets *, const struct pf_results *);

static int render(struct pf_buffer *out, renderer *put, const struct pf_sheets *sheets,
		  const struct pf_results *results, struct pf_error *error)
{
	put(out, sheets, results);
	return out->failed ? pf_fail(error, PF_ENOMEM, "compare: out of memory for the report.") : PF_OK;
}

/* What is told here is not told once more by the owner of STREAM. */
static int write_table(const struct pf_buffer *table, FILE *stream, struct pf_error *error)
{
	bool whole = fwrite(table->data, 1, table->size, stream) == table->size;

	if (fflush(stream) == 0 && whole)
		return PF_OK;
	clearerr(stream);
	return pf_fail(error, PF_EIO, "The table cannot be written: %s.", strerror(errno));
}

static int write_all(const struct pf_sheets *sheets, const struct pf_results *results,
		     const struct pf_report_options *options, struct pf_error *error)
{
	struct pf_buffer table = { 0 }, html = { 0 }, markdown = { 0 };
	int status = render(&table, pf_render_table, sheets, results, error);

	if (status == PF_OK && options->html)
		status = render(&html, pf_render_html, sheets, results, error);
	if (status == PF_OK && options->markdown)
		status = render(&markdown, pf_render_markdown, sheets, results, error);
	if (status == PF_OK && options->html)
		status = pf_outfile_write(options->html, html.data, html.size, error);
	if (status == PF_OK && options->markdown)
		status = pf_outfile_write(options->markdown, markdown.data, markdown.size, error);
	if (status == PF_OK && options->table)
		status = write_table(&table, options->table, error);
	pf_buffer_fini(&markdown);
	pf_buffer_fini(&html);
	pf_buffer_fini(&table);
	return status;
}

int pf_compare_report(const struct pf_compare_source *sources, size_t count, const struct pf_report_options *options,
		      struct pf_error *error)
{
	struct pf_comparison comparison;
	struct pf_results results;
	struct pf_sheets sheets;
	int status = pf_comparison_read(&comparison, sources, count, error);

	if (status != PF_OK)
		return status;
	status = pf_evaluate(&results, &comparison, options->resamples ? options->resamples : PF_STATISTICS_RESAMPLES,
			     error);
	if (status != PF_OK)
		goto release_comparison;
	status = pf_sheets_make(&sheets, &results, error);
	if (options->foremost)
		*options->foremost = pf_beyond_least(&results);
	if (status == PF_OK)
		status = write_all(&sheets, &results, options, error);
	pf_sheets_fini(&sheets);
	pf_results_fini(&results);
release_comparison:
	pf_comparison_fini(&comparison);
	return status;
}
