/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replay of inlining.  Counts inside an inlined body belong to that call alone; to use them as they are, the CFG
 * must have the body too when it is annotated.  GCC's own inliner comes only after the annotation, so the hot part of
 * what the profiled binary had is inlined here, with the early inliner's machinery.
 *
 * The hard case is what GCC would refuse: its test is private to it, so the conditions are checked here again, each at
 * least as strict.  A refusal costs little, the instance's counts go to the callee.
 *
 * And it is the body that is hot only in part.  Whole it makes its caller larger for nothing, too large for the
 * caller's own callers, and GCC, which splits such a body and inlines what is hot of it, comes too late; so it is left
 * to GCC. */
#include "plugin/replay.h"
#include "plugin/callers.h"
#include "plugin/heat.h"
#include "plugin/identity.h"
#include "plugin/idle.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

const int rounds = 12;        /* depth of inlining */
const int size_limit = 40000; /* GCC's estimate of instructions, far above what its own limits let grow */

bool sanitized(tree decl)
{
	return flag_sanitize || lookup_attribute("no_sanitize", DECL_ATTRIBUTES(decl)) ||
	       lookup_attribute("no_sanitize_coverage", DECL_ATTRIBUTES(decl));
}

/* Whether CALLEE has so much on the stack beside CALLER that GCC does not inline it, either: where the caller recurses,
 * all of its frames would have that.  The profiled binary has no such instance, but its source may have been another.
 */
bool deepens_stack(cgraph_node *callee, cgraph_node *caller)
{
	HOST_WIDE_INT more = ipa_fn_summaries->get(callee)->estimated_stack_size;
	HOST_WIDE_INT own = ipa_size_summaries->get(caller)->estimated_self_stack_size;
	HOST_WIDE_INT most = own + own * opt_for_fn(caller->decl, param_stack_frame_growth) / 100;

	return more && own + more > MAX(most, opt_for_fn(caller->decl, param_large_stack_frame)) &&
	       own + more > ipa_fn_summaries->get(caller)->estimated_stack_size;
}

/* Why the call E cannot be inlined now, or NULL. */
const char *refusal(cgraph_edge *e, cgraph_node *caller)
{
	enum availability available;
	cgraph_node *callee = e->callee->ultimate_alias_target(&available, caller);
	ipa_fn_summary *summary;

	if (cgraph_inline_failed_type(e->inline_failed) == CIF_FINAL_ERROR)
		return cgraph_inline_failed_string(e->inline_failed);
	if (!callee->definition || callee->thunk || !gimple_has_body_p(callee->decl))
		return "the callee's body is not in this translation unit";
	if (available <= AVAIL_INTERPOSABLE)
		return "the callee can be replaced at link or load time";
	if (callee->calls_comdat_local || callee->inlined_to)
		return "the callee belongs to its section group";
	if (e->recursive_p())
		return "the call is recursive";
	if (!gimple_in_ssa_p(DECL_STRUCT_FUNCTION(callee->decl)))
		return "the callee is not in SSA form yet";
	summary = ipa_fn_summaries->get(callee);
	if (!summary || !summary->inlinable || DECL_UNINLINABLE(callee->decl))
		return "the callee must not be inlined";
	if (callee->externally_visible && !DECL_DISREGARD_INLINE_LIMITS(callee->decl) &&
	    flag_live_patching == LIVE_PATCHING_INLINE_ONLY_STATIC)
		return "the callee may be patched (-flive-patching)";
	if (!pf_gcc_scrubs_alike(callee, caller))
		return "caller and callee scrub their stacks differently";
	if (DECL_FUNCTION_PERSONALITY(caller->decl) && DECL_FUNCTION_PERSONALITY(callee->decl) &&
	    DECL_FUNCTION_PERSONALITY(caller->decl) != DECL_FUNCTION_PERSONALITY(callee->decl))
		return "caller and callee handle exceptions differently";
	if (DECL_FUNCTION_SPECIFIC_OPTIMIZATION(caller->decl) != DECL_FUNCTION_SPECIFIC_OPTIMIZATION(callee->decl) ||
	    !targetm.target_option.can_inline_p(caller->decl, callee->decl))
		return "caller and callee have different options";
	if (sanitized(caller->decl) || sanitized(callee->decl) || is_tm_pure(callee->decl) != is_tm_pure(caller->decl))
		return "caller and callee are instrumented differently";
	if (ipa_size_summaries->get(caller)->size > size_limit)
		return "the caller has grown too large";
	if (deepens_stack(callee, caller))
		return "the caller's stack frame would grow too large";
	return NULL;
}

/* Whether most of what the call E would bring is idle there, and so much that the caller would grow by more than GCC's
 * early inliner gives to a call of which it knows nothing.  Otherwise there would be a call in place of what is idle,
 * of the part that GCC splits off. */
bool is_idle(pf_bodies *bodies, cgraph_edge *e, const pf_function *record, uint32_t instance, uint64_t hot)
{
	cgraph_node *callee = e->callee->ultimate_alias_target();
	identity who(bodies, callee->decl);
	body_sizes sizes = measure_body(callee, pf_bodies_own(bodies, &who.as_profile), record, instance, hot);
	int growth = sizes.idle - ipa_call_summaries->get(e)->call_stmt_size;

	return sizes.idle > sizes.busy && growth > opt_for_fn(e->caller->decl, param_early_inlining_insns);
}

/* The instance that the call E had become, UINT32_MAX if there is none that is hot, or as good as that. */
uint32_t hot_instance(cgraph_edge *e, placer *places, const pf_function *record, uint64_t hot)
{
	cgraph_node *callee = e->callee->ultimate_alias_target();
	decl_names names = names_of(callee->decl);
	pf_place place;

	if (!e->call_stmt || !places->place(gimple_location(e->call_stmt), 0, &place))
		return UINT32_MAX;
	uint32_t node =
	    pf_match_instance(record, place.node, &place.position, names.names, names.count, base_line(callee->decl));
	if (node == UINT32_MAX)
		return UINT32_MAX;
	const pf_node *what = &record->nodes[node];
	bool again = pf_heat_is_replayed(what->entries, record->nodes[what->parent].entries,
					 DECL_DECLARED_INLINE_P(callee->decl), hot);

	return again ? node : UINT32_MAX;
}

class replayer
{
      public:
	replayer(pf_bodies *profile, const pf_function *function, uint64_t threshold, function_report *lines);
	bool round();

      private:
	pf_bodies *bodies;
	cgraph_node *node;
	const pf_function *record;
	uint64_t hot;
	function_report *report;
	hash_set<gimple *> refused;

	bool inline_edge(cgraph_edge *e, placer *places);
	void settle();
};

replayer::replayer(pf_bodies *profile, const pf_function *function, uint64_t threshold, function_report *lines)
    : bodies(profile), node(cgraph_node::get(current_function_decl)), record(function), hot(threshold), report(lines)
{
}

bool replayer::inline_edge(cgraph_edge *e, placer *places)
{
	if (!e->inline_failed || refused.contains(e->call_stmt))
		return false;
	uint32_t instance = hot_instance(e, places, record, hot);
	if (instance == UINT32_MAX)
		return false;
	const pf_node *what = &record->nodes[instance];
	const char *why = refusal(e, node);

	if (!why && is_idle(bodies, e, record, instance, MIN(hot, what->entries)))
		why = "most of the callee is cold in this call";
	report_inline(node->decl, what->name, what->entries, why);
	if (why) {
		refused.add(e->call_stmt);
		return false;
	}
	inline_call(e, true, NULL, NULL, false);
	report->replayed++;
	return true;
}

/* Carries the decisions out and brings the function's summaries up to date for the next round.  References name
 * statements that are about to go; they are found anew with the edges. */
void replayer::settle()
{
	ipa_update_overall_fn_summary(node);
	node->remove_all_references();
	unsigned todo = optimize_inline_calls(node->decl);
	if (todo & TODO_update_ssa_any)
		update_ssa(TODO_update_ssa);
	if (execute_fixup_cfg() & TODO_cleanup_cfg)
		cleanup_tree_cfg();
	cgraph_edge::rebuild_edges();
	compute_fn_summary(node, true);
}

bool replayer::round()
{
	placer places(record);
	bool any = false;

	for (cgraph_edge *e = node->callees, *next; e; e = next) {
		next = e->next_callee;
		any |= inline_edge(e, &places);
	}
	if (any)
		settle();
	return any;
}

typedef hash_set<tree> scope_set;

/* Adds the inlined bodies around WHERE. */
void add_scopes(scope_set *scopes, location_t where)
{
	tree block = LOCATION_BLOCK(where), scope;

	for (enclosing_function(block, &scope); scope; enclosing_function(BLOCK_SUPERCONTEXT(scope), &scope)) {
		if (scopes->add(scope))
			return;
	}
}

/* The inlined bodies of which something is left to run.  What only debug statements keep alive is not there without -g,
 * and the code must be the same. */
void find_scopes(scope_set *scopes)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (is_real_statement(gsi_stmt(gsi)))
				add_scopes(scopes, gimple_location(gsi_stmt(gsi)));
		}
	}
}

/* How many inlined bodies are the instance of each node. */
void count_scopes(placer *places, auto_vec<uint32_t> *copies)
{
	scope_set scopes;

	find_scopes(&scopes);
	for (tree scope : scopes) {
		uint32_t node = places->node_of(scope);

		if (node != UINT32_MAX)
			(*copies)[node]++;
	}
}

/* The function that is called where each instance was inlined; error_mark_node where several are.  What has no linkage
 * name in debug information, as an instance of a template with a local type, shares name and line with others. */
void find_callees(placer *places, const pf_function *record, auto_vec<tree> *callees)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);
			tree called = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
			cgraph_node *node = called ? cgraph_node::get(called) : NULL;
			pf_place place;

			if (!node || !places->place(gimple_location(stmt), 0, &place))
				continue;
			tree callee = node->ultimate_alias_target()->decl;
			decl_names names = names_of(callee);
			uint32_t i = pf_match_instance(record, place.node, &place.position, names.names, names.count,
						       base_line(callee));
			if (i != UINT32_MAX)
				(*callees)[i] = !(*callees)[i] || (*callees)[i] == callee ? callee : error_mark_node;
		}
	}
}

/* Whether the instance that goes by NAME, of CALLEE if that is known, is one of the current function, which has it. */
bool is_recursion(const char *name, tree callee)
{
	decl_names names = names_of(current_function_decl);

	if (callee)
		return callee == current_function_decl;
	for (unsigned i = 0; i < names.count; i++) {
		if (strcmp(names.names[i], name) == 0)
			return true;
	}
	return false;
}

/* The linkage name of CALLEE, NULL if that is not known. */
const char *callee_name(tree callee)
{
	return callee && callee != error_mark_node ? names_of(callee).names[0] : NULL;
}

} // namespace

bool is_replay_forbidden()
{
	return flag_no_inline || flag_sanitize;
}

bool replay_inlining(pf_bodies *bodies, const pf_function *record, uint64_t hot, function_report *report)
{
	replayer again(bodies, record, hot, report);
	bool changed = false;

	if (record->node_count < 2 || flag_no_inline || DECL_DISREGARD_INLINE_LIMITS(current_function_decl))
		return false;
	compute_fn_summary(cgraph_node::get(current_function_decl), true);
	for (int i = 0; i < rounds && again.round(); i++)
		changed = true;
	return changed;
}

void settle_instances(pf_bodies *bodies, const pf_body *body)
{
	const pf_function *record = body->function;
	auto_vec<uint32_t> copies;
	auto_vec<tree> callees;
	placer places(record);

	if (record->node_count < 2)
		return;
	copies.safe_grow_cleared(record->node_count, true);
	callees.safe_grow_cleared(record->node_count, true);
	copies[0] = 1;
	count_scopes(&places, &copies);
	find_callees(&places, record, &callees);
	for (uint32_t i = 1; i < record->node_count; i++) {
		const pf_node *node = &record->nodes[i];

		if (copies[i] || !copies[node->parent] || (!node->parent && is_recursion(node->name, callees[i])))
			continue;
		const char *name = callee_name(callees[i]);
		bool ran = pf_graft_ran(record, i);
		note_left(name ? name : node->name, MAX(node->entries, ran));
		if (pf_bodies_leave(bodies, record, i, name) == PF_ENOTFOUND && ran)
			report_lost(current_function_decl, node->name, node->entries);
	}
	pf_body_share(body, copies.address());
}

} // namespace pathfdo
