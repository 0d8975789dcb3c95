/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as measurements.  What is taken for sound must give a table and a page, and the page must be well-formed.
 */
#include "analysis/evaluate.h"
#include "analysis/render.h"
#include "analysis/sheets.h"
#include "testsuite/unit/wellformed.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RESAMPLES 41 /* the least of which an interval cuts off one */

static void check_renderings(const struct pf_results *results)
{
	struct pf_sheets sheets;
	struct pf_buffer table = { 0 }, markdown = { 0 }, html = { 0 };
	struct pf_error error;
	char wrong[200];

	if (pf_sheets_make(&sheets, results, &error) != PF_OK)
		abort();
	pf_render_table(&table, &sheets, results);
	pf_render_markdown(&markdown, &sheets, results);
	pf_render_html(&html, &sheets, results);
	pf_buffer_u8(&html, 0);
	if (table.failed || markdown.failed || html.failed || !table.size || !markdown.size)
		abort();
	if (!is_wellformed((const char *)html.data, wrong, sizeof wrong)) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
	pf_buffer_fini(&table);
	pf_buffer_fini(&markdown);
	pf_buffer_fini(&html);
	pf_sheets_fini(&sheets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct pf_compare_source source = { "fuzz", root };
	struct pf_comparison comparison;
	struct pf_results results;
	struct pf_error error = { 0 };
	int status;

	if (!root)
		return 0;
	status = pf_comparison_read(&comparison, &source, 1, &error);
	if (status == PF_OK) {
		if (pf_evaluate(&results, &comparison, RESAMPLES, &error) != PF_OK)
			abort();
		check_renderings(&results);
		pf_results_fini(&results);
		pf_comparison_fini(&comparison);
	} else if (error.code != status || !*error.text) {
		abort();
	}
	json_decref(root);
	return 0;
}
