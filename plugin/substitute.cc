/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See substitute.h.  Statements are gone back one by one from what is asked for, and folded as GCC folds constants.
 * The hard case is a name whose statement the fold knows nothing of: it has no value then. */
#include "plugin/substitute.h"

namespace pathfdo
{

gassign *constant_step(tree name)
{
	gassign *def = TREE_CODE(name) == SSA_NAME ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(name)) : NULL;

	return def && !gimple_vuse(def) && gimple_num_ops(def) <= 3 ? def : NULL;
}

static tree constant(tree folded)
{
	return folded && TREE_CODE(folded) == INTEGER_CST ? folded : NULL_TREE;
}

tree value_of(tree name, tree variable, tree value, int depth)
{
	if (TREE_CODE(name) == INTEGER_CST)
		return name;
	if (name == variable)
		return value;
	gassign *def = constant_step(name);
	if (!def || depth == 0)
		return NULL_TREE;
	tree_code code = gimple_assign_rhs_code(def);
	tree first = value_of(gimple_assign_rhs1(def), variable, value, depth - 1), second;
	if (!first)
		return NULL_TREE;
	if (gimple_num_ops(def) == 2)
		return get_gimple_rhs_class(code) == GIMPLE_SINGLE_RHS
			   ? first
			   : constant(fold_unary(code, TREE_TYPE(name), first));
	second = value_of(gimple_assign_rhs2(def), variable, value, depth - 1);
	return second ? constant(fold_binary(code, TREE_TYPE(name), first, second)) : NULL_TREE;
}

} // namespace pathfdo
