/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The idle part of a call's body, by the counts that its instance has at the body's positions.
 *
 * The hard case is the body of which the profiled binary had only a part at the call, because GCC had split it: what
 * was split off ran as a function of its own, and the instance says nothing of it.  It counts as idle here, whatever it
 * did elsewhere. */
#include "plugin/idle.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

/* What runs in one of so many of a call's entries or less often saves hardly anything by being inlined there. */
const uint64_t seldom = 16;

/* The highest count that a statement of BB has in RECORD; false if none has a position. */
bool highest_count(basic_block bb, placer *places, const pf_function *record, uint64_t *highest)
{
	bool placed = false;

	*highest = 0;
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		location_t where = gimple_location(gsi_stmt(gsi));
		pf_place place;

		if (!is_real_statement(gsi_stmt(gsi)) || !places->place(where, pf_gcc_discriminator(bb, where), &place))
			continue;
		placed = true;
		pf_match match = pf_match_record(record, &place);
		if (match.kind != PF_MATCH_NONE)
			*highest = MAX(*highest, MAX(match.record->count, match.record->max));
	}
	return placed;
}

int size_of(basic_block bb)
{
	int size = 0;

	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		if (is_real_statement(gsi_stmt(gsi)))
			size += estimate_num_insns(gsi_stmt(gsi), &eni_size_weights);
	}
	return size;
}

} // namespace

body_sizes measure_body(cgraph_node *callee, const pf_function *record, uint32_t instance, uint64_t hot)
{
	uint64_t least = MAX(hot, record->nodes[instance].entries / seldom);
	body_sizes sizes = {};
	basic_block bb;

	push_cfun(DECL_STRUCT_FUNCTION(callee->decl));
	placer places(record, instance);
	FOR_EACH_BB_FN(bb, cfun)
	{
		uint64_t highest;

		if (highest_count(bb, &places, record, &highest))
			*(highest < least ? &sizes.idle : &sizes.busy) += size_of(bb);
	}
	pop_cfun();
	return sizes;
}

} // namespace pathfdo
