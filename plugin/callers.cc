/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts across calls.  gcov's counts are exact, and GCC's passes rely on what follows from that: a function runs at
 * least as often as the calls of it that have counts, thunks included; the cloner (ipa-cp.cc) ends in an internal error
 * where it does not.  Sampled counts of caller and callee are two estimates, so the higher one is taken here, callers
 * first.
 *
 * The hard case is the thunk: it has no source position, so that no profile knows it, and most of its calls come
 * through virtual tables.  What calls it directly is known; and since calls may become direct later, it never has no
 * count. */
#include "plugin/callers.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

namespace
{

struct calls {
	cgraph_node *of; /* the function whose recursion does not count */
	gcov_type count;
};

bool add_calls(cgraph_node *node, void *closure)
{
	calls *sum = (calls *)closure;

	for (cgraph_edge *e = node->callers; e; e = e->next_caller) {
		profile_count count = e->count.ipa();

		if (count.initialized_p() && e->caller != sum->of)
			sum->count += count.to_gcov_type();
	}
	return false;
}

} // namespace

gcov_type counted_calls(cgraph_node *node)
{
	calls sum = { node, 0 };

	node->call_for_symbol_and_aliases(add_calls, &sum, true);
	return sum.count;
}

namespace
{

/* What is left to do after the blocks of the current function got other counts. */
void finish_blocks(cgraph_node *node, profile_status_d status)
{
	update_max_bb_count();
	profile_status_for_fn(cfun) = status;
	node->count = ENTRY_BLOCK_PTR_FOR_FN(cfun)->count;
	compute_function_frequency();
	cgraph_edge::rebuild_edges();
}

/* Makes NODE run CALLED times; its counts become mere guesses if they cannot be made that high (limit.h). */
void raise_function(cgraph_node *node, gcov_type called)
{
	gcov_type own = node->count.to_gcov_type();
	basic_block bb;

	push_cfun(DECL_STRUCT_FUNCTION(node->decl));
	bool fits = (double)cfun->cfg->count_max.to_gcov_type() * called <= (double)PF_LIMIT_SAFE * own;
	FOR_ALL_BB_FN(bb, cfun)
	{
		if (!fits && !(bb->count == profile_count::zero()))
			bb->count = bb->count.guessed_local();
		else if (bb->count.nonzero_p())
			bb->count = bb->count.apply_scale(called, own);
	}
	finish_blocks(node, fits ? PROFILE_READ : PROFILE_GUESSED);
	pop_cfun();
}

void settle_thunk(cgraph_node *thunk)
{
	gcov_type called = MAX(MIN(counted_calls(thunk), (gcov_type)PF_LIMIT_SAFE), 1);

	thunk->count = profile_count::from_gcov_type(called, ADJUSTED);
	if (thunk->callees)
		thunk->callees->count = thunk->count;
}

void settle_function(cgraph_node *node)
{
	gcov_type called;

	if (!node->count.ipa().nonzero_p() || !gimple_has_body_p(node->decl))
		return;
	called = counted_calls(node);
	if (called > node->count.to_gcov_type())
		raise_function(node, called);
}

} // namespace

void settle_calls()
{
	cgraph_node **order = XCNEWVEC(cgraph_node *, symtab->cgraph_count);
	int count = ipa_reverse_postorder(order);

	for (int i = 0; i < count; i++) {
		if (!order[i]->definition || order[i]->alias || order[i]->inlined_to)
			continue;
		if (order[i]->thunk)
			settle_thunk(order[i]);
		else
			settle_function(order[i]);
	}
	free(order);
}

namespace
{

bool ran(cgraph_node *node)
{
	struct function *body = DECL_STRUCT_FUNCTION(node->decl);

	return body && body->cfg && body->cfg->count_max.ipa().nonzero_p();
}

/* Whether NODE calls something that ran and that only functions call which were not seen.  One of them ran, then: once,
 * perhaps, and where the profiled build had not inlined what it calls there was nothing of it to see.  SEEN ends
 * recursion. */
bool must_have_run(cgraph_node *node, hash_set<cgraph_node *> *seen)
{
	for (cgraph_edge *e = node->callees; e; e = e->next_callee) {
		cgraph_node *callee = e->callee->ultimate_alias_target();

		if (!callee->definition || !callee->only_called_directly_or_aliased_p() || counted_calls(callee) > 0 ||
		    seen->add(callee))
			continue;
		if (ran(callee) || must_have_run(callee, seen))
			return true;
	}
	return false;
}

} // namespace

whereabouts find_unsampled(tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);
	hash_set<cgraph_node *> seen;

	if (counted_calls(node) > 0 || lookup_attribute("hot", DECL_ATTRIBUTES(decl)))
		return whereabouts::called;
	return must_have_run(node, &seen) ? whereabouts::on_the_way : whereabouts::aside;
}

/* It keeps its guesses as local frequencies, and it is not declared unlikely, as production may yet come by.  Without
 * guesses there is nothing to keep. */
void cool_unsampled(tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);
	basic_block bb;

	push_cfun(DECL_STRUCT_FUNCTION(decl));
	if (ENTRY_BLOCK_PTR_FOR_FN(cfun)->count.initialized_p()) {
		FOR_ALL_BB_FN(bb, cfun)
		if (!(bb->count == profile_count::zero()))
			bb->count = bb->count.global0adjusted();
		finish_blocks(node, PROFILE_READ);
	}
	pop_cfun();
}

} // namespace pathfdo
