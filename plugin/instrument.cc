/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pass that instruments.  It stands where the plugin reads a profile and where GCC instruments for gcov, in place
 * of that (`profile'): the graph is that of the source after the early optimisations, the same in all three, so that
 * their counts can be held against each other; and everything that optimises comes behind it, so that what is counted
 * is fast code.  Inlined copies count in their function's own counters.
 *
 * The hard case is what the compiler has found out about functions before they counted anything: one without side
 * effects would be called less often than the source says. */
#include "plugin/place.h"
#include "plugin/gcc-compat.h"
#include "plugin/contextcode.h"
#include "plugin/instrument.h"
#include "plugin/metriccode.h"
#include "plugin/passes.h"
#include "plugin/pathcode.h"
#include "plugin/pathunit.h"
#include "plugin/settings.h"

namespace pathfdo
{

namespace
{

/* A resolver of indirect functions runs before the program is relocated, when it must not touch what other modules
 * have. */
bool is_resolver(cgraph_node *node)
{
	ipa_ref *reference;

	for (unsigned i = 0; node->iterate_direct_aliases(i, reference); i++) {
		cgraph_node *alias = dyn_cast<cgraph_node *>(reference->referring);

		if (alias && alias->ifunc_resolver)
			return true;
	}
	return false;
}

/* Whether the unit has one at all, as most have not. */
bool has_resolvers()
{
	static int known = -1;
	cgraph_node *node;

	if (known < 0) {
		known = 0;
		FOR_EACH_FUNCTION(node)
		known |= node->alias && node->ifunc_resolver;
	}
	return known > 0;
}

/* Whether NODE is one, or what one calls.  SEEN ends recursion. */
bool runs_in_resolver(cgraph_node *node, hash_set<cgraph_node *> *seen)
{
	if (is_resolver(node))
		return true;
	for (cgraph_edge *e = node->callers; e; e = e->next_caller) {
		if (!seen->add(e->caller) && runs_in_resolver(e->caller, seen))
			return true;
	}
	return false;
}

bool runs_before_relocation(cgraph_node *node)
{
	hash_set<cgraph_node *> seen;

	return has_resolvers() && runs_in_resolver(node, &seen);
}

bool wants_counting(cgraph_node *node)
{
	return !node->alias && !node->thunk && !node->inlined_to && node->definition && gimple_has_body_p(node->decl) &&
	       !DECL_EXTERNAL(node->decl) && DECL_SOURCE_LOCATION(node->decl) != BUILTINS_LOCATION &&
	       !lookup_attribute("no_profile_instrument_function", DECL_ATTRIBUTES(node->decl)) &&
	       !lookup_attribute("naked", DECL_ATTRIBUTES(node->decl)) && !runs_before_relocation(node);
}

/* Whether all callers of NODE are known and count. */
bool is_called_by_counted(cgraph_node *node)
{
	if (!node->only_called_directly_p())
		return false;
	for (cgraph_edge *e = node->callers; e; e = e->next_caller) {
		if (!wants_counting(e->caller))
			return false;
	}
	return true;
}

/* Whether STMT ends the process, or makes another program of it, without destructors being run. */
bool ends_process(gimple *stmt)
{
	static const char *const names[] = { "_exit", "_Exit", "abort", "quick_exit", "daemon", "__assert_fail",
					     "__assert_perror_fail",
					     /* std::terminate and std::__glibcxx_assert_fail */
					     "_ZSt9terminatev", "_ZSt21__glibcxx_assert_failPKciS0_S0_", "execl",
					     "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve",
					     "execveat" };
	tree callee = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;

	if (!callee || !TREE_PUBLIC(callee) || !DECL_NAME(callee))
		return false;
	for (const char *name : names) {
		const char *found = linker_name(callee);

		if (strcmp(found, name) == 0)
			return true;
	}
	return false;
}

/* Behind the counting of what ends there. */
void save_at_ends(void (*save)(gimple_stmt_iterator *gsi))
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (ends_process(gsi_stmt(gsi)))
				save(&gsi);
		}
	}
}

/* The edge from a call that must be a tail call, in BB, to the return that it has in another block; NULL if there is
 * none. */
edge way_out(basic_block bb)
{
	edge e = single_succ_p(bb) && metriccode_tail(bb) ? single_succ_edge(bb) : NULL;

	return e && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun) && single_succ_p(e->dest) ? e : NULL;
}

/* Leads each of EDGES to a block that no other comes to. */
void copy_ways_out(const vec<edge> &edges)
{
	bool copied = false;

	initialize_original_copy_tables();
	for (edge e : edges) {
		if (single_pred_p(e->dest) || !can_duplicate_block_p(e->dest))
			continue;
		basic_block copy = duplicate_block(e->dest, e, e->src);

		flush_pending_stmts(e);
		add_phi_args_after_copy(&copy, 1, NULL);
		copied = true;
	}
	free_original_copy_tables();
	if (!copied)
		return;
	free_dominance_info(CDI_DOMINATORS); /* does not know the copies, and is asked */
	update_ssa(TODO_update_ssa);
}

/* Without optimisation GCC merges no blocks between which a debugger could stop, or that a label parts that is not
 * artificial, as the one of a return is not. */
bool merge_way_out(edge e)
{
	e->goto_locus = UNKNOWN_LOCATION;
	for (gimple_stmt_iterator gsi = gsi_start_bb(e->dest); !gsi_end_p(gsi); gsi_next(&gsi)) {
		glabel *label = dyn_cast<glabel *>(gsi_stmt(gsi));

		if (!label)
			break;
		DECL_ARTIFICIAL(gimple_label_label(label)) = 1;
	}
	if (!can_merge_blocks_p(e->src, e->dest))
		return false;
	merge_blocks(e->src, e->dest);
	return true;
}

/* Gives each of these calls the next block of its way out for its own; false if all have theirs. */
bool take_ways_out()
{
	bool merged = false;
	basic_block bb;
	auto_vec<edge> ways;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (edge e = way_out(bb))
			ways.safe_push(e);
	}
	if (ways.is_empty())
		return false;
	copy_ways_out(ways);
	for (edge e : ways)
		merged |= single_pred_p(e->dest) && merge_way_out(e);
	return merged;
}

/* Nothing may come between a call that must be a tail call and its return, and code is put in front of returns: so such
 * a call gets one of its own, in its block. */
void part_tails()
{
	while (take_ways_out())
		continue;
}

void instrument_function(cgraph_node *node)
{
	push_cfun(DECL_STRUCT_FUNCTION(node->decl));
	if (execute_fixup_cfg() & TODO_cleanup_cfg)
		cleanup_tree_cfg();
	part_tails();
	if (options.count_contexts) {
		context_code context(is_called_by_counted(node));

		if (options.count_paths)
			pathcode_insert(&context);
		context.insert();
		save_at_ends(contextcode_save);
	} else {
		pathcode_insert(NULL);
		save_at_ends(pathcode_save);
	}
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
	pop_cfun();
	node->set_const_flag(false, false);
	node->set_pure_flag(false, false);
}

/* Calls of functions that were free of side effects have some now.  That they were declared so is in the type of the
 * call, too, where a pointer may lead to any of them. */
void renew_call(gcall *call)
{
	tree callee = gimple_call_fndecl(call), type = gimple_call_fntype(call);

	if (type && TYPE_READONLY(type) && !(callee && TREE_READONLY(callee)))
		gimple_call_set_fntype(call, build_qualified_type(type, TYPE_QUALS(type) & ~TYPE_QUAL_CONST));
	update_stmt(call);
}

void renew_function(cgraph_node *node)
{
	basic_block bb;

	push_cfun(DECL_STRUCT_FUNCTION(node->decl));
	FOR_EACH_BB_FN(bb, cfun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (is_gimple_call(gsi_stmt(gsi)))
				renew_call(as_a<gcall *>(gsi_stmt(gsi)));
		}
	}
	cleanup_tree_cfg();
	update_ssa(TODO_update_ssa);
	cgraph_edge::rebuild_edges();
	pop_cfun();
}

unsigned instrument_unit(function *)
{
	auto_vec<cgraph_node *> nodes;
	cgraph_node *node;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		if (wants_counting(node))
			nodes.safe_push(node);
	}
	for (cgraph_node *each : nodes)
		instrument_function(each);
	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		if (!node->inlined_to && !node->alias)
			renew_function(node);
	}
	pathunit_finish();
	return TODO_dump_symtab;
}

bool is_compiled()
{
	return !in_lto_p && !seen_error();
}

void prepare(void *, void *)
{
	if (!is_compiled())
		return;
	if (POINTER_SIZE != 64)
		fatal_error(UNKNOWN_LOCATION,
			    "%<-fplugin-arg-pathfdo-instrument=%s%>: only 64-bit programs are counted, the library is "
			    "for no others; compile for these without it",
			    options.instrument);
	settings_split_late();
	if (options.count_contexts)
		settings_inline_counting();
}

} // namespace

void instrument_setup(const char *plugin_name)
{
	passes_begin(plugin_name, is_compiled);
	passes_add({ SIMPLE_IPA_PASS, "pathfdo_instrument", TV_IPA_PROFILE, "profile", 1, PASS_POS_REPLACE, NULL,
		     instrument_unit });
	register_callback(plugin_name, PLUGIN_ALL_IPA_PASSES_START, prepare, NULL);
}

} // namespace pathfdo
