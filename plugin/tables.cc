/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default of a jump table.  The expansion puts a range check in front of the table (stmt.cc,
 * emit_case_dispatch_table), and leaves half of the default to that and half to the gaps in the table, if there is one.
 * Right behind the expansion it is divided as the switch's values are (switches.cc).
 *
 * The hard case is which table is whose: nothing but the location goes through the expansion with a switch.  Tables of
 * one switch, of one location, are told apart by how many entries they have; a table of a switch whose first case is 1
 * or 2 may begin at 0 and have so many entries more. */
#include "plugin/tables.h"
#include "plugin/chances.h"
#include "plugin/passes.h"

namespace pathfdo
{

namespace
{

const uint64_t most_before_first = 2; /* entries in front of the first case */

struct table {
	location_t where;
	uint64_t entries;
	double outside, gaps;
};

auto_vec<table> tables;

table *find(location_t where, uint64_t entries)
{
	for (table &t : tables) {
		if (t.where == where && t.entries == entries)
			return &t;
	}
	return NULL;
}

table *find_expanded(rtx_insn *jump, const rtx_jump_table_data *data)
{
	uint64_t entries = GET_NUM_ELEM(data->get_labels());

	for (uint64_t before = 0; before <= most_before_first && before < entries; before++) {
		table *t = find(LOCATION_LOCUS(INSN_LOCATION(jump)), entries - before);

		if (t)
			return t;
	}
	return NULL;
}

double share(edge e)
{
	return e->probability.initialized_p() ? e->probability.to_sreal().to_double() : 0;
}

/* OUT leads to the default from in front of the table in BB, and GAP from there; SHARE of both together is OUT's. */
void divide(basic_block bb, edge out, edge gap, double outside)
{
	edge in = single_pred_edge(bb), e;
	double both = share(out) + share(in) * share(gap), rest = 1 - both * outside;
	edge_iterator ei;

	if (!(rest > 0) || !(both > 0))
		return;
	FOR_EACH_EDGE(e, ei, bb->succs)
	e->probability = chance(e == gap ? both * (1 - outside) : share(in) * share(e), rest);
	out->probability = chance(both * outside, 1);
	in->probability = chance(rest, 1);
	bb->count = part_of(in->src->count, rest, 1);
	update_br_prob_note(in->src);
}

void divide_default(basic_block bb)
{
	rtx_jump_table_data *data;
	basic_block check = single_pred_p(bb) ? single_pred(bb) : NULL;

	if (!check || EDGE_COUNT(check->succs) != 2 || !any_condjump_p(BB_END(check)) ||
	    !tablejump_p(BB_END(bb), NULL, &data))
		return;
	edge out = EDGE_SUCC(check, EDGE_SUCC(check, 0)->dest == bb), gap = find_edge(bb, out->dest);
	const table *t = gap ? find_expanded(BB_END(bb), data) : NULL;
	if (t && t->outside + t->gaps > 0)
		divide(bb, out, gap, t->outside / (t->outside + t->gaps));
}

bool has_counts(function *f)
{
	return profile_status_for_fn(f) == PROFILE_READ;
}

unsigned divide_defaults(function *f)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	divide_default(bb);
	return 0;
}

} // namespace

void tables_begin()
{
	tables.truncate(0);
}

void tables_note(location_t where, uint64_t entries, double outside, double gaps)
{
	table *t = find(LOCATION_LOCUS(where), entries);

	if (!t)
		t = tables.safe_push({ LOCATION_LOCUS(where), entries, 0, 0 });
	t->outside += outside;
	t->gaps += gaps;
}

void tables_setup()
{
	passes_add(
	    { RTL_PASS, "pathfdo_tables", TV_EXPAND, "expand", 1, PASS_POS_INSERT_AFTER, has_counts, divide_defaults });
}

} // namespace pathfdo
