/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indirect-call histograms.  GCC names a target by its profile id, a checksum of the symbol's name for public symbols,
 * so that targets in other translation units resolve at link time under -flto.  The hard case is the target that the
 * profiled binary had promoted and inlined: it shows as an inlined instance at the call, not among its targets.  But so
 * does a direct call that takes the result: both calls of f(p->g()) are at one position in C++. */
#include "plugin/icall.h"
#include "plugin/passes.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

struct target {
	unsigned id;
	gcov_type count;
};

int by_count(const void *left, const void *right)
{
	const target *a = (const target *)left, *b = (const target *)right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* The profile id of the function NAME: that of the symbol here, or what a public symbol has elsewhere. */
unsigned profile_id(const char *name)
{
	cgraph_node *node = cgraph_node::get_for_asmname(get_identifier(name));

	if (node) {
		node = node->ultimate_alias_target();
		if (node->profile_id)
			return node->profile_id;
	}
	unsigned id = crc32_string(0, name) & 0x7fffffff;
	return id + !id;
}

void add_target(auto_vec<target> *targets, const char *name, uint64_t count)
{
	unsigned id = profile_id(name);

	for (target &t : *targets) {
		if (t.id == id) {
			t.count += count;
			return;
		}
	}
	targets->safe_push({ id, (gcov_type)count });
}

bool is_site(const pf_node *node, const pf_place *place)
{
	return node->parent == place->node && node->site.line == place->position.line &&
	       node->site.column == place->position.column;
}

/* Marks the instances that are here without any indirect call: those of direct calls, and of bodies inlined already. */
class known_instances
{
      public:
	known_instances(const pf_function *function, placer *where) : record(function), places(where)
	{
		basic_block bb;

		known.safe_grow_cleared(record->node_count, true);
		FOR_EACH_BB_FN(bb, cfun)
		{
			for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
				add(gsi_stmt(gsi));
		}
	}

	bool has(uint32_t node) const
	{
		return known[node];
	}

      private:
	const pf_function *record;
	placer *places;
	auto_vec<bool> known;

	void add(const gimple *stmt)
	{
		tree callee = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
		pf_place place;

		if (!places->place(gimple_location(stmt), 0, &place))
			return;
		for (uint32_t node = place.node; !known[node]; node = record->nodes[node].parent)
			known[node] = true;
		if (!callee)
			return;
		decl_names names = names_of(callee);
		uint32_t node =
		    pf_match_instance(record, place.node, &place.position, names.names, names.count, base_line(callee));
		if (node != UINT32_MAX)
			known[node] = true;
	}
};

void collect(const pf_function *record, const pf_place *place, const known_instances &known, auto_vec<target> *targets)
{
	pf_match match = pf_match_record(record, place);

	if (match.kind != PF_MATCH_NONE) {
		for (uint32_t i = 0; i < match.record->target_count; i++)
			add_target(targets, match.record->targets[i].name, match.record->targets[i].count);
	}
	for (uint32_t i = place->node + 1; i < record->node_count; i++) {
		if (is_site(&record->nodes[i], place) && record->nodes[i].entries && !known.has(i))
			add_target(targets, record->nodes[i].name, record->nodes[i].entries);
	}
	targets->qsort(by_count);
	if (targets->length() > GCOV_TOPN_MAXIMUM_TRACKED_VALUES)
		targets->truncate(GCOV_TOPN_MAXIMUM_TRACKED_VALUES);
}

void attach(gcall *call, const auto_vec<target> &targets, uint64_t scale)
{
	histogram_value histogram =
	    gimple_alloc_histogram_value(cfun, HIST_TYPE_INDIR_CALL, call, gimple_call_fn(call));
	gcov_type all = 0;

	histogram->n_counters = 2 + 2 * targets.length();
	histogram->hvalue.counters = XNEWVEC(gcov_type, histogram->n_counters);
	for (unsigned i = 0; i < targets.length(); i++) {
		all += targets[i].count * scale;
		histogram->hvalue.counters[2 + 2 * i] = targets[i].id;
		histogram->hvalue.counters[3 + 2 * i] = targets[i].count * scale;
	}
	histogram->hvalue.counters[0] = all;
	histogram->hvalue.counters[1] = targets.length();
	gimple_add_histogram_value(cfun, call, histogram);
}

bool is_indirect(gcall *call)
{
	return call && !gimple_call_internal_p(call) && !gimple_call_fndecl(call) && gimple_call_fn(call);
}

/* Whether an exception out of the call CALL ends the program, as in a function that is declared noexcept.  The direct
 * call that GCC makes beside it goes to the same landing pad, but not out of bounds in the same way (gimple_ic looks
 * for positive numbers alone): what its target throws would go on to the callers. */
bool is_walled_in(gcall *call)
{
	return lookup_stmt_eh_lp(call) < 0;
}

/* The body that the call E is in as long as no clone has one of its own. */
function *body_with(const cgraph_edge *e)
{
	const cgraph_node *node = e->caller;

	while (node->clone_of)
		node = node->clone_of;
	return DECL_STRUCT_FUNCTION(node->decl);
}

/* The same of a call in what is to be inlined: it goes where the nearest call around it goes that goes anywhere. */
bool is_walled_in(const cgraph_edge *e)
{
	for (;; e = e->caller->callers) {
		function *body = body_with(e);
		int where = body ? lookup_stmt_eh_lp_fn(body, e->call_stmt) : 0;

		if (where || !e->caller->inlined_to)
			return where < 0;
	}
}

/* NODE and what is to be inlined there. */
void leave_indirect(cgraph_node *node)
{
	for (cgraph_edge *e = node->indirect_calls, *next; e; e = next) {
		next = e->next_callee;
		while (e->speculative && is_walled_in(e))
			e = cgraph_edge::resolve_speculation(e);
	}
	for (cgraph_edge *e = node->callees; e; e = e->next_callee) {
		if (!e->inline_failed)
			leave_indirect(e->callee);
	}
}

bool keeps_walls(function *)
{
	return flag_exceptions;
}

unsigned leave_all_indirect(function *)
{
	cgraph_node *node;

	FOR_EACH_FUNCTION(node)
	{
		if (!node->inlined_to)
			leave_indirect(node);
	}
	return 0;
}

} // namespace

void icall_setup()
{
	/* It is decided by then what is inlined where, and not done yet. */
	passes_add({ IPA_PASS, "pathfdo_walls", TV_IPA_INLINING, "inline", 1, PASS_POS_INSERT_AFTER, keeps_walls,
		     leave_all_indirect });
}

unsigned attach_call_targets(const pf_function *record, uint64_t scale)
{
	placer places(record);
	known_instances known(record, &places);
	unsigned attached = 0;
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			gcall *call = dyn_cast<gcall *>(gsi_stmt(gsi));
			auto_vec<target> targets;
			pf_place place;

			if (!is_indirect(call) || is_walled_in(call))
				continue;
			location_t where = gimple_location(call);
			if (!places.place(where, pf_gcc_discriminator(bb, where), &place))
				continue;
			collect(record, &place, known, &targets);
			if (targets.is_empty() || targets[0].count == 0)
				continue;
			attach(call, targets, scale);
			attached++;
		}
	}
	return attached;
}

} // namespace pathfdo
