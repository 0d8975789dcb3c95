/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See contextcode.h.  runtime/context/contexttree.h has the tree.  A function begins with
 *
 *	saved = context_slot;
 *	arc = *saved;
 *	if (arc->function != own number) arc = enter(function, saved, frame), saved = context_slot;
 *	arc->count++;
 *	record = arc->record;
 *
 * in front of each call stands context_slot = &record->slots[call site], and in front of each return it is
 * set to SAVED again, so that code without all that, which this function was called by, calls others at the same slot;
 * a function that code with all that calls alone needs not do so, as each says anew where it is before it calls.
 * A metric, if one is asked for, is what passes between the end of this and the return; it is added to the arc.
 *
 * The hard case is control that comes back without a return, by longjmp or an exception.  Who is come back to has its
 * own variables, which nobody changes behind the function's entry, and says anew where it is before it calls. */
#include "plugin/place.h"
#include "plugin/contextcode.h"
#include "plugin/settings.h"
#include "plugin/statics.h"

namespace pathfdo
{

namespace
{

/* As in contexttree.h. */
const uint64_t most_slots = 4096, most_words = 16384;
enum { arc_function = 0, arc_record = 8, arc_count = 16, arc_took = 24 };
enum { record_slots = 96 };
enum { function_number = 0 };
enum { entry_enter = 0, entry_save = 8, entry_count_path = 16, entry_counter = 24, entry_words = 4 };

/* Words that instrumented code and the library share, and nobody else has pointers to. */
tree shared(tree type)
{
	static alias_set_type set = -1;
	tree own = build_distinct_type_copy(type);

	if (set == -1)
		set = new_alias_set();
	TYPE_ALIAS_SET(own) = set;
	return own;
}

tree current_slot()
{
	return statics_thread_variable(PF_COUNTING_TEXT(context_slot), ptr_type_node);
}

tree at(tree pointer, uint64_t offset, tree type)
{
	return build2(MEM_REF, type, pointer, build_int_cst(build_pointer_type(type), offset));
}

/* A pointer to a function of the library, loaded. */
gimple *load_entry(uint64_t offset, tree function_type)
{
	tree pointer = build_pointer_type(function_type);
	tree entries =
	    statics_external(PF_COUNTING_TEXT(context_entries), build_array_type_nelts(ptr_type_node, entry_words));

	return gimple_build_assign(make_ssa_name(pointer), at(build_fold_addr_expr(entries), offset, pointer));
}

/* What gives a function's frame.  Not all languages have it: Fortran and Ada do not. */
tree frame_builtin()
{
	if (!builtin_decl_explicit(BUILT_IN_DWARF_CFA)) {
		tree own = build_fn_decl("__builtin_dwarf_cfa", build_function_type_list(ptr_type_node, NULL_TREE));

		set_decl_built_in_function(own, BUILT_IN_NORMAL, BUILT_IN_DWARF_CFA);
		TREE_NOTHROW(own) = 1;
		set_builtin_decl(BUILT_IN_DWARF_CFA, own, true);
	}
	return builtin_decl_explicit(BUILT_IN_DWARF_CFA);
}

/* Whether STMT may call what is counted, or what does. */
bool is_call_site(gimple *stmt)
{
	tree callee;

	if (!is_gimple_call(stmt) || gimple_call_internal_p(stmt))
		return false;
	callee = gimple_call_fndecl(stmt);
	return !callee || !fndecl_built_in_p(callee) ||
	       !(is_inexpensive_builtin(callee) || (gimple_call_flags(stmt) & ECF_CONST));
}

/* A function that is declared const may count all the same, in another unit, and reads the slot that its caller says:
 * of what reads nothing the compiler takes that for said in vain.  What the system declares does not count. */
void expect_reading(gimple *stmt)
{
	tree callee = gimple_call_fndecl(stmt);

	if (callee && TREE_READONLY(callee) && !in_system_header_at(DECL_SOURCE_LOCATION(callee)))
		cgraph_node::get_create(callee)->set_const_flag(false, false);
}

} // namespace

context_code::context_code(bool called_by_counted)
    : word(shared(long_long_unsigned_type_node)), pointer(shared(ptr_type_node)), restores(!called_by_counted),
      slot(current_slot()), saved(create_tmp_reg(ptr_type_node, "slot")), arc(create_tmp_reg(ptr_type_node, "arc")),
      record(create_tmp_reg(ptr_type_node, "record"))
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (!is_call_site(gsi_stmt(gsi)))
				continue;
			expect_reading(gsi_stmt(gsi));
			sites.safe_push(gsi_stmt(gsi));
		}
	}
}

path_counters context_code::add_paths(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges)
{
	path_counters c = {};

	paths.put_graph(n, cut, edges);
	path_count = n.count;
	c.record = record;
	c.began = metric.path_began();
	c.in_table = n.count > most_words;
	c.words = c.in_table ? 1 : n.count;
	return c;
}

/* The function's name and place, the lines of its call sites, and its paths (doc/context-format.md). */
tree context_code::describe()
{
	location_t where = DECL_SOURCE_LOCATION(current_function_decl);
	const char *file = LOCATION_FILE(where);
	unsigned count = MIN(sites.length(), most_slots);
	pf_buffer out = {};
	static_words words;

	pf_buffer_string(&out, linker_name(current_function_decl));
	pf_buffer_string(&out, file ? file : main_input_filename);
	pf_buffer_uleb(&out, LOCATION_LINE(where));
	pf_buffer_uleb(&out, count);
	for (unsigned i = 0; i < count; i++)
		pf_buffer_uleb(&out, LOCATION_LINE(gimple_location(sites[i])));
	if (path_count > 0) {
		paths.put_files(&out);
		pf_buffer_bytes(&out, paths.bytes.data, paths.bytes.size);
	}
	if (out.failed || paths.bytes.failed)
		fatal_error(UNKNOWN_LOCATION, "pathfdo: out of memory for the description of a function");
	words.number(0);
	words.number(count);
	words.number(path_count);
	words.number(options.metric);
	words.address(statics_bytes("pathfdo_description", out));
	words.number(out.size);
	pf_buffer_fini(&out);
	pf_buffer_fini(&paths.bytes);
	return words.finish("pathfdo_function");
}

/* BB is come to when the first arc is not this function's. */
void context_code::ask(basic_block bb)
{
	tree type = build_function_type_list(ptr_type_node, ptr_type_node, ptr_type_node, ptr_type_node, NULL_TREE);
	gimple_stmt_iterator gsi = gsi_last_bb(bb);
	gimple *load = load_entry(entry_enter, type);
	tree frame = make_ssa_name(ptr_type_node);
	gcall *cfa = gimple_build_call(frame_builtin(), 0);
	gcall *enter = gimple_build_call(gimple_assign_lhs(load), 3, build_fold_addr_expr(function), saved, frame);

	gimple_call_set_lhs(cfa, frame);
	gimple_call_set_lhs(enter, arc);
	gimple_call_set_nothrow(enter, true);
	gsi_insert_after(&gsi, load, GSI_NEW_STMT);
	gsi_insert_after(&gsi, cfa, GSI_NEW_STMT);
	gsi_insert_after(&gsi, enter, GSI_NEW_STMT);
	gsi_insert_after(&gsi, gimple_build_assign(saved, slot), GSI_NEW_STMT);
}

void context_code::enter()
{
	tree found = make_ssa_name(word), wanted = make_ssa_name(word);
	basic_block bb = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(cfun))), other;
	gimple_stmt_iterator gsi = gsi_last_bb(bb);
	gimple *last;

	gsi_insert_after(&gsi, gimple_build_assign(saved, slot), GSI_NEW_STMT);
	gsi_insert_after(&gsi, gimple_build_assign(arc, at(saved, 0, pointer)), GSI_NEW_STMT);
	gsi_insert_after(&gsi, gimple_build_assign(found, at(arc, arc_function, word)), GSI_NEW_STMT);
	last = gimple_build_assign(wanted, at(build_fold_addr_expr(function), function_number, word));
	gsi_insert_after(&gsi, last, GSI_NEW_STMT);
	other = insert_cond_bb(bb, last, gimple_build_cond(NE_EXPR, found, wanted, NULL_TREE, NULL_TREE),
			       profile_probability::very_unlikely());
	ask(other);
	gsi = gsi_start_bb(single_succ(other));
	add_to(&gsi, arc_count, build_one_cst(word));
	if (!sites.is_empty() || path_count > 0)
		gsi_insert_before(&gsi, gimple_build_assign(record, at(arc, arc_record, pointer)), GSI_SAME_STMT);
	metric.begin(&gsi, path_count > 0);
}

void context_code::add_to(gimple_stmt_iterator *gsi, uint64_t field, tree value)
{
	tree old = make_ssa_name(word), sum = make_ssa_name(word);

	gsi_insert_before(gsi, gimple_build_assign(old, at(arc, field, word)), GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(sum, PLUS_EXPR, old, value), GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(at(arc, field, word), sum), GSI_SAME_STMT);
}

/* What must be a tail call takes the place of this function, and is called where that was. */
void context_code::call(gimple *stmt, unsigned site)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(stmt);
	tree address;

	if (gimple_call_must_tail_p(as_a<gcall *>(stmt)))
		return;
	address = make_ssa_name(ptr_type_node);
	site = MIN(site, most_slots - 1);
	gsi_insert_before(
	    &gsi,
	    gimple_build_assign(address, POINTER_PLUS_EXPR, record, size_int(record_slots + site * sizeof(uint64_t))),
	    GSI_SAME_STMT);
	gsi_insert_before(&gsi, gimple_build_assign(slot, address), GSI_SAME_STMT);
}

/* In front of STMT the function is left.  A call that takes its place does not say where it is. */
void context_code::leave(gimple *stmt)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(stmt);
	tree took;

	if ((restores || is_gimple_call(stmt)) && !sites.is_empty())
		gsi_insert_before(&gsi, gimple_build_assign(slot, saved), GSI_SAME_STMT);
	took = metric.end(&gsi, path_count > 0);
	if (took)
		add_to(&gsi, arc_took, took);
}

void context_code::insert()
{
	auto_vec<gimple *> exits;

	function = describe();
	metriccode_exits(&exits);
	for (unsigned i = 0; i < sites.length(); i++)
		call(sites[i], i);
	for (gimple *stmt : exits)
		leave(stmt);
	enter();
}

tree contextcode_word()
{
	return shared(long_long_unsigned_type_node);
}

gimple *contextcode_load_counter()
{
	tree number = long_long_unsigned_type_node;

	return load_entry(entry_count_path,
			  build_function_type_list(void_type_node, ptr_type_node, number, number, NULL_TREE));
}

gimple *contextcode_load_reader()
{
	return load_entry(entry_counter, build_function_type_list(long_long_unsigned_type_node, NULL_TREE));
}

void contextcode_save(gimple_stmt_iterator *gsi)
{
	gimple *load = load_entry(entry_save, build_function_type_list(void_type_node, NULL_TREE));
	gcall *save = gimple_build_call(gimple_assign_lhs(load), 0);

	gimple_call_set_nothrow(save, true);
	gsi_insert_before(gsi, load, GSI_SAME_STMT);
	gsi_insert_before(gsi, save, GSI_SAME_STMT);
}

} // namespace pathfdo
