/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See metriccode.h.  A path's own part is what passed since it began less what calls took that are measured: these add
 * it to a variable of the thread, which each function sets to zero for its own paths and gives back with all that it
 * took itself. */
#include "plugin/metriccode.h"
#include "plugin/contextcode.h"
#include "plugin/pathunit.h"
#include "plugin/settings.h"
#include "plugin/statics.h"

namespace pathfdo
{

namespace
{

tree output_in(const char *constraint, tree value)
{
	return build_tree_list(build_tree_list(NULL_TREE, build_string(strlen(constraint) + 1, constraint)), value);
}

/* The time stamp counter. */
tree read_cycles(gimple_stmt_iterator *gsi)
{
	tree type = long_long_unsigned_type_node, low = make_ssa_name(type), high = make_ssa_name(type),
	     shifted = make_ssa_name(type), whole = make_ssa_name(type);
	vec<tree, va_gc> *outputs = NULL;
	gasm *read;

	vec_safe_push(outputs, output_in("=a", low));
	vec_safe_push(outputs, output_in("=d", high));
	read = gimple_build_asm_vec("rdtsc", NULL, outputs, NULL, NULL);
	gimple_asm_set_volatile(read, true);
	SSA_NAME_DEF_STMT(low) = SSA_NAME_DEF_STMT(high) = read;
	gsi_insert_before(gsi, read, GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(shifted, LSHIFT_EXPR, high, build_int_cst(integer_type_node, 32)),
			  GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(whole, BIT_IOR_EXPR, low, shifted), GSI_SAME_STMT);
	return whole;
}

/* The library knows where the counter is. */
tree read_counter(gimple_stmt_iterator *gsi)
{
	tree type = long_long_unsigned_type_node, value = make_ssa_name(type), function;
	gcall *call;

	if (options.count_contexts) {
		gimple *load = contextcode_load_reader();

		gsi_insert_before(gsi, load, GSI_SAME_STMT);
		function = gimple_assign_lhs(load);
	} else {
		function = pathunit_library(PF_COUNTING_TEXT(counter), build_function_type_list(type, NULL_TREE));
	}
	call = gimple_build_call(function, 0);
	gimple_call_set_lhs(call, value);
	gimple_call_set_nothrow(call, true);
	gsi_insert_before(gsi, call, GSI_SAME_STMT);
	return value;
}

} // namespace

tree metriccode_read(gimple_stmt_iterator *gsi)
{
	return options.metric == PF_COUNTING_CYCLES ? read_cycles(gsi) : read_counter(gsi);
}

tree metriccode_spent()
{
	const char *name = options.count_contexts ? PF_COUNTING_TEXT(context_spent) : PF_COUNTING_TEXT(paths_spent);

	return statics_thread_variable(name, long_long_unsigned_type_node);
}

metric_code::metric_code()
    : began(create_tmp_reg(long_long_unsigned_type_node, "began")),
      path(create_tmp_reg(long_long_unsigned_type_node, "path")),
      spent(create_tmp_reg(long_long_unsigned_type_node, "spent"))
{
}

tree metric_code::path_began() const
{
	return options.metric ? path : NULL_TREE;
}

/* The first path begins with the function; what the caller's calls took so far is kept. */
void metric_code::begin(gimple_stmt_iterator *gsi, bool with_paths)
{
	if (!options.metric)
		return;
	gsi_insert_before(gsi, gimple_build_assign(began, metriccode_read(gsi)), GSI_SAME_STMT);
	if (!with_paths)
		return;
	gsi_insert_before(gsi, gimple_build_assign(path, began), GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(spent, metriccode_spent()), GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(metriccode_spent(), build_zero_cst(long_long_unsigned_type_node)),
			  GSI_SAME_STMT);
}

tree metric_code::end(gimple_stmt_iterator *gsi, bool with_paths)
{
	tree took, sum;

	if (!options.metric)
		return NULL_TREE;
	took = make_ssa_name(long_long_unsigned_type_node);
	gsi_insert_before(gsi, gimple_build_assign(took, MINUS_EXPR, metriccode_read(gsi), began), GSI_SAME_STMT);
	if (!with_paths)
		return took;
	sum = make_ssa_name(long_long_unsigned_type_node);
	gsi_insert_before(gsi, gimple_build_assign(sum, PLUS_EXPR, spent, took), GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(metriccode_spent(), sum), GSI_SAME_STMT);
	return took;
}

gimple *metriccode_tail(basic_block bb)
{
	for (gimple_stmt_iterator gsi = gsi_last_bb(bb); !gsi_end_p(gsi); gsi_prev(&gsi)) {
		gcall *call = dyn_cast<gcall *>(gsi_stmt(gsi));

		if (call && gimple_call_must_tail_p(call))
			return call;
	}
	return NULL;
}

/* What must be a tail call takes the place of this function, and the return behind it is the callee's. */
void metriccode_exits(auto_vec<gimple *> *exits)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		gimple *last = pf_gcc_last_stmt(bb), *tail = metriccode_tail(bb);

		if (tail)
			exits->safe_push(tail);
		else if (last && gimple_code(last) == GIMPLE_RETURN)
			exits->safe_push(last);
	}
}

} // namespace pathfdo
