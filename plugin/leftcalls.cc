/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See leftcalls.h.  Ends of arms that are alike are one in machine code, at the place of one of them, and the jump to
 * any of them leads there.  A call is merged with calls of the same function alone, so that the function tells which
 * arm is meant.  The hard case is the arm that calls the same function and was not merged: it ran at its own place. */
#include "plugin/leftcalls.h"

namespace pathfdo
{

namespace
{

bool same_site(const pf_position &a, const pf_position &b)
{
	return a.line == b.line && a.column == b.column;
}

/* The first call on the way on which E begins, as far as it has no branches; NULL if there is none. */
gcall *first_call(edge e)
{
	for (int steps = 0; steps < 4 && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun); steps++) {
		for (gimple_stmt_iterator gsi = gsi_start_bb(e->dest); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (is_real_statement(gsi_stmt(gsi)) && is_gimple_call(gsi_stmt(gsi)))
				return as_a<gcall *>(gsi_stmt(gsi));
		}
		if (!single_succ_p(e->dest))
			break;
		e = single_succ_edge(e->dest);
	}
	return NULL;
}

bool has_name(const decl_names &names, const char *name)
{
	for (unsigned i = 0; i < names.count; i++) {
		if (strcmp(names.names[i], name) == 0)
			return true;
	}
	return false;
}

/* The body that node OUTER has inlined and that NODE is, or is in; 0 if that is none. */
uint32_t body_within(const pf_function *record, uint32_t node, uint32_t outer)
{
	while (node > outer && record->nodes[node].parent != outer)
		node = record->nodes[node].parent;
	return node > outer ? node : 0;
}

/* Whether a function of these names is called at the place, or is the BODY that it lies in. */
bool calls(const pf_function *record, const pf_place *at, uint32_t body, const decl_names &names)
{
	if (body)
		return has_name(names, record->nodes[body].name);
	pf_match match = pf_match_record(record, at);
	for (uint32_t i = 0; match.kind == PF_MATCH_EXACT && i < match.record->target_count; i++) {
		if (has_name(names, match.record->targets[i].name))
			return true;
	}
	return false;
}

bool leads_to_call(edge e, const pf_function *record, placer *places, const pf_place *wanted)
{
	gcall *call = first_call(e);
	pf_place place;

	if (!call || !gimple_call_fndecl(call) || !places->place(gimple_location(call), 0, &place))
		return false;
	uint32_t body = body_within(record, wanted->node, place.node);
	if (body && same_site(record->nodes[body].site, place.position))
		return true;
	return calls(record, wanted, body, names_of(gimple_call_fndecl(call))) && !ran_in_place(record, place);
}

/* The next instance behind AFTER that the call at PLACE had become, 0 if there is none. */
uint32_t next_inlined(const pf_function *record, const pf_place &place, uint32_t after)
{
	for (uint32_t i = after + 1; i < record->node_count; i++) {
		if (record->nodes[i].parent == place.node && same_site(record->nodes[i].site, place.position))
			return i;
	}
	return 0;
}

} // namespace

uint64_t runs_inlined(const pf_function *record, const pf_place &place)
{
	uint64_t runs = 0;

	for (uint32_t i = inlined_at(record, place); i; i = next_inlined(record, place, i))
		runs = pf_count_add(runs, record->nodes[i].entries);
	return runs;
}

uint32_t inlined_at(const pf_function *record, const pf_place &place)
{
	return next_inlined(record, place, place.node);
}

bool ran_in_place(const pf_function *record, const pf_place &place)
{
	pf_match match = pf_match_record(record, &place);

	return (match.kind != PF_MATCH_NONE && match.record->max > 0) || runs_inlined(record, place) > 0;
}

edge way_to_call(basic_block bb, const pf_function *record, placer *places, const pf_place *wanted)
{
	if (EDGE_COUNT(bb->succs) != 2)
		return NULL;
	edge first = EDGE_SUCC(bb, 0), second = EDGE_SUCC(bb, 1);
	bool leads = leads_to_call(first, record, places, wanted);

	if (leads == leads_to_call(second, record, places, wanted))
		return NULL;
	return leads ? first : second;
}

} // namespace pathfdo
