/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See macros.h.  An interpreter's operations all end in the same macro, and GCC keeps one of their ends for all of
 * them: its jump, with the line of one operation, is what the profile has of the condition, and of the others' ends
 * nothing is known.  They are the same words of the source, so that they are guessed to do the same.
 *
 * The hard case is that the compiler may have turned the one condition around and not the other: what is added up is
 * how often it held, in the form that has no `!=`, `>=` or `>`. */
#include "plugin/macros.h"

namespace pathfdo
{

namespace
{

/* As flow/history.h weighs what is known in general against what is known of a case. */
const double guess_weight = 16;

struct verdict {
	double held, other;
};

/* The condition that ends BB, if a macro made it: the edge on which it holds, the other, and the words of the macro. */
bool macro_condition(basic_block bb, edge *holds, edge *other, location_t *words)
{
	gcond *condition = safe_dyn_cast<gcond *>(pf_gcc_last_stmt(bb));

	if (!condition || !linemap_location_from_macro_expansion_p(line_table, gimple_location(condition)))
		return false;
	tree_code code = gimple_cond_code(condition);
	extract_true_false_edges_from_block(bb, holds, other);
	if (code == NE_EXPR || code == GE_EXPR || code == GT_EXPR)
		std::swap(*holds, *other);
	*words = linemap_resolve_location(line_table, gimple_location(condition), LRK_SPELLING_LOCATION, NULL);
	return *words > BUILTINS_LOCATION;
}

uint32_t number_of(const pf_graph *graph, edge e)
{
	return graph->out_edges[graph->out_first[e->src->index] + (e == EDGE_SUCC(e->src, 0) ? 0 : 1)];
}

typedef hash_map<int_hash<location_t, 0>, verdict> verdict_map;

void add_verdicts(const pf_graph *graph, const uint64_t *outcomes, verdict_map *verdicts)
{
	edge holds, other;
	location_t words;
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (!macro_condition(bb, &holds, &other, &words))
			continue;
		verdict *v = &verdicts->get_or_insert(words);
		v->held += (double)outcomes[number_of(graph, holds)];
		v->other += (double)outcomes[number_of(graph, other)];
	}
}

void guess(pf_graph_edge *flow, double seen, double all)
{
	if (flow->guess >= 0)
		flow->guess = (seen + guess_weight * flow->guess) / (all + guess_weight);
}

} // namespace

void guess_by_macros(pf_graph *graph, const uint64_t *outcomes)
{
	verdict_map verdicts;
	edge holds, other;
	location_t words;
	basic_block bb;

	add_verdicts(graph, outcomes, &verdicts);
	FOR_EACH_BB_FN(bb, cfun)
	{
		if (!macro_condition(bb, &holds, &other, &words))
			continue;
		uint32_t first = number_of(graph, holds), second = number_of(graph, other);
		const verdict *v = verdicts.get(words);

		if (outcomes[first] || outcomes[second] || graph->edges[first].unlikely ||
		    graph->edges[second].unlikely)
			continue;
		guess(&graph->edges[first], v->held, v->held + v->other);
		guess(&graph->edges[second], v->other, v->held + v->other);
	}
}

} // namespace pathfdo
