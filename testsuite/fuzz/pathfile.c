/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a path profile.  What is taken for sound has no number that its function has not, and no count that is
 * no number. */
#include "analysis/pathfile.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_pathfile file;
	struct pf_error error = { 0 };
	int status = pf_pathfile_parse(&file, data, size, "fuzz", &error);

	if (status != PF_OK && (error.code != status || !*error.text))
		abort();
	for (size_t i = 0; status == PF_OK && i < file.counts.count; i++) {
		const struct pf_pathfile_count *c = &file.counts.at[i];

		if (c->function >= file.functions.count || c->number >= file.functions.at[c->function].paths)
			abort();
		if (!(c->count >= 0) || isinf(c->count))
			abort();
	}
	pf_pathfile_fini(&file);
	return 0;
}
