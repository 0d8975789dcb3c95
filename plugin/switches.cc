/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chances of a switch.  GCC lowers it (tree-switch-conversion.cc) to comparisons, bit tests and jump tables, and
 * keeps little of what is known of its edges: a table gives each label the same, a bit test each value, the test for
 * what is out of range has 20%, and where the default is left to several tests each of these has half of it.  So each
 * switch is remembered in front of the lowering, and behind it its values are led through what was made of them: pieces
 * of the index's range that go the same way, each as often as it came by the counts of the edges (pieces.h).  An edge's
 * chance is what goes over it, of all that comes to it.
 *
 * How much of the default is beyond all cases the profile may know itself, where the profiled program had one range
 * check.
 *
 * The hard case is to find what was made of a switch.  The lowering is followed at once by a cleanup, which joins
 * blocks, and drops the one that the switch was in where that was all.  What stays is the location: a condition that
 * was not there before, has that of the switch, and is a constant while the index is one, is the switch's.  No test
 * cuts a piece in two, since all are of bounds of cases; a switch of which one does is left as GCC has it.
 */
#include "plugin/chances.h"
#include "plugin/c-parts.h"
#include "plugin/passes.h"
#include "plugin/substitute.h"
#include "plugin/switches.h"
#include "plugin/tables.h"

namespace pathfdo
{

namespace
{

const int depth_limit = 12; /* statements between the index and a test of a bit */

/* A switch as it was. */
struct remembered {
	tree index, type; /* no more than a pointer behind the lowering, and its type */
	location_t where;
	basic_block block;
	profile_count count;
	pf_index range;
	auto_vec<pf_piece> pieces;
};

/* How often the profiled program came to a switch's default because the index was out of range, and how often else. */
struct defaults {
	double outside, gaps;
};

auto_vec<remembered *> switches;
auto_vec<location_t> settled; /* in that function: */
function *settled_in;
hash_set<gimple *> *old_ends; /* what blocks ended with before the lowering */
hash_set<basic_block> *old_blocks;
hash_map<int_hash<location_t, UNKNOWN_LOCATION, BUILTINS_LOCATION>, defaults> noted; /* what copies of a switch share */

/* The place of VALUE in the order of TYPE. */
uint64_t number_of(tree type, const wide_int &value)
{
	return (value - wi::min_value(TYPE_PRECISION(type), TYPE_SIGN(type))).to_uhwi();
}

tree value_at(tree type, uint64_t number)
{
	unsigned precision = TYPE_PRECISION(type);

	return wide_int_to_tree(type, wi::uhwi(number, precision) + wi::min_value(precision, TYPE_SIGN(type)));
}

/* The place of a bound of a case, which is of a type that is as wide at most. */
uint64_t bound_of(tree type, tree bound)
{
	return number_of(type, wide_int::from(wi::to_wide(bound), TYPE_PRECISION(type), TYPE_SIGN(TREE_TYPE(bound))));
}

/* What GCC knows of the index at AT, in the middle of the function: as much as the lowering does. */
void find_range(remembered *s, gswitch *at)
{
	int_range_max known;

	s->range.low = 0;
	s->range.high = number_of(s->type, wi::max_value(TYPE_PRECISION(s->type), TYPE_SIGN(s->type)));
	s->range.zero = number_of(s->type, wi::zero(TYPE_PRECISION(s->type)));
	if (TREE_CODE(s->index) == SSA_NAME && get_range_query(cfun)->range_of_expr(known, s->index, at) &&
	    !known.undefined_p() && !known.varying_p()) {
		s->range.low = number_of(s->type, known.lower_bound());
		s->range.high = number_of(s->type, known.upper_bound());
	}
}

/* The edges of AT by their order, the default's first; false if nothing is known of one of them. */
bool number_ways(gswitch *at, auto_vec<edge> *edges, auto_vec<pf_way> *ways)
{
	edge standard = gimple_switch_default_edge(cfun, at), e;
	edge_iterator ei;

	edges->safe_push(standard);
	FOR_EACH_EDGE(e, ei, gimple_bb(at)->succs)
	{
		if (e != standard)
			edges->safe_push(e);
	}
	for (edge way : *edges) {
		if (!way->probability.initialized_p())
			return false;
		ways->safe_push({ way->probability.to_sreal().to_double(), 0 });
	}
	return true;
}

uint32_t way_of(const auto_vec<edge> &edges, edge e)
{
	uint32_t way = 0;

	while (edges[way] != e)
		way++;
	return way;
}

/* Cases that lead where the default does are none. */
bool find_cases(remembered *s, gswitch *at, const auto_vec<edge> &edges, auto_vec<pf_case> *cases)
{
	for (unsigned i = 1; i < gimple_switch_num_labels(at); i++) {
		tree label = gimple_switch_label(at, i), high = CASE_HIGH(label) ? CASE_HIGH(label) : CASE_LOW(label);
		pf_case one = { bound_of(s->type, CASE_LOW(label)), bound_of(s->type, high),
				way_of(edges, gimple_switch_edge(cfun, at, i)) };

		if (one.low > one.high)
			return false;
		if (one.way)
			cases->safe_push(one);
	}
	return true;
}

bool take_pieces(remembered *s, gswitch *at)
{
	auto_vec<edge> edges;
	auto_vec<pf_way> ways;
	auto_vec<pf_case> cases;

	if (TYPE_PRECISION(s->type) > HOST_BITS_PER_WIDE_INT || !number_ways(at, &edges, &ways) ||
	    !find_cases(s, at, edges, &cases))
		return false;
	find_range(s, at);
	s->pieces.safe_grow_cleared(2 * cases.length() + 2, true);
	s->pieces.truncate(pf_pieces_cut(&s->range, cases.address(), cases.length(), s->pieces.address()));
	pf_pieces_weigh(s->pieces.address(), s->pieces.length(), ways.address());
	return true;
}

void remember(gswitch *at)
{
	basic_block bb = gimple_bb(at);
	remembered *s = new remembered();

	s->index = gimple_switch_index(at);
	s->type = TREE_TYPE(s->index);
	s->where = gimple_location(at);
	s->block = bb;
	s->count = bb->count;
	if (take_pieces(s, at))
		switches.safe_push(s);
	else
		delete s;
}

unsigned remember_switches(function *f)
{
	basic_block bb;

	tables_begin();
	settled.truncate(0);
	settled_in = f;
	old_ends = new hash_set<gimple *>();
	old_blocks = new hash_set<basic_block>();
	FOR_EACH_BB_FN(bb, f)
	{
		gimple *last = pf_gcc_last_stmt(bb);
		gswitch *at = safe_dyn_cast<gswitch *>(last);

		old_blocks->add(bb);
		if (last)
			old_ends->add(last);
		if (at && bb->count.ipa().nonzero_p())
			remember(at);
	}
	return 0;
}

/* What goes through the blocks and edges that a switch became. */
class lowered
{
      public:
	explicit lowered(remembered &s) : from(s), root(find_root())
	{
	}
	bool has_one_check();
	bool lead();
	void write();

      private:
	remembered &from;
	basic_block root;
	auto_vec<basic_block> blocks; /* that something was led through, the root first */
	hash_map<basic_block, double> through;
	hash_map<edge, double> over;

	bool leaves_first(uint64_t number);
	bool is_made(basic_block bb);
	basic_block find_root();
	edge way(basic_block bb, uint64_t number);
	bool lead_piece(const pf_piece &piece);
	void pass(edge e, double weight);
	void write_block(basic_block bb);
	void note_default(const pf_piece &piece, edge e);
};

bool lowered::is_made(basic_block bb)
{
	gimple *last = pf_gcc_last_stmt(bb);

	return last && (gimple_code(last) == GIMPLE_COND || gimple_code(last) == GIMPLE_SWITCH) &&
	       gimple_location(last) == from.where && !old_ends->contains(last);
}

/* The block of the switch, or, where that is gone, the only one of its decisions that is reached from elsewhere. */
basic_block lowered::find_root()
{
	basic_block bb, found = NULL;
	edge_iterator ei;
	edge e;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (bb == from.block)
			return bb;
	}
	FOR_EACH_BB_FN(bb, cfun)
	{
		bool entered = false;

		FOR_EACH_EDGE(e, ei, bb->preds)
		entered |= !is_made(e->src) && (old_blocks->contains(e->src) || !single_succ_p(e->src));
		if (!is_made(bb) || !entered)
			continue;
		if (found)
			return NULL;
		found = bb;
	}
	return found;
}

/* Where control goes from BB while the index is what is at NUMBER; NULL if BB is not of the switch. */
edge lowered::way(basic_block bb, uint64_t number)
{
	tree value = value_at(from.type, number);
	edge yes, no;

	if (single_succ_p(bb) && (bb == root || !old_blocks->contains(bb)))
		return single_succ_edge(bb);
	if (!is_made(bb))
		return NULL;
	gimple *last = pf_gcc_last_stmt(bb);
	if (gswitch *at = dyn_cast<gswitch *>(last)) {
		value = value_of(gimple_switch_index(at), from.index, value, depth_limit);
		return value ? find_taken_edge(bb, value) : NULL;
	}
	tree left = value_of(gimple_cond_lhs(last), from.index, value, depth_limit);
	tree right = value_of(gimple_cond_rhs(last), from.index, value, depth_limit);
	tree holds = left && right ? fold_binary(gimple_cond_code(last), boolean_type_node, left, right) : NULL_TREE;
	if (!holds || TREE_CODE(holds) != INTEGER_CST)
		return NULL;
	extract_true_false_edges_from_block(bb, &yes, &no);
	return integer_zerop(holds) ? no : yes;
}

/* Whether the switch's first decision sends the value at NUMBER out of it, as a table's own range check does. */
bool lowered::leaves_first(uint64_t number)
{
	hash_set<basic_block> seen;
	basic_block bb = root;
	edge e = way(bb, number);

	while (e && single_succ_p(bb)) {
		if (seen.add(bb))
			return false;
		bb = e->dest;
		e = way(bb, number);
	}
	return e && (gimple_code(pf_gcc_last_stmt(bb)) == GIMPLE_SWITCH || !way(e->dest, number));
}

/* Whether all that is beyond the cases is told by one test. */
bool lowered::has_one_check()
{
	const pf_piece &first = from.pieces[0], &last = from.pieces.last();

	return root && (first.way || leaves_first(first.low)) && (last.way || leaves_first(last.high));
}

void lowered::pass(edge e, double weight)
{
	bool known;

	over.get_or_insert(e, &known) += weight;
	through.get_or_insert(e->src, &known) += weight;
	if (!known)
		blocks.safe_push(e->src);
}

/* Of a table, whose default is reached in front of it and by its gaps. */
void lowered::note_default(const pf_piece &piece, edge e)
{
	gswitch *at = safe_dyn_cast<gswitch *>(pf_gcc_last_stmt(e->src));

	if (!at || e != gimple_switch_default_edge(cfun, at))
		return;
	tree last = gimple_switch_label(at, gimple_switch_num_labels(at) - 1);
	uint64_t low = bound_of(from.type, CASE_LOW(gimple_switch_label(at, 1)));
	uint64_t high = bound_of(from.type, CASE_HIGH(last) ? CASE_HIGH(last) : CASE_LOW(last));
	bool outside = piece.high < low || piece.low > high;

	tables_note(from.where, high - low + 1, outside ? piece.weight : 0, outside ? 0 : piece.weight);
}

/* False if a decision cuts the piece in two.  What comes to a block again goes round for ever: the switch is in a loop
 * without an end, and nothing there changes the index. */
bool lowered::lead_piece(const pf_piece &piece)
{
	hash_set<basic_block> seen;
	basic_block bb = root;
	edge e;

	while (!seen.add(bb) && (e = way(bb, piece.low)) != NULL) {
		if (way(bb, piece.high) != e)
			return false;
		pass(e, piece.weight);
		note_default(piece, e);
		bb = e->dest;
	}
	return true;
}

bool lowered::lead()
{
	for (unsigned i = 0; root && i < from.pieces.length(); i++) {
		if (!lead_piece(from.pieces[i]))
			return false;
	}
	return root && blocks.length();
}

/* A block that nothing came to keeps the chances that GCC gave it. */
void lowered::write_block(basic_block bb)
{
	double all = *through.get(bb), entered = *through.get(root);
	edge_iterator ei;
	edge e;

	if (!old_blocks->contains(bb))
		bb->count = part_of(from.count, all, entered);
	if (!(all > 0))
		return;
	FOR_EACH_EDGE(e, ei, bb->succs)
	{
		double *part = over.get(e);

		if ((part && *part > 0) || !(e->dest->count == profile_count::zero()))
			e->probability = chance(part ? *part : 0, all);
		else
			e->probability = profile_probability::never();
	}
}

void lowered::write()
{
	for (basic_block bb : blocks)
		write_block(bb);
}

/* As the profiled program's was, which found the same clusters of cases: these do not depend on counts. */
void divide_default(remembered *s)
{
	location_t where = LOCATION_LOCUS(s->where);
	const defaults *seen = RESERVED_LOCATION_P(where) ? NULL : noted.get(where);

	if (seen)
		pf_pieces_divide(s->pieces.address(), s->pieces.length(), seen->outside / (seen->outside + seen->gaps));
}

unsigned settle_switches(function *)
{
	for (remembered *s : switches) {
		lowered found(*s);

		if (found.has_one_check())
			divide_default(s);
		if (found.lead()) {
			found.write();
			settled.safe_push(LOCATION_LOCUS(s->where));
		}
		delete s;
	}
	switches.truncate(0);
	delete old_ends;
	delete old_blocks;
	return 0;
}

bool has_counts(function *f)
{
	return profile_status_for_fn(f) == PROFILE_READ;
}

/* What went to the edge STANDARD by a comparison with a bound, and else.  One range check has one sense for those that
 * it lets go and the other for those that it keeps; a tree of comparisons, which finds the default in several ways,
 * mostly does not. */
bool count_defaults(const pf_record *branch, edge const *choice, edge standard, defaults *seen)
{
	double gone[PF_SENSES] = {}, kept[PF_SENSES] = {};
	const unsigned less = PF_SENSE_LESS, greater = PF_SENSE_GREATER;

	for (uint32_t i = 0; i < branch->outcome_count; i++) {
		const pf_outcome *outcome = &branch->outcomes[i];

		(choice[i] == standard ? gone : kept)[outcome->sense] += (double)outcome->count;
	}
	seen->outside = gone[less] + gone[greater];
	for (double count : gone)
		seen->gaps += count;
	seen->gaps -= seen->outside;
	return (gone[less] + kept[greater] == 0) != (gone[greater] + kept[less] == 0) && seen->outside + seen->gaps > 0;
}

} // namespace

void switches_note(basic_block bb, const pf_record *branch, edge const *choice)
{
	gimple *last = bb->index < NUM_FIXED_BLOCKS ? NULL : pf_gcc_last_stmt(bb);
	gswitch *at = safe_dyn_cast<gswitch *>(last);
	defaults seen = {};

	if (!at || RESERVED_LOCATION_P(LOCATION_LOCUS(gimple_location(at))) ||
	    !count_defaults(branch, choice, gimple_switch_default_edge(cfun, at), &seen))
		return;
	defaults &all = noted.get_or_insert(LOCATION_LOCUS(gimple_location(at)));
	all.outside += seen.outside;
	all.gaps += seen.gaps;
}

bool switches_are_settled(const gswitch *at)
{
	return settled_in == cfun && settled.contains(LOCATION_LOCUS(gimple_location(at)));
}

void switches_setup()
{
	tables_setup();
	/* One lowering is for -Og, and one for all else: at both. */
	passes_add({ GIMPLE_PASS, "pathfdo_switches", TV_TREE_SWITCH_LOWERING, "switchlower", 0, PASS_POS_INSERT_BEFORE,
		     has_counts, remember_switches });
	passes_add({ GIMPLE_PASS, "pathfdo_lowered", TV_TREE_SWITCH_LOWERING, "switchlower", 0, PASS_POS_INSERT_AFTER,
		     has_counts, settle_switches });
}

} // namespace pathfdo
