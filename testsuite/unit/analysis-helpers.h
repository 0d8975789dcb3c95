/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the report on comparisons share: JSON from text, results from JSON, renderings as strings. */
#ifndef PF_TEST_ANALYSIS_HELPERS_H
#define PF_TEST_ANALYSIS_HELPERS_H

#include "analysis/evaluate.h"
#include "analysis/render.h"
#include "analysis/sheets.h"
#include "testsuite/unit/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_HEAD "{'format':'pathfdo-comparison','version':1,'programs':["
#define FILE_END "]}"
#define PROGRAM(name, language, variants)                                                                              \
	"{'name':'" name "','language':'" language "','error':null,'variants':[" variants "]}"
#define VARIANT(name, references) "{'name':'" name "','error':null,'references':[" references "]}"
#define REFERENCE(seconds, base, instructions)                                                                         \
	"{'seconds':[" seconds "],'base_seconds':[" base "],'instructions':" instructions "}"

/* The JSON that TEXT stands for, with ' for "; to release by json_decref. */
static inline json_t *json_of(const char *text)
{
	char *quoted = strdup(text);
	json_error_t wrong;
	json_t *root;

	for (char *at = quoted; *at; at++)
		if (*at == '\'')
			*at = '"';
	root = json_loads(quoted, JSON_REJECT_DUPLICATES, &wrong);
	ck_assert_msg(root != NULL, "%s at %d: %s", wrong.text, wrong.position, quoted);
	free(quoted);
	return root;
}

/* Results of one JSON text, and all that they stand on. */
struct computed {
	json_t *root;
	struct pf_comparison comparison;
	struct pf_results results;
};

static inline void compute(struct computed *computed, const char *text, unsigned resamples)
{
	struct pf_error error = { 0 };
	struct pf_compare_source source = { "test.json", NULL };

	computed->root = json_of(text);
	source.root = computed->root;
	ck_assert_msg(pf_comparison_read(&computed->comparison, &source, 1, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(pf_evaluate(&computed->results, &computed->comparison, resamples, &error) == PF_OK, "%s",
		      error.text);
}

static inline void release(struct computed *computed)
{
	pf_results_fini(&computed->results);
	pf_comparison_fini(&computed->comparison);
	json_decref(computed->root);
}

/* All bytes of the file PATH, NUL-terminated, to free. */
static inline char *file_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct pf_buffer bytes = { 0 };
	int c;

	ck_assert_msg(file != NULL, "cannot open %s", path);
	while ((c = getc(file)) != EOF)
		pf_buffer_u8(&bytes, (uint8_t)c);
	fclose(file);
	pf_buffer_u8(&bytes, 0);
	ck_assert(!bytes.failed);
	return (char *)bytes.data;
}

#define ck_near(got, want, tolerance) ck_assert_double_eq_tol(got, want, (tolerance) + 1e-300)

#endif
