/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathcode.h.  The sum of a path is a variable that GCC keeps in a register; where a path ends, its counter is
 * counted up: by one instruction while the program has one thread, and by an atomic one as soon as it has two
 * (__libc_single_threaded), so that nothing is lost and who has no threads pays nothing for them.  Counters of each
 * thread's own would cost every path a look at thread-local storage, and every thread the memory of all.
 *
 * Call records are a thread's own, and what counts in them needs none of that.
 *
 * The hard case is flow on which no code can be put.  Where a computed goto leads, a path begins; in front of it one
 * ends; which way it went is not counted, as gcov does not.  A function into which a longjmp may come back has a
 * variable that is not what it was: there every edge is cut, each path is an edge, and no sum is carried. */
#include "plugin/pathcode.h"
#include "plugin/contextcode.h"
#include "plugin/metriccode.h"
#include "plugin/pathunit.h"
#include "plugin/settings.h"

namespace pathfdo
{

namespace
{

/* The function's graph for numbering: the edges on which code can be put, in the order of blocks and successors, and
 * behind them what stands for all others. */
struct path_graph {
	pf_graph *flow;
	auto_vec<edge> edges; /* of GCC's graph; NULL for what stands in */
	auto_vec<bool> cut;
	auto_vec<uint64_t> weight;
};

bool is_barred(edge e)
{
	return (e->flags & (EDGE_ABNORMAL | EDGE_ABNORMAL_CALL)) != 0;
}

bool all_are_barred(vec<edge, va_gc> *edges)
{
	edge e;
	edge_iterator ei;

	FOR_EACH_EDGE(e, ei, edges)
	{
		if (!is_barred(e))
			return false;
	}
	return EDGE_COUNT(edges) > 0;
}

bool one_is_barred(vec<edge, va_gc> *edges)
{
	edge e;
	edge_iterator ei;

	FOR_EACH_EDGE(e, ei, edges)
	{
		if (is_barred(e))
			return true;
	}
	return false;
}

/* The block through which GCC leads all that may come back into the function; nothing may be put into it. */
bool is_dispatcher(basic_block bb)
{
	gimple *last = pf_gcc_last_stmt(bb);

	return last && gimple_call_internal_p(last, IFN_ABNORMAL_DISPATCHER);
}

/* Whether the function may be come back to, other than by its callees' returns and exceptions. */
bool is_returned_to()
{
	basic_block bb;

	if (cfun->calls_setjmp || cfun->has_nonlocal_label)
		return true;
	FOR_EACH_BB_FN(bb, cfun)
	{
		if (is_dispatcher(bb))
			return true;
	}
	return false;
}

void add_edge(path_graph *p, uint32_t from, uint32_t to, edge e, bool cut)
{
	if (pf_graph_add_edge(p->flow, from, to) == UINT32_MAX)
		fatal_error(UNKNOWN_LOCATION, "pathfdo: out of memory for a flow graph");
	p->edges.safe_push(e);
	p->cut.safe_push(cut);
	p->weight.safe_push(e && e->count().initialized_p() ? e->count().to_gcov_type() : 0);
}

void build_graph(path_graph *p)
{
	bool returned_to = is_returned_to();
	basic_block bb;
	edge e;
	edge_iterator ei;

	p->flow = pf_graph_alloc(last_basic_block_for_fn(cfun), ENTRY_BLOCK, EXIT_BLOCK);
	if (!p->flow)
		fatal_error(UNKNOWN_LOCATION, "pathfdo: out of memory for a flow graph");
	FOR_ALL_BB_FN(bb, cfun)
	FOR_EACH_EDGE(e, ei, bb->succs)
	{
		if (!is_barred(e))
			add_edge(p, bb->index, e->dest->index, e,
				 (returned_to && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun)) ||
				     one_is_barred(e->dest->preds));
	}
	FOR_EACH_BB_FN(bb, cfun)
	{
		if (is_dispatcher(bb))
			continue;
		if (all_are_barred(bb->succs))
			add_edge(p, bb->index, EXIT_BLOCK, NULL, false);
		if (one_is_barred(bb->preds))
			add_edge(p, ENTRY_BLOCK, bb->index, NULL, true);
	}
	if (pf_graph_finish(p->flow))
		fatal_error(UNKNOWN_LOCATION, "pathfdo: out of memory for a flow graph");
}

/* Whether a call may end what runs here without coming back. */
bool may_not_come_back()
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);

			if (is_gimple_call(stmt) && !gimple_call_internal_p(stmt) &&
			    !(gimple_call_flags(stmt) & (ECF_CONST | ECF_PURE)) &&
			    (gimple_call_flags(stmt) & (ECF_LEAF | ECF_NOTHROW)) != (ECF_LEAF | ECF_NOTHROW))
				return true;
		}
	}
	return false;
}

/* Puts code at one place, one piece behind the other. */
class writer
{
      public:
	explicit writer(path_counters of) : counters(of), sum(create_tmp_reg(word, "path"))
	{
	}

	void at_edge(edge e);
	void at_end(basic_block bb);
	void at_start(basic_block bb);
	void set(uint64_t value);
	void add(uint64_t value);
	void count_path(uint64_t more, bool carried);
	void count_entry();

      private:
	const tree word = long_long_unsigned_type_node;
	path_counters counters;
	tree sum;
	gimple_stmt_iterator place;
	bool before; /* code goes in front of what stands at the place */

	void put(gimple *stmt);
	tree assign(tree_code code, tree a, tree b);
	void count_up(tree index, tree took);
	tree slot_at(tree index) const;
	void add_atomically(gimple_stmt_iterator *gsi, tree index, tree more);
	void add_plainly(gimple_stmt_iterator *gsi, tree index, tree more);
	tree end_metric();
	void add_in_record(tree number, uint64_t words, tree more);
	void count_in_record(tree number, tree took);
	void count_in_table(tree number, tree took);
};

void writer::at_edge(edge e)
{
	if (e->dest == EXIT_BLOCK_PTR_FOR_FN(cfun)) {
		at_end(e->src);
		return;
	}
	place = gsi_last_bb(split_edge(e));
	before = false;
}

/* In front of what leaves BB. */
void writer::at_end(basic_block bb)
{
	gimple *last = metriccode_tail(bb);

	if (last) {
		place = gsi_for_stmt(last);
		before = true;
		return;
	}
	place = gsi_last_nondebug_bb(bb);
	last = gsi_end_p(place) ? NULL : gsi_stmt(place);
	before = last && (stmt_ends_bb_p(last) || gimple_code(last) == GIMPLE_RETURN);
}

void writer::at_start(basic_block bb)
{
	place = gsi_after_labels(bb);
	before = !gsi_end_p(place);
	if (!before)
		place = gsi_last_bb(bb);
}

void writer::put(gimple *stmt)
{
	if (before)
		gsi_insert_before(&place, stmt, GSI_SAME_STMT);
	else
		gsi_insert_after(&place, stmt, GSI_NEW_STMT);
}

tree writer::assign(tree_code code, tree a, tree b)
{
	tree result = make_ssa_name(word);

	put(gimple_build_assign(result, code, a, b));
	return result;
}

void writer::set(uint64_t value)
{
	put(gimple_build_assign(sum, build_int_cstu(word, value)));
}

void writer::add(uint64_t value)
{
	put(gimple_build_assign(sum, PLUS_EXPR, sum, build_int_cstu(word, value)));
}

/* if (single-threaded) array[index]++; else the same, atomically.  The word that is WORDS behind gets what the path
 * TOOK, if that is known. */
void writer::count_up(tree index, tree took)
{
	tree alone = make_ssa_name(char_type_node),
	     flag = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("__libc_single_threaded"), char_type_node),
	     behind = took ? assign(PLUS_EXPR, index, build_int_cstu(word, counters.words)) : NULL_TREE;
	gimple *load;
	basic_block bb, other, join;
	gimple_stmt_iterator gsi;

	DECL_EXTERNAL(flag) = TREE_PUBLIC(flag) = 1;
	DECL_ARTIFICIAL(flag) = 1;
	load = gimple_build_assign(alone, flag);
	put(load);
	bb = gimple_bb(load);
	other = insert_cond_bb(bb, load,
			       gimple_build_cond(EQ_EXPR, alone, build_zero_cst(char_type_node), NULL_TREE, NULL_TREE),
			       profile_probability::unlikely());
	join = single_succ(other);
	gsi = gsi_last_bb(other);
	add_atomically(&gsi, index, build_one_cst(word));
	if (took)
		add_atomically(&gsi, behind, took);
	gsi = gsi_last_bb(split_edge(find_edge(bb, join)));
	add_plainly(&gsi, index, build_one_cst(word));
	if (took)
		add_plainly(&gsi, behind, took);
	place = before ? gsi_start_bb(join) : gsi_last_bb(join);
}

tree writer::slot_at(tree index) const
{
	tree slot = build4(ARRAY_REF, word, counters.array, index, NULL_TREE, NULL_TREE);

	TREE_THIS_NOTRAP(slot) = 1;
	return slot;
}

void writer::add_atomically(gimple_stmt_iterator *gsi, tree index, tree more)
{
	tree address = make_ssa_name(build_pointer_type(word));

	gsi_insert_after(gsi, gimple_build_assign(address, build_fold_addr_expr(slot_at(index))), GSI_NEW_STMT);
	gsi_insert_after(gsi,
			 gimple_build_call(builtin_decl_explicit(BUILT_IN_ATOMIC_FETCH_ADD_8), 3, address, more,
					   build_int_cst(integer_type_node, MEMMODEL_RELAXED)),
			 GSI_NEW_STMT);
}

void writer::add_plainly(gimple_stmt_iterator *gsi, tree index, tree more)
{
	tree old = make_ssa_name(word), sum = make_ssa_name(word);

	gsi_insert_after(gsi, gimple_build_assign(old, slot_at(index)), GSI_NEW_STMT);
	gsi_insert_after(gsi, gimple_build_assign(sum, PLUS_EXPR, old, more), GSI_NEW_STMT);
	gsi_insert_after(gsi, gimple_build_assign(slot_at(index), sum), GSI_NEW_STMT);
}

void writer::count_entry()
{
	count_up(build_zero_cst(word), NULL_TREE);
}

/* What passed since the path began and no call took; the next one begins. */
tree writer::end_metric()
{
	tree spent = metriccode_spent(), known = make_ssa_name(word);
	gimple *load = gimple_build_assign(known, spent);
	gimple_stmt_iterator at;

	put(load);
	at = gsi_for_stmt(load);
	tree now = metriccode_read(&at), passed = assign(MINUS_EXPR, now, counters.began),
	     own = assign(MINUS_EXPR, passed, known);

	put(gimple_build_assign(counters.began, now));
	put(gimple_build_assign(spent, build_zero_cst(word)));
	return own;
}

/* Adds MORE to the word of the path NUMBER of those that begin WORDS in front of the record. */
void writer::add_in_record(tree number, uint64_t words, tree more)
{
	tree type = contextcode_word(), offset = assign(MULT_EXPR, number, build_int_cst(word, 8)),
	     address = make_ssa_name(ptr_type_node), size = make_ssa_name(sizetype), old = make_ssa_name(type),
	     sum = make_ssa_name(type), first = build_int_cst(build_pointer_type(type), -8 * (HOST_WIDE_INT)words);

	put(gimple_build_assign(size, NOP_EXPR, offset));
	put(gimple_build_assign(address, POINTER_PLUS_EXPR, counters.record, size));
	put(gimple_build_assign(old, build2(MEM_REF, type, address, first)));
	put(gimple_build_assign(sum, PLUS_EXPR, old, more));
	put(gimple_build_assign(build2(MEM_REF, type, address, first), sum));
}

/* NUMBER is the path's; TOOK is NULL_TREE if that is not known. */
void writer::count_in_table(tree number, tree took)
{
	if (!took)
		took = build_zero_cst(word);
	if (counters.record) {
		gimple *load = contextcode_load_counter();

		put(load);
		put(gimple_build_call(gimple_assign_lhs(load), 3, counters.record, number, took));
		return;
	}
	tree type = build_function_type_list(void_type_node, ptr_type_node, word, word, NULL_TREE);

	put(gimple_build_call(pathunit_library(PF_COUNTING_TEXT(paths_count), type), 3,
			      build_fold_addr_expr(counters.array), number, took));
}

void writer::count_in_record(tree number, tree took)
{
	add_in_record(number, counters.began ? 2 * counters.words : counters.words, build_one_cst(contextcode_word()));
	if (took)
		add_in_record(number, counters.words, took);
}

/* A sum that is not CARRIED along the path is not known behind a longjmp, nor is when the path began. */
void writer::count_path(uint64_t more, bool carried)
{
	uint64_t shift = counters.in_table || counters.record ? more : more + 1;
	tree number = build_int_cstu(word, shift), took = NULL_TREE;

	if (carried)
		number = assign(PLUS_EXPR, sum, number);
	if (carried && counters.began)
		took = end_metric();
	if (counters.in_table)
		count_in_table(number, took);
	else if (counters.record)
		count_in_record(number, took);
	else
		count_up(number, took);
}

/* All code of one function. */
class counting
{
      public:
	counting(const path_graph &graph, const pf_pathnumber &numbers, const uint64_t *potentials,
		 path_counters counters)
	    : p(graph), n(numbers), potential(potentials), code(counters), carries(!is_returned_to()),
	      counts_entries(counters.array)
	{
	}

	void insert();

      private:
	const path_graph &p;
	const pf_pathnumber &n;
	const uint64_t *potential;
	writer code;
	bool carries, counts_entries;

	bool is_start(uint32_t block) const
	{
		return n.first[block] != UINT64_MAX;
	}

	void begin(uint32_t block);
	void end(uint32_t edge);
	void pass(uint32_t edge);
	void end_in(basic_block bb);
};

void counting::begin(uint32_t block)
{
	if (carries)
		code.set(pf_pathchords_begin(&n, potential, block));
}

/* Without a sum each edge is a path, whose number is known here. */
void counting::end(uint32_t edge)
{
	if (carries)
		code.count_path(pf_pathchords_add(&n, potential, edge), true);
	else
		code.count_path(pf_pathnumber_of(&n, n.graph->edges[edge].from, &edge, 1), false);
}

/* Code on an edge inside of a path, or between two. */
void counting::pass(uint32_t edge)
{
	uint64_t more = pf_pathchords_add(&n, potential, edge);
	bool is_end = pf_pathnumber_is_end(&n, edge);

	if (!is_end && more == 0)
		return;
	code.at_edge(p.edges[edge]);
	if (!is_end) {
		code.add(more);
		return;
	}
	end(edge);
	if (n.cut[edge])
		begin(n.graph->edges[edge].to);
}

/* A path that ends in BB, which has no successors on which to say so. */
void counting::end_in(basic_block bb)
{
	code.at_end(bb);
	if (carries)
		code.count_path(potential[bb->index], true);
	else
		code.count_path(n.first[bb->index], false);
}

void counting::insert()
{
	const pf_graph *g = n.graph;
	basic_block bb;
	auto_vec<basic_block> blocks;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (n.ends[bb->index] > 0)
			blocks.safe_push(bb);
	}
	for (uint32_t e = 0; e < g->edge_count && carries; e++) {
		if (!p.edges[e] && g->edges[e].from == ENTRY_BLOCK) {
			code.at_start(BASIC_BLOCK_FOR_FN(cfun, g->edges[e].to));
			begin(g->edges[e].to);
		}
	}
	for (basic_block block : blocks) {
		if (g->out_first[block->index] == g->out_first[block->index + 1] && !is_dispatcher(block))
			end_in(block);
	}
	for (uint32_t e = 0; e < g->edge_count; e++) {
		uint32_t from = g->edges[e].from;

		if (n.ends[from] == 0)
			continue;
		if (p.edges[e]) {
			pass(e);
		} else if (from != ENTRY_BLOCK) {
			code.at_end(BASIC_BLOCK_FOR_FN(cfun, from));
			end(e);
		}
	}
	code.at_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(cfun)));
	begin(ENTRY_BLOCK);
	if (counts_entries && may_not_come_back())
		code.count_entry();
}

} // namespace

/* Behind the code of paths: a function begins before its first path, and is left behind its last one. */
static void insert_metric(metric_code *metric)
{
	auto_vec<gimple *> exits;
	gimple_stmt_iterator gsi;

	if (!options.metric)
		return;
	metriccode_exits(&exits);
	for (gimple *stmt : exits) {
		gsi = gsi_for_stmt(stmt);
		metric->end(&gsi, true);
	}
	gsi = gsi_start_bb(split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(cfun))));
	metric->begin(&gsi, true);
}

void pathcode_insert(context_code *context)
{
	path_graph p = {};
	pf_pathnumber n;

	build_graph(&p);
	if (pf_pathnumber_init(&n, p.flow, p.cut.address(), PF_PATHNUMBER_REGION) == -1)
		fatal_error(UNKNOWN_LOCATION, "pathfdo: out of memory for the numbers of paths");
	uint64_t *potential = XCNEWVEC(uint64_t, p.flow->block_count);

	if (pf_pathchords(&n, p.weight.address(), potential))
		fatal_error(UNKNOWN_LOCATION, "pathfdo: out of memory for the numbers of paths");
	metric_code metric;
	path_counters counters =
	    context ? context->add_paths(n, p.cut, p.edges) : pathunit_add(n, p.cut, p.edges, metric.path_began());

	counting(p, n, potential, counters).insert();
	if (!context)
		insert_metric(&metric);
	XDELETEVEC(potential);
	pf_pathnumber_fini(&n);
	pf_graph_free(p.flow);
}

void pathcode_save(gimple_stmt_iterator *gsi)
{
	tree type = build_function_type_list(void_type_node, NULL_TREE);

	gsi_insert_before(gsi, gimple_build_call(pathunit_library(PF_COUNTING_TEXT(paths_save), type), 0),
			  GSI_SAME_STMT);
}

} // namespace pathfdo
