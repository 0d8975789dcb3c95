/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts across calls.  gcov's counts are exact, and GCC's passes rely on what follows from that: a function runs at
 * least as often as the calls of it that have counts, thunks included; the cloner (ipa-cp.cc) ends in an internal error
 * where it does not.  Sampled counts of caller and callee are two estimates, so the higher one is taken here, callers
 * first; and what ran was called by somebody, callees first.
 *
 * The hard case is the thunk: it has no source position, so that no profile knows it, and most of its calls come
 * through virtual tables.  What calls it directly is known; and since calls may become direct later, it never has no
 * count. */
#include "plugin/callers.h"
#include "plugin/c-parts.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

const uint64_t strangers = 10; /* one of so many calls may be anybody's */

/* Functions that hardly any look saw, whose counts are a guess of what they may do besides. */
hash_set<int_hash<unsigned, UINT_MAX>> doubtful;

/* Those of which nothing was seen at all, and all is a guess for one entry. */
hash_set<int_hash<unsigned, UINT_MAX>> guessed;

struct calls {
	cgraph_node *of; /* the function whose recursion does not count */
	bool seen;       /* only calls that a look saw */
	gcov_type count;
};

bool add_calls(cgraph_node *node, void *closure)
{
	calls *sum = (calls *)closure;

	for (cgraph_edge *e = node->callers; e; e = e->next_caller) {
		profile_count count = e->count.ipa();

		if (count.initialized_p() && e->caller != sum->of &&
		    !(sum->seen && doubtful.contains(DECL_UID(e->caller->decl))))
			sum->count += count.to_gcov_type();
	}
	return false;
}

gcov_type sum_calls(cgraph_node *node, bool seen)
{
	calls sum = { node, seen, 0 };

	node->call_for_symbol_and_aliases(add_calls, &sum, true);
	return sum.count;
}

} // namespace

gcov_type counted_calls(cgraph_node *node)
{
	return sum_calls(node, false);
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

typedef hash_map<nofree_string_hash, uint64_t> counts_by_name;

/* How often the own body of each function that has a record was entered, by its number, and what of that the profile
 * saw from the calls' side, in other functions of this unit.  The calls may not be there any more: what is inlined now
 * is not called. */
hash_map<int_hash<unsigned, UINT_MAX>, uint64_t> entries;
counts_by_name seen_calls;

/* The same with the entries of its instances that are not inlined now, and these as calls. */
hash_map<int_hash<unsigned, UINT_MAX>, uint64_t> all_entries;
counts_by_name left_calls;

void note_call(counts_by_name *calls, const char *name, uint64_t count)
{
	uint64_t *seen = calls->get(name);

	if (seen)
		*seen += count;
	else
		calls->put(xstrdup(name), count);
}

uint64_t calls_of(counts_by_name *calls, tree decl)
{
	decl_names known = body_names_of(decl);
	uint64_t sum = 0;

	for (unsigned i = 0; i < known.count; i++) {
		uint64_t *seen = calls->get(known.names[i]);

		sum += seen ? *seen : 0;
	}
	return sum;
}

/* Whether the profile has hardly an entry of NODE that was not from a call in this unit. */
bool is_called_here(cgraph_node *node)
{
	uint64_t *all = all_entries.get(DECL_UID(node->decl));
	uint64_t here = calls_of(&seen_calls, node->decl) + calls_of(&left_calls, node->decl);

	return all && *all > 0 && here >= *all - *all / strangers;
}

/* The calls of a function, but for its recursion. */
struct call_sites {
	cgraph_node *of;
	auto_vec<gcall *> at;
	auto_vec<cgraph_node *> in;
};

bool add_sites(cgraph_node *node, void *closure)
{
	call_sites *sites = (call_sites *)closure;

	for (cgraph_edge *e = node->callers; e; e = e->next_caller) {
		if (e->caller == sites->of)
			continue;
		sites->at.safe_push(e->call_stmt);
		sites->in.safe_push(e->caller);
	}
	return false;
}

/* What else leaves the block before BB gives way. */
void raise_block(basic_block bb, gcov_type least)
{
	edge e, other;
	edge_iterator ei;

	if (bb->count.initialized_p() && bb->count.to_gcov_type() >= least)
		return;
	bb->count = profile_count::from_gcov_type(least, ADJUSTED);
	if (!single_pred_p(bb))
		return;
	e = single_pred_edge(bb);
	if (!e->src->count.nonzero_p() || e->count().nonzero_p())
		return;
	e->probability =
	    profile_probability::probability_in_gcov_type(least, e->src->count.to_gcov_type() + least).adjusted();
	FOR_EACH_EDGE(other, ei, e->src->succs)
	if (other != e)
		other->probability *= e->probability.invert();
}

/* CALL, in the body of CALLER, ran RUNS times: so did what it cannot run without, and once at least what is around its
 * loop. */
void raise_call(cgraph_node *caller, gcall *call, gcov_type runs)
{
	basic_block at = gimple_bb(call), bb;

	push_cfun(DECL_STRUCT_FUNCTION(caller->decl));
	loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
	calculate_dominance_info(CDI_DOMINATORS);
	calculate_dominance_info(CDI_POST_DOMINATORS);
	FOR_ALL_BB_FN(bb, cfun)
	{
		if (dominated_by_p(CDI_DOMINATORS, at, bb) || dominated_by_p(CDI_POST_DOMINATORS, at, bb))
			raise_block(bb, bb->loop_father == at->loop_father ? runs : 1);
	}
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
	loop_optimizer_finalize();
	finish_blocks(caller, PROFILE_READ);
	pop_cfun();
}

/* CALL, in the body of CALLER, ran RUNS times, or less. */
void lower_call(cgraph_node *caller, gcall *call, gcov_type runs)
{
	basic_block at = gimple_bb(call);

	if (!at->count.nonzero_p() || at->count.to_gcov_type() <= runs)
		return;
	push_cfun(DECL_STRUCT_FUNCTION(caller->decl));
	at->count = profile_count::from_gcov_type(MAX(runs, 1), ADJUSTED);
	finish_blocks(caller, PROFILE_READ);
	pop_cfun();
}

/* How often functions that are mere guesses call NODE is a guess, too: no more than it was entered. */
void settle_guesses(cgraph_node *node)
{
	call_sites sites = { node, {}, {} };
	gcov_type seen = sum_calls(node, true), guesses = sum_calls(node, false) - seen;
	gcov_type entered = node->count.ipa().nonzero_p() ? node->count.to_gcov_type() : 0,
		  rest = MAX(entered - seen, 0);

	if (guesses <= rest)
		return;
	auto_vec<gcov_type> wanted; /* asked before any is lowered: calls may share a block */
	node->call_for_symbol_and_aliases(add_sites, &sites, true);
	for (gcall *call : sites.at) {
		profile_count known = call ? gimple_bb(call)->count.ipa() : profile_count::zero();

		wanted.safe_push(known.nonzero_p() ? (gcov_type)((double)known.to_gcov_type() * rest / guesses) : 0);
	}
	for (unsigned i = 0; i < sites.at.length(); i++) {
		if (sites.at[i] && guessed.contains(DECL_UID(sites.in[i]->decl)))
			lower_call(sites.in[i], sites.at[i], wanted[i]);
	}
}

/* Brings SITES, which have CALLED together, to RUNS; each to that if nothing is known of any.  What a site has is asked
 * before another is raised: they may share a block, or what leads to both. */
void raise_calls(const call_sites &sites, gcov_type called, gcov_type runs)
{
	auto_vec<gcov_type> wanted;

	for (gcall *call : sites.at) {
		profile_count known = call ? gimple_bb(call)->count.ipa() : profile_count::zero();
		double share = !called ? 1 : known.nonzero_p() ? (double)known.to_gcov_type() / (double)called : 0;

		wanted.safe_push(call ? (gcov_type)(MIN(share, 1.0) * (double)runs) : 0);
	}
	for (unsigned i = 0; i < sites.at.length(); i++) {
		if (wanted[i] > 0 && sites.in[i]->count.ipa().nonzero_p())
			raise_call(sites.in[i], sites.at[i], wanted[i]);
	}
}

/* How often the function NODE was entered, by its counts; another unit's by what this unit had inlined of it, of which
 * no look may have seen the beginning, or did not have UNSEEN.  0: nothing says that it ran. */
gcov_type known_entries(cgraph_node *node, bool (*unseen)(tree), gcov_type once)
{
	if (gimple_has_body_p(node->decl))
		return node->count.ipa().nonzero_p() ? node->count.to_gcov_type() : 0;
	uint64_t left = calls_of(&left_calls, node->decl);
	return left ? MIN((double)left * once, (double)PF_LIMIT_SAFE) : unseen(node->decl) ? once : 0;
}

/* NODE ran, and by the counts of those that can call it nobody called it, or less than half as often: a function that
 * begins once and turns for long is seen in its loops, and hardly a look has shown the call.  Where it is inlined its
 * counts become those of the call, which would be none, or few, the more so if that happens to the caller, too.  Which
 * of several calls it was is not known if none has counts; those in functions that no look saw are the less likely
 * ones.  What other units can call, too, is inlined into the only caller here if each has its own, or when linking;
 * UNSEEN says whether nobody's call of it was seen. */
void settle_unseen_calls(cgraph_node *node, bool (*unseen)(tree), gcov_type once)
{
	call_sites sites = { node, {}, {} };
	gcov_type called = counted_calls(node), entered = node->callers ? known_entries(node, unseen, once) : 0;
	bool has_body = gimple_has_body_p(node->decl), is_local = has_body && node->only_called_directly_or_aliased_p();
	bool may_vanish = flag_generate_lto || DECL_COMDAT(node->decl), here = is_called_here(node);

	if (called >= entered || (called && !(has_body && here && entered / 2 >= called)) ||
	    !(is_local || (may_vanish && (!has_body || called || unseen(node->decl)))))
		return;
	node->call_for_symbol_and_aliases(add_sites, &sites, true);
	raise_calls(sites, called, entered);
}

} // namespace

void settle_calls(bool (*unseen)(tree), gcov_type once)
{
	cgraph_node **order = XCNEWVEC(cgraph_node *, symtab->cgraph_count);
	int count = ipa_reverse_postorder(order);

	for (int i = 0; i < count; i++) {
		if (!order[i]->definition || order[i]->alias || order[i]->inlined_to)
			continue;
		if (order[i]->thunk) {
			settle_thunk(order[i]);
		} else {
			settle_guesses(order[i]);
			settle_function(order[i]);
		}
	}
	for (int i = count - 1; i >= 0; i--) {
		if (!order[i]->alias && !order[i]->inlined_to && !order[i]->thunk)
			settle_unseen_calls(order[i], unseen, once);
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

/* From the last dot of the file's own name on; nothing where there is none, or the compiler does not know the file. */
const char *suffix_of(const char *file)
{
	const char *dot = file ? strrchr(lbasename(file), '.') : NULL;

	return dot ? dot : "";
}

/* Whether no other unit has a function like NODE, whose entries would be in the same record: it is declared in a source
 * file, of which one unit may include several, and not in a header, which all include. */
bool is_of_this_unit(cgraph_node *node)
{
	return strcmp(suffix_of(DECL_SOURCE_FILE(node->decl)), suffix_of(main_input_filename)) == 0;
}

/* Whether NODE ran and was mostly entered from where nothing was seen. */
bool entered_unseen(cgraph_node *node)
{
	uint64_t *entered = entries.get(DECL_UID(node->decl));

	return entered && *entered / 2 >= calls_of(&seen_calls, node->decl) && is_of_this_unit(node) && ran(node);
}

/* Whether NODE is one that the compiler may put into its callers: the only call of it, or one of what is not large. */
bool is_inlinable(cgraph_node *node)
{
	ipa_size_summary *size = ipa_size_summaries->get(node);

	return !node->callers || !node->callers->next_caller ||
	       (size && size->self_size <= opt_for_fn(node->decl, param_max_inline_insns_single));
}

/* Functions of which it is known whether they call something that must have run. */
hash_set<cgraph_node *> lead_on, lead_aside;

/* Whether NODE, which nothing that was seen calls, ran and must have been called all the same.  Of another unit it is
 * by what OVERSEEN says; who calls it from further units is not known, nor, with -flto, of one that they can call. */
bool ran_unseen(cgraph_node *node, bool (*overseen)(tree))
{
	if (!node->definition)
		return flag_generate_lto && overseen(node->decl);
	return (entered_unseen(node) && is_inlinable(node)) || lead_on.contains(node);
}

/* Whether NODE calls something that only functions call which were not seen, and that was entered.  One of them ran,
 * then: once, perhaps, and where the profiled build had not inlined what it calls there was nothing of it to see.  What
 * it calls may be inlined now, and is where it is hot.  SEEN ends recursion; what was found of other functions is not
 * looked for again. */
bool must_have_run(cgraph_node *node, bool (*overseen)(tree), hash_set<cgraph_node *> *seen)
{
	for (cgraph_edge *e = node->callees; e; e = e->next_callee) {
		cgraph_node *callee = e->callee->ultimate_alias_target();
		bool may_vanish = flag_generate_lto || callee->only_called_directly_or_aliased_p();

		if (!may_vanish || lead_aside.contains(callee) || seen->add(callee) || sum_calls(callee, true) > 0)
			continue;
		if (ran_unseen(callee, overseen) || (callee->definition && must_have_run(callee, overseen, seen))) {
			lead_on.add(node);
			return true;
		}
	}
	return false;
}

} // namespace

void note_body(tree decl, const pf_body &body)
{
	const pf_function *f = body.function;

	if (body.own)
		entries.put(DECL_UID(decl), body.entries);
	all_entries.put(DECL_UID(decl), MAX(f->head, f->total > 0));
	for (uint32_t i = 0; i < f->record_count; i++) {
		for (uint32_t j = 0; j < f->records[i].target_count; j++)
			if (strcmp(f->records[i].targets[j].name, f->name) != 0)
				note_call(&seen_calls, f->records[i].targets[j].name, f->records[i].targets[j].count);
	}
}

void note_left(const char *name, uint64_t count)
{
	note_call(&left_calls, name, count);
}

void note_guess(tree decl)
{
	guessed.add(DECL_UID(decl));
	note_doubt(decl);
}

void note_doubt(tree decl)
{
	doubtful.add(DECL_UID(decl));
}

whereabouts find_unsampled(tree decl, bool (*overseen)(tree))
{
	cgraph_node *node = cgraph_node::get(decl);
	hash_set<cgraph_node *> seen;

	if (sum_calls(node, true) > 0 || lookup_attribute("hot", DECL_ATTRIBUTES(decl)))
		return whereabouts::called;
	if (must_have_run(node, overseen, &seen))
		return whereabouts::on_the_way;
	for (cgraph_node *other : seen)
		lead_aside.add(other);
	return whereabouts::aside;
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
