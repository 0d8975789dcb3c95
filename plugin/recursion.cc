/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How deep a function is inlined into itself.  GCC does that until the function is as large as
 * max-inline-insns-recursive-auto says, or as deep as max-inline-recursive-depth-auto.
 *
 * The hard case is what it is large of.  A small function that calls itself, as one that visits a tree, is taken first,
 * as its hottest call promises most for its size: eight copies at once.  What else it calls is inlined behind that,
 * into each copy, since each of them looks as hot as the one was, and nothing limits the sum.  Counts make such calls
 * hot, and make direct calls of virtual ones.  So the size that is limited is that which a copy will have, its hot
 * callees included: the depth is that at which GCC would have stopped, had it inlined these first. */
#include "plugin/passes.h"
#include "plugin/recursion.h"
#include "plugin/settings.h"

namespace pathfdo
{

namespace
{

const int most = 1 << 20; /* above any limit; callees of callees that are called twice double at each level */

/* What the inliner reckons that NODE has of instructions; 0 if it does not know. */
int size_of(cgraph_node *node)
{
	ipa_size_summary *size = ipa_size_summaries->get(node);

	return size ? MIN(size->self_size, most) : 0;
}

/* What the inliner lets a hot callee have, by the options of NODE. */
HOST_WIDE_INT limit_of_callees(cgraph_node *node, bool are_declared_inline)
{
	HOST_WIDE_INT limit = are_declared_inline ? opt_for_fn(node->decl, param_max_inline_insns_single)
						  : opt_for_fn(node->decl, param_max_inline_insns_auto);

	return limit * opt_for_fn(node->decl, param_inline_heuristics_hint_percent) / 100;
}

/* Whether the inliner may take the callee of E, because the call is hot. */
bool is_taken(cgraph_edge *e)
{
	cgraph_node *callee = e->callee->ultimate_alias_target();

	return callee->definition && !e->recursive_p() && !DECL_UNINLINABLE(callee->decl) && e->maybe_hot_p() &&
	       size_of(callee) <= limit_of_callees(e->caller, DECL_DECLARED_INLINE_P(callee->decl));
}

typedef hash_map<cgraph_node *, int> sizes_by_node;

/* How large NODE is with what is inlined into it for being hot, and into that.  KNOWN has what was found of others, and
 * of those that are being looked into, to which calls lead back, their own sizes. */
int size_with_callees(cgraph_node *node, sizes_by_node *known)
{
	int *found = known->get(node), size = size_of(node);

	if (found)
		return *found;
	known->put(node, size);
	for (cgraph_edge *e = node->callees; e; e = e->next_callee) {
		if (is_taken(e))
			size += size_with_callees(e->callee->ultimate_alias_target(), known);
		size = MIN(size, most);
	}
	known->put(node, size);
	return size;
}

bool calls_itself(cgraph_node *node)
{
	for (cgraph_edge *e = node->callees; e; e = e->next_callee) {
		if (e->recursive_p() && e->maybe_hot_p())
			return true;
	}
	return false;
}

void limit_depth(cgraph_node *node, sizes_by_node *sizes)
{
	int size = size_with_callees(node, sizes);
	int limit = DECL_DECLARED_INLINE_P(node->decl) ? opt_for_fn(node->decl, param_max_inline_insns_recursive)
						       : opt_for_fn(node->decl, param_max_inline_insns_recursive_auto);

	if (size > size_of(node))
		settings_limit_recursion(node->decl, MAX(limit / size - 1, 0));
}

unsigned limit_recursion(function *)
{
	cgraph_node *node;
	sizes_by_node sizes;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		if (node->count.ipa().nonzero_p() && calls_itself(node))
			limit_depth(node, &sizes);
	}
	return 0;
}

} // namespace

void recursion_setup()
{
	passes_add({ IPA_PASS, "pathfdo_recursion", TV_IPA_INLINING, "inline", 1, PASS_POS_INSERT_BEFORE, NULL,
		     limit_recursion });
}

} // namespace pathfdo
