/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See same-calls.h.  The hard case is a function that one build alone has called, or has called more often: what it
 * took is that build's doing. */
#include "analysis/same-calls.h"

#include <stdlib.h>

static uint64_t taken(const json_t *entry, size_t which)
{
	return (uint64_t)json_integer_value(json_array_get(entry, which));
}

struct pf_same_calls_gap pf_same_calls_compare(const json_t *base, json_t *other)
{
	struct pf_same_calls_gap gap = { 0 };
	const char *key;
	json_t *entry;

	json_object_foreach(other, key, entry)
	{
		const json_t *same = json_object_get(base, key);
		int64_t more = (int64_t)(taken(entry, 1) - taken(same, 1));

		if (!same || taken(same, 0) != taken(entry, 0) || more == 0)
			continue;
		gap.instructions += more;
		if (!gap.largest || llabs(more) > llabs(gap.of_largest))
			gap = (struct pf_same_calls_gap) { gap.instructions, key, more, taken(entry, 0) };
	}
	return gap;
}
