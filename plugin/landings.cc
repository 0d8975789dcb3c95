/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A jump's outcomes are places, and the ways out of its block are edges: an edge is looked at as far as control has no
 * choice behind it.  The hard case is a switch of thousands of cases, each of which ran: so the places behind all edges
 * are sorted once, and each outcome is looked up among them. */
#include "plugin/landings.h"
#include "support/search.h"

namespace pathfdo
{

bool is_exceptional(edge e)
{
	gimple *last = e->src->index < NUM_FIXED_BLOCKS ? NULL : pf_gcc_last_stmt(e->src);

	if (e->flags & (EDGE_EH | EDGE_FAKE))
		return true;
	return (e->flags & EDGE_ABNORMAL) && !(last && computed_goto_p(last));
}

/* Whether edge E has the place of the jump JUMP, which may be NULL: of `a && b` the jumps have it, and the value where
 * all ways meet.  It does not tell where one of them leads. */
static bool is_at(edge e, const gimple *jump)
{
	return jump && LOCATION_LOCUS(e->goto_locus) == LOCATION_LOCUS(gimple_location(jump));
}

int landings::compare(const void *a, const void *b)
{
	const behind *x = (const behind *)a, *y = (const behind *)b;
	int order = pf_place_compare(&x->place, &y->place);

	return order ? order : (x->way > y->way) - (x->way < y->way);
}

/* Notes what is at WHERE in block IN; true if the profile has a record of it that is not the branch's. */
bool landings::note(location_t where, basic_block in, unsigned way)
{
	behind here = { pf_place(), way };

	if (!places->place(where, pf_gcc_discriminator(in, where), &here.place))
		return false;
	all.safe_push(here);
	pf_match match = pf_match_record(record, &here.place);
	return match.kind != PF_MATCH_NONE && match.record != branch;
}

/* What is on edge E, in the block it leads to, and in what follows that without a choice.  What left no instructions in
 * the profiled binary is passed over. */
void landings::note_way(edge e, unsigned way)
{
	const gimple *jump = pf_gcc_last_stmt(e->src);

	for (int steps = 0; steps < 4 && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun); steps++) {
		bool recorded = !is_at(e, jump) && note(e->goto_locus, e->src, way);

		for (gimple_stmt_iterator gsi = gsi_start_bb(e->dest); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (is_real_statement(gsi_stmt(gsi)))
				recorded |= note(gimple_location(gsi_stmt(gsi)), e->dest, way);
		}
		if (recorded || !single_succ_p(e->dest))
			break;
		e = single_succ_edge(e->dest);
	}
}

landings::landings(basic_block bb, const pf_function *function, const pf_record *own, placer *placing)
    : record(function), branch(own), places(placing)
{
	for (unsigned way = 0; way < EDGE_COUNT(bb->succs); way++)
		if (!is_exceptional(EDGE_SUCC(bb, way)))
			note_way(EDGE_SUCC(bb, way), way);
	all.qsort(compare);
}

/* The first of the places on WANTED's line. */
unsigned landings::first_on_line(const pf_place *wanted)
{
	pf_search search = pf_search_over(all.length());

	while (pf_search_goes_on(&search)) {
		const pf_place &at = all[search.middle].place;

		pf_search_step(&search, at.node < wanted->node ||
					    (at.node == wanted->node && at.position.line < wanted->position.line));
	}
	return (unsigned)search.low;
}

static int fit_of(const pf_place &place, const pf_place *wanted)
{
	if (place.position.column != wanted->position.column)
		return 1;
	return place.position.discriminator == wanted->position.discriminator ? 3 : 2;
}

static int by_way(const void *a, const void *b)
{
	const landing *x = (const landing *)a, *y = (const landing *)b;

	return x->way != y->way ? (x->way > y->way ? 1 : -1) : y->fit - x->fit;
}

void landings::find(const pf_place *wanted, auto_vec<landing> *found)
{
	unsigned kept = 0;

	for (unsigned i = first_on_line(wanted); i < all.length(); i++) {
		const pf_place &at = all[i].place;

		if (at.node != wanted->node || at.position.line != wanted->position.line)
			break;
		found->safe_push({ all[i].way, fit_of(at, wanted) });
	}
	found->qsort(by_way);
	for (unsigned i = 0; i < found->length(); i++) {
		if (!kept || (*found)[kept - 1].way != (*found)[i].way)
			(*found)[kept++] = (*found)[i];
	}
	found->truncate(kept);
}

} // namespace pathfdo
