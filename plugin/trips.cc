/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that turn a constant number of times.  A sampled count comes near it and misses it by one or two, which is what
 * the vectoriser cannot bear: eight turns fill a vector of eight, seven do not.
 *
 * The hard case is that GCC's own analysis (scalar evolution) needs loops in a shape that they get only later, and
 * getting it would change the CFG.  So the loop is run here: a variable that starts as a constant, changes by
 * constants, and is tested against one. */
#include "plugin/trips.h"
#include "plugin/movable.h"
#include "plugin/substitute.h"

namespace pathfdo
{

namespace
{

const unsigned turns_limit = 4096;
const int depth_limit = 8; /* statements between the variable and its test or its next value */

tree value_in(tree name, gphi *variable, tree value)
{
	return value_of(name, gimple_phi_result(variable), value, depth_limit);
}

/* The loop's only exit, as far as exits are ordinary, if each turn comes by it; NULL if there is none.  A loop may have
 * several latches here, and GCC, which is asked below, knows that of one with a single latch alone. */
edge only_exit(class loop *loop)
{
	edge found = NULL;

	if (!loop->latch)
		return NULL;
	for (edge e : get_loop_exit_edges(loop)) {
		if ((e->flags & (EDGE_EH | EDGE_FAKE | EDGE_ABNORMAL)) ||
		    e->probability == profile_probability::never())
			continue;
		if (found)
			return NULL;
		found = e;
	}
	return found && just_once_each_iteration_p(loop, found->src) ? found : NULL;
}

/* The variable of LOOP that NAME is computed from, NULL if it is none, several or something else besides. */
gphi *variable_of(tree name, class loop *loop, int depth)
{
	gphi *phi = TREE_CODE(name) == SSA_NAME ? dyn_cast<gphi *>(SSA_NAME_DEF_STMT(name)) : NULL;
	gassign *def = constant_step(name);
	gphi *found = NULL;

	if (phi)
		return gimple_bb(phi) == loop->header ? phi : NULL;
	if (!def || depth == 0)
		return NULL;
	for (unsigned i = 1; i < gimple_num_ops(def); i++) {
		tree operand = gimple_op(def, i);

		if (TREE_CODE(operand) == INTEGER_CST)
			continue;
		gphi *here = variable_of(operand, loop, depth - 1);
		if (!here || (found && found != here))
			return NULL;
		found = here;
	}
	return found;
}

/* What the variable gets on all edges from inside LOOP, or on all from outside; NULL if they differ. */
tree argument(gphi *variable, class loop *loop, bool inside)
{
	tree found = NULL_TREE;

	for (unsigned i = 0; i < gimple_phi_num_args(variable); i++) {
		tree here = gimple_phi_arg_def(variable, i);

		if (flow_bb_inside_loop_p(loop, gimple_phi_arg_edge(variable, i)->src) != inside)
			continue;
		if (found && !operand_equal_p(found, here, 0))
			return NULL_TREE;
		found = here;
	}
	return found;
}

/* Whether TEST holds while the variable is VALUE: 1, 0, or -1 if that cannot be told. */
int outcome(gcond *test, gphi *variable, tree value)
{
	tree left = value_in(gimple_cond_lhs(test), variable, value);
	tree right = value_in(gimple_cond_rhs(test), variable, value);
	tree result = left && right ? fold_binary(gimple_cond_code(test), boolean_type_node, left, right) : NULL_TREE;

	return !result || TREE_CODE(result) != INTEGER_CST ? -1 : !integer_zerop(result);
}

gphi *tested_variable(gcond *test, class loop *loop)
{
	gphi *left = variable_of(gimple_cond_lhs(test), loop, depth_limit);
	gphi *right = variable_of(gimple_cond_rhs(test), loop, depth_limit);

	return left ? left : right;
}

/* The test by which LOOP is left, and the variable that it asks for. */
struct trip {
	gcond *test;
	gphi *variable;
	tree first, next; /* the variable's values */
	int leaves;       /* the outcome that does */
};

bool find_trip(class loop *loop, trip *found)
{
	edge exit = loop->num ? only_exit(loop) : NULL;

	found->test = exit ? safe_dyn_cast<gcond *>(pf_gcc_last_stmt(exit->src)) : NULL;
	found->variable = found->test ? tested_variable(found->test, loop) : NULL;
	if (!found->variable)
		return false;
	found->first = argument(found->variable, loop, false);
	found->next = argument(found->variable, loop, true);
	found->leaves = (exit->flags & EDGE_TRUE_VALUE) != 0;
	return found->next && found->first && TREE_CODE(found->first) == INTEGER_CST;
}

/* Whether VALUE is the same in all turns of LOOP. */
bool is_fixed(tree value, class loop *loop)
{
	gimple *def = TREE_CODE(value) == SSA_NAME ? SSA_NAME_DEF_STMT(value) : NULL;
	movables moved;

	return !def || !gimple_bb(def) || !flow_bb_inside_loop_p(loop, gimple_bb(def)) || moved.has(def);
}

} // namespace

edge exit_by_counter(class loop *loop)
{
	edge exit = loop->num ? only_exit(loop) : NULL;
	gcond *test = exit ? safe_dyn_cast<gcond *>(pf_gcc_last_stmt(exit->src)) : NULL;
	gphi *counter = test ? tested_variable(test, loop) : NULL;
	tree next = counter ? argument(counter, loop, true) : NULL_TREE;

	if (!next || variable_of(next, loop, depth_limit) != counter)
		return NULL;
	return is_fixed(gimple_cond_lhs(test), loop) || is_fixed(gimple_cond_rhs(test), loop) ? exit : NULL;
}

bool constant_turns(class loop *loop, unsigned *turns, basic_block *test)
{
	trip found;

	if (!find_trip(loop, &found))
		return false;
	*test = gimple_bb(found.test);
	tree value = found.first;
	for (*turns = 0; *turns <= turns_limit && value; (*turns)++) {
		int holds = outcome(found.test, found.variable, value);

		if (holds < 0)
			return false;
		if (holds == found.leaves)
			return true;
		value = value_in(found.next, found.variable, value);
	}
	return false;
}

bool turns_surely(class loop *loop)
{
	trip found;

	return find_trip(loop, &found) && outcome(found.test, found.variable, found.first) == !found.leaves;
}

} // namespace pathfdo
