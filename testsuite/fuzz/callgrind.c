/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as callgrind's text.  What is taken for sound is sorted, and each count is found by its address; what
 * libraries took is no more than itself. */
#include "analysis/callgrind.h"
#include "analysis/executed.h"
#include "analysis/same-calls.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_exact_counts counts;
	struct pf_error error = { 0 };
	struct pf_executed executed = { .program = "app", .own = "/app", .libraries = json_object() };
	int status = pf_callgrind_parse(data, size, "fuzz", "app", &counts, &error);

	if (status != PF_OK && (error.code != status || !*error.text))
		abort();
	for (size_t i = 0; i < counts.list.count; i++) {
		if (i > 0 && counts.list.at[i - 1].address >= counts.list.at[i].address)
			abort();
		if (pf_exact_count(&counts, counts.list.at[i].address) != counts.list.at[i].count)
			abort();
	}
	pf_exact_counts_fini(&counts);
	error = (struct pf_error) { 0 };
	status = pf_executed_parse(data, size, "fuzz", &executed, &error);
	if (status != PF_OK ? error.code != status || !*error.text
			    : pf_same_calls_compare(executed.libraries, executed.libraries).largest != NULL)
		abort();
	json_decref(executed.libraries);
	return 0;
}
