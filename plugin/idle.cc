/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The idle part of a call's body: what GCC can split off it, as hardly anything of it ran in this call.  Counts are
 * inferred from the instance as those of a function are from its record, so that what has no record of its own, as the
 * compiler moved it or inlined all of it, runs as often as the flow around it says.
 *
 * GCC splits off what goes to the end of the function.  What control comes back from stays in the body, whether or not
 * it runs: a body with such a part is inlined whole, or not at all.
 *
 * The hard case is the body of which the profiled binary had only a part at the call, because GCC had split it: what
 * was split off ran as a function of its own, and the instance says nothing of it.  It counts as idle here, whatever it
 * did elsewhere.  The callee's own record tells it from what the compiler left no trace of. */
#include "plugin/idle.h"
#include "plugin/counts.h"
#include "plugin/leftcalls.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

/* What runs in one of so many of a call's entries or less often saves hardly anything by being inlined there. */
const uint64_t seldom = 16;

int size_of(basic_block bb)
{
	int size = 0;

	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		if (is_real_statement(gsi_stmt(gsi)))
			size += estimate_num_insns(gsi_stmt(gsi), &eni_size_weights);
	}
	return size;
}

/* Whether RECORD, which PLACES is of, has a count for BB, be it that of what a call had become. */
bool has_count(basic_block bb, placer *places, const pf_function *record)
{
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		location_t where = gimple_location(gsi_stmt(gsi));
		pf_place place;

		if (is_real_statement(gsi_stmt(gsi)) && places->place(where, pf_gcc_discriminator(bb, where), &place) &&
		    ran_in_place(record, place))
			return true;
	}
	return false;
}

typedef hash_set<basic_block> block_set;

/* Adds what control reaches from the blocks of SET, or what reaches them. */
void close_over(block_set *set, bool backward)
{
	auto_vec<basic_block> todo;
	edge_iterator ei;
	edge e;

	for (basic_block bb : *set)
		todo.safe_push(bb);
	while (todo.length()) {
		basic_block bb = todo.pop();

		FOR_EACH_EDGE(e, ei, backward ? bb->preds : bb->succs)
		{
			basic_block next = backward ? e->src : e->dest;

			if (!set->add(next))
				todo.safe_push(next);
		}
	}
}

/* The block that does nothing but return, which the part that is split off has, too; NULL if there is none. */
basic_block return_block()
{
	edge_iterator ei;
	edge e;

	FOR_EACH_EDGE(e, ei, EXIT_BLOCK_PTR_FOR_FN(cfun)->preds)
	{
		gimple_stmt_iterator gsi = gsi_start_nondebug_after_labels_bb(e->src);

		while (!gsi_end_p(gsi) && gimple_clobber_p(gsi_stmt(gsi)))
			gsi_next_nondebug(&gsi);
		if (!gsi_end_p(gsi) && gimple_code(gsi_stmt(gsi)) == GIMPLE_RETURN)
			return e->src;
	}
	return NULL;
}

/* The blocks of what GCC had split off: from where control reaches nothing that the instance knows, those that ran by
 * the callee's OWN record, and what follows them. */
void find_apart(const pf_function *own, const pf_function *record, uint32_t instance, block_set *apart)
{
	placer places(record, instance), own_places(own);
	basic_block last = return_block(), bb;
	block_set before;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (bb != last && has_count(bb, &places, record))
			before.add(bb);
	}
	close_over(&before, true);
	FOR_EACH_BB_FN(bb, cfun)
	{
		if (!before.contains(bb) && has_count(bb, &own_places, own))
			apart->add(bb);
	}
	close_over(apart, false);
}

/* The sizes of the current function, whose blocks have the counts of COUNTED; those APART are none of the call's. */
body_sizes measure_blocks(const pf_graph *counted, block_set *apart, uint64_t least)
{
	basic_block last = return_block(), bb;
	body_sizes sizes = {};
	block_set busy;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (bb != last && counted->blocks[bb->index].count >= least && !apart->contains(bb))
			busy.add(bb);
	}
	close_over(&busy, true);
	FOR_EACH_BB_FN(bb, cfun)
	*(bb == last || busy.contains(bb) ? &sizes.busy : &sizes.idle) += size_of(bb);
	return sizes;
}

body_sizes measure_instance(const pf_function *own, const pf_function *record, uint32_t instance, uint64_t least)
{
	pf_graph *graph = graph_of_cfg();
	body_sizes sizes = {};
	block_set apart;

	if (own)
		find_apart(own, record, instance, &apart);
	if (graph && count_instance(graph, record, instance))
		sizes = measure_blocks(graph, &apart, least);
	pf_graph_free(graph);
	return sizes;
}

} // namespace

body_sizes measure_body(cgraph_node *callee, const pf_function *own, const pf_function *record, uint32_t instance,
			uint64_t hot)
{
	uint64_t least = MAX(hot, record->nodes[instance].entries / seldom);

	push_cfun(DECL_STRUCT_FUNCTION(callee->decl));
	loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
	calculate_dominance_info(CDI_DOMINATORS);
	body_sizes sizes = measure_instance(own, record, instance, least);
	free_dominance_info(CDI_DOMINATORS);
	loop_optimizer_finalize();
	pop_cfun();
	return sizes;
}

} // namespace pathfdo
