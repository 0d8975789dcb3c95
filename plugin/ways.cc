/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ways.h.  A jump on "equal" is the way on which the two sides of the condition are equal, wherever it leads and
 * whatever was made of the code there.  The hard case is a value that is itself a condition: of `if (found)`, where
 * `found = a == b`, the jump may be that of either. */
#include "plugin/ways.h"
#include "plugin/leftcalls.h"

namespace pathfdo
{

#define MOST_STEPS 8        /* definitions that are looked through, one behind the other */
#define MOST_DEFINITIONS 64 /* ...and in all: joins of joins are many */

/* The comparison that a branch depends on. */
struct comparison {
	tree_code code;
	tree left, right;
};

/* Whether CALL gives what was no number in the profiled binary: its callee was inlined there. */
static bool was_inlined(gcall *call, const pf_function *record, placer *places)
{
	location_t where = gimple_location(call);
	pf_place place;

	return gimple_call_internal_p(call) || gimple_call_builtin_p(call, BUILT_IN_EXPECT) ||
	       gimple_call_builtin_p(call, BUILT_IN_EXPECT_WITH_PROBABILITY) ||
	       !places->place(where, pf_gcc_discriminator(gimple_bb(call), where), &place) ||
	       runs_inlined(record, place) > 0;
}

/* Looks where a value comes from. */
struct origin {
	const pf_function *record;
	placer *places;
	int left; /* definitions that may still be looked at */

	bool is_condition(tree x, int steps);
	bool makes_condition(gassign *assign, int steps);
};

/* Whether what ASSIGN makes may be another form of a condition. */
bool origin::makes_condition(gassign *assign, int steps)
{
	tree_code code = gimple_assign_rhs_code(assign);

	if (gimple_assign_load_p(assign))
		return false;
	/* Of a bit by a variable: two variables are compared instead. */
	if (code == LSHIFT_EXPR || code == RSHIFT_EXPR)
		return TREE_CODE(gimple_assign_rhs2(assign)) != INTEGER_CST;
	if (TREE_CODE_CLASS(code) == tcc_comparison || code == COND_EXPR || code == TRUTH_NOT_EXPR)
		return true;
	if (!CONVERT_EXPR_CODE_P(code) && code != SSA_NAME && code != BIT_AND_EXPR && code != BIT_IOR_EXPR &&
	    code != BIT_XOR_EXPR)
		return false;
	return is_condition(gimple_assign_rhs1(assign), steps) ||
	       (gimple_assign_rhs2(assign) && is_condition(gimple_assign_rhs2(assign), steps));
}

/* The same of X, which is compared with 0 or 1: the jump may be that of the condition.  A parameter may be one where
 * the function is inlined. */
bool origin::is_condition(tree x, int steps)
{
	if (TREE_CODE(x) != SSA_NAME || POINTER_TYPE_P(TREE_TYPE(x)))
		return false;
	gimple *def = SSA_NAME_DEF_STMT(x);
	if (steps > MOST_STEPS || left-- <= 0 || SSA_NAME_IS_DEFAULT_DEF(x))
		return true;
	if (is_gimple_call(def))
		return was_inlined(as_a<gcall *>(def), record, places);
	if (is_gimple_assign(def))
		return makes_condition(as_a<gassign *>(def), steps + 1);
	gphi *phi = dyn_cast<gphi *>(def);
	for (unsigned i = 0; phi && i < gimple_phi_num_args(phi); i++) {
		if (is_condition(gimple_phi_arg_def(phi, i), steps + 1))
			return true;
	}
	return !phi;
}

/* Whether the condition at the end of OTHER may be part of the jump that ends BB: they share a way out, as those of
 * `a && b` do, and nothing is known of a jump of OTHER's own, although it ran. */
static bool may_be_joined(basic_block bb, basic_block other, const pf_function *record, placer *places)
{
	gimple *last = pf_gcc_last_stmt(other);
	bool share = false;
	edge e, o;
	edge_iterator ei, oi;
	pf_place place;

	if (!last || gimple_code(last) != GIMPLE_COND)
		return false;
	FOR_EACH_EDGE(e, ei, bb->succs)
	FOR_EACH_EDGE(o, oi, other->succs)
	share |= e->dest == o->dest;
	if (!share)
		return false;
	if (!places->place(gimple_location(last), pf_gcc_discriminator(other, gimple_location(last)), &place))
		return true;
	pf_match match = pf_match_record(record, &place);
	return match.kind == PF_MATCH_NONE || (match.record->count > 0 && !match.record->outcome_count);
}

/* The same of all conditions in front of BB's and behind it. */
static bool is_joined(basic_block bb, const pf_function *record, placer *places)
{
	edge e;
	edge_iterator ei;

	if (single_pred_p(bb) && may_be_joined(bb, single_pred(bb), record, places))
		return true;
	FOR_EACH_EDGE(e, ei, bb->succs)
	{
		if (single_pred_p(e->dest) && may_be_joined(bb, e->dest, record, places))
			return true;
	}
	return false;
}

/* Puts in the place of a number that is compared with 0 and used for nothing else the comparison that it is the result
 * of.  False if there is nothing to put. */
static bool look_through(comparison *c)
{
	if ((c->code != EQ_EXPR && c->code != NE_EXPR) || !integer_zerop(c->right) || TREE_CODE(c->left) != SSA_NAME ||
	    !has_single_use(c->left))
		return false;
	gimple *def = SSA_NAME_DEF_STMT(c->left);
	if (gimple_call_builtin_p(def, BUILT_IN_EXPECT)) {
		c->left = gimple_call_arg(def, 0);
		return true;
	}
	if (!is_gimple_assign(def))
		return false;
	tree_code code = gimple_assign_rhs_code(def);
	tree first = gimple_assign_rhs1(def);
	if (TREE_CODE_CLASS(code) == tcc_comparison) {
		if (c->code == EQ_EXPR)
			code = invert_tree_comparison(code, HONOR_NANS(first));
		if (code == ERROR_MARK)
			return false;
		*c = { code, first, gimple_assign_rhs2(def) };
		return true;
	}
	if (CONVERT_EXPR_CODE_P(code) && INTEGRAL_TYPE_P(TREE_TYPE(first)) &&
	    TYPE_PRECISION(TREE_TYPE(first)) <= TYPE_PRECISION(TREE_TYPE(c->left))) {
		c->left = first;
		return true;
	}
	return false;
}

/* Whether C holds on a way of SENSE: 1, 0, or -1 if that is not known. */
static int holds(const comparison *c, unsigned sense)
{
	switch (c->code) {
	case EQ_EXPR:
	case NE_EXPR:
		if (sense != PF_SENSE_EQUAL && sense != PF_SENSE_DIFFERENT)
			return -1;
		return (c->code == EQ_EXPR) == (sense == PF_SENSE_EQUAL);
	case LT_EXPR:
	case LE_EXPR:
	case GT_EXPR:
	case GE_EXPR:
		if ((sense != PF_SENSE_LESS && sense != PF_SENSE_GREATER) || TREE_CODE(c->right) != INTEGER_CST)
			return -1;
		return (c->code == LT_EXPR || c->code == LE_EXPR) == (sense == PF_SENSE_LESS);
	default:
		return -1;
	}
}

/* Whether the jump of C, the condition of BB, may be another condition's. */
static bool is_anothers(basic_block bb, const comparison *c, const pf_function *record, placer *places)
{
	bool of_truth =
	    TREE_CODE(TREE_TYPE(c->left)) == BOOLEAN_TYPE || integer_zerop(c->right) || integer_onep(c->right);
	origin from = { record, places, MOST_DEFINITIONS };

	return (of_truth && from.is_condition(c->left, 0)) || is_joined(bb, record, places);
}

void ways_by_sense(basic_block bb, const pf_function *record, placer *places, edge ways[PF_SENSES])
{
	gcond *condition = safe_dyn_cast<gcond *>(pf_gcc_last_stmt(bb));
	edge yes, no;

	for (unsigned sense = 0; sense < PF_SENSES; sense++)
		ways[sense] = NULL;
	if (!condition)
		return;
	comparison c = { gimple_cond_code(condition), gimple_cond_lhs(condition), gimple_cond_rhs(condition) };
	for (int steps = 0; steps < MOST_STEPS && look_through(&c); steps++)
		continue;
	tree type = TREE_TYPE(c.left);
	if ((!INTEGRAL_TYPE_P(type) && !POINTER_TYPE_P(type)) || is_anothers(bb, &c, record, places))
		return;
	extract_true_false_edges_from_block(bb, &yes, &no);
	for (unsigned sense = 0; sense < PF_SENSES; sense++) {
		int way = holds(&c, sense);
		ways[sense] = way < 0 ? NULL : way ? yes : no;
	}
}

} // namespace pathfdo
