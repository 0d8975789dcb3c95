/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as what an instrumented program counted.  Of what is taken for sound, each path can be walked, and flow is
 * conserved: what comes into a block by its paths goes out of it, but for where paths begin and end. */
#include "analysis/countedpaths.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_function(const struct pf_counted_function *f)
{
	uint32_t *blocks = calloc((size_t)f->graph->block_count + 1, sizeof *blocks);
	uint64_t sum = 0;

	for (size_t i = 0; blocks && i < f->paths.count; i++) {
		uint32_t count = pf_counted_blocks(f, f->paths.at[i].number, blocks);

		if (count > f->graph->block_count || (i > 0 && f->paths.at[i].count > f->paths.at[i - 1].count))
			abort();
		for (uint32_t k = 0; k < count; k++) {
			if (f->graph->blocks[blocks[k]].count < f->paths.at[i].count)
				abort();
		}
		sum = sum + f->paths.at[i].count < sum ? UINT64_MAX : sum + f->paths.at[i].count;
	}
	if (blocks && sum != f->total)
		abort();
	free(blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_counted counted = { 0 };
	struct pf_error error = { 0 };
	int status = pf_counted_parse(&counted, data, size, "fuzz", &error);

	if (status != PF_OK && (error.code != status || !*error.text))
		abort();
	/* The same twice must be one. */
	if (status == PF_OK && pf_counted_parse(&counted, data, size, "fuzz", &error) == PF_OK &&
	    pf_counted_finish(&counted, &error) == PF_OK) {
		for (size_t i = 0; i < counted.functions.count; i++)
			check_function(&counted.functions.at[i]);
	}
	pf_counted_fini(&counted);
	return 0;
}
