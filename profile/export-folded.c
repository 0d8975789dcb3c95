/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See export-folded.h.  A stack is a function and what was inlined into it; callers are not known.  The hard case is a
 * name with the format's own characters in it: a semicolon becomes a colon. */
#include "profile/export-folded.h"
#include "profile/export-work.h"
#include "profile/saturate.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_name(struct pf_buffer *out, const char *name)
{
	for (; *name; name++)
		pf_buffer_u8(out, *name == ';' ? ':' : *name == '\n' ? ' ' : (uint8_t)*name);
}

/* The names from the function itself down to NODE. */
static void put_stack(struct pf_buffer *out, const struct pf_function *function, uint32_t node)
{
	uint32_t chain[PF_MAX_INLINE_DEPTH + 1];
	size_t depth = 0;

	for (; node && depth < PF_MAX_INLINE_DEPTH; node = function->nodes[node].parent)
		chain[depth++] = node;
	put_name(out, function->name);
	while (depth--) {
		pf_buffer_u8(out, ';');
		put_name(out, function->nodes[chain[depth]].name);
	}
}

int pf_export_folded(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		     struct pf_error *error)
{
	for (uint32_t f = 0; f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];
		uint64_t *work = calloc(function->node_count, sizeof *work);

		if (!work)
			return pf_fail(error, PF_ENOMEM, "out of memory");
		for (uint32_t r = 0; r < function->record_count; r++) {
			const struct pf_record *record = &function->records[r];

			work[record->place.node] =
			    pf_count_add(work[record->place.node], pf_export_work(profile, record));
		}
		for (uint32_t n = 0; n < function->node_count; n++) {
			if (!work[n])
				continue;
			put_stack(out, function, n);
			pf_buffer_printf(out, " %" PRIu64 "\n", work[n]);
		}
		free(work);
	}
	if (!out->size)
		return pf_fail(error, PF_EEMPTY, "nothing in it has run");
	pf_buffer_printf(notes,
			 "a stack is a function and what was inlined into it: a profile does not know callers\n");
	return PF_OK;
}
