/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathunit.h.  What the counters mean is a string, in the object itself: a profile needs no second file that could
 * be lost or of another build.
 *
 * The hard case is a function of which several units have a copy (inline functions): the linker keeps one, which counts
 * in its own unit; each unit describes the function in the same bytes, by which the reader adds them up. */
#include "plugin/place.h"
#include "plugin/pathunit.h"
#include "plugin/settings.h"
#include "plugin/statics.h"

namespace pathfdo
{

namespace
{

/* Above this many paths a function's counts are kept in a table: 128 KB of zeroes that are not in the file, and of
 * which only what is counted in gets memory. */
const uint64_t most_in_array = 1 << 14;

struct unit {
	auto_vec<path_counters> counters;
	auto_vec<uint64_t> lengths;
	path_texts functions;
};

unit here;

void put_function(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges)
{
	location_t where = DECL_SOURCE_LOCATION(current_function_decl);
	const char *file = LOCATION_FILE(where);
	pf_buffer *out = &here.functions.bytes;

	pf_buffer_string(out, linker_name(current_function_decl));
	pf_buffer_uleb(out, here.functions.file_number(file ? file : main_input_filename));
	pf_buffer_uleb(out, LOCATION_LINE(where));
	here.functions.put_graph(n, cut, edges);
}

tree build_description()
{
	pf_buffer out = {};

	here.functions.put_files(&out);
	pf_buffer_uleb(&out, here.counters.length());
	pf_buffer_bytes(&out, here.functions.bytes.data, here.functions.bytes.size);
	if (out.failed || here.functions.bytes.failed)
		fatal_error(UNKNOWN_LOCATION, "pathfdo: out of memory for the description of this file%'s paths");

	tree var = statics_bytes("pathfdo_description", out);

	pf_buffer_fini(&out);
	return var;
}

tree build_unit()
{
	tree description = build_description();
	static_words words;

	words.number(0);
	words.address(description);
	words.number(tree_to_uhwi(TYPE_SIZE_UNIT(TREE_TYPE(description))));
	words.number(options.metric);
	words.number(here.counters.length());
	for (unsigned i = 0; i < here.counters.length(); i++) {
		words.address(here.counters[i].array);
		words.number(here.lengths[i]);
	}
	return words.finish("pathfdo_unit");
}

} // namespace

uint32_t path_texts::file_number(const char *file)
{
	for (unsigned i = files.length(); i-- > 0;) {
		if (strcmp(files[i], file) == 0)
			return i;
	}
	files.safe_push(file);
	return files.length() - 1;
}

void path_texts::put_files(pf_buffer *out) const
{
	pf_buffer_uleb(out, files.length());
	for (const char *file : files)
		pf_buffer_string(out, file);
}

/* The lines of BB's statements, each that differs from the one before it. */
void path_texts::put_lines(basic_block bb)
{
	auto_vec<std::pair<uint32_t, uint32_t>> lines;

	for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb(bb); !gsi_end_p(gsi); gsi_next_nondebug(&gsi)) {
		location_t where = gimple_location(gsi_stmt(gsi));

		if (LOCATION_LOCUS(where) <= BUILTINS_LOCATION || !LOCATION_FILE(where))
			continue;
		std::pair<uint32_t, uint32_t> line(file_number(LOCATION_FILE(where)), LOCATION_LINE(where));
		if (lines.is_empty() || lines.last() != line)
			lines.safe_push(line);
	}
	pf_buffer_uleb(&bytes, lines.length());
	for (const std::pair<uint32_t, uint32_t> &line : lines) {
		pf_buffer_uleb(&bytes, line.first);
		pf_buffer_uleb(&bytes, line.second);
	}
}

void path_texts::put_graph(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges)
{
	const pf_graph *g = n.graph;

	pf_buffer_uleb(&bytes, g->block_count);
	pf_buffer_uleb(&bytes, g->edge_count);
	for (uint32_t e = 0; e < g->edge_count; e++) {
		pf_buffer_uleb(&bytes, g->edges[e].from);
		pf_buffer_uleb(&bytes, g->edges[e].to);
		pf_buffer_u8(&bytes, (cut[e] ? 1 : 0) | (edges[e] ? 0 : 2));
	}
	pf_buffer_uleb(&bytes, n.count);
	for (uint32_t b = 0; b < g->block_count; b++) {
		basic_block bb = BASIC_BLOCK_FOR_FN(cfun, b);

		if (bb && b >= NUM_FIXED_BLOCKS)
			put_lines(bb);
		else
			pf_buffer_uleb(&bytes, 0);
	}
}

tree pathunit_library(const char *name, tree type)
{
	tree function = build_fn_decl(name, type);

	DECL_VISIBILITY(function) = VISIBILITY_HIDDEN;
	DECL_VISIBILITY_SPECIFIED(function) = 1;
	TREE_NOTHROW(function) = 1;
	DECL_ATTRIBUTES(function) = tree_cons(get_identifier("leaf"), NULL_TREE, DECL_ATTRIBUTES(function));
	return function;
}

path_counters pathunit_add(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges, tree began)
{
	path_counters c = {};

	c.in_table = n.count > most_in_array;
	c.words = c.in_table ? 1 : n.count;
	c.began = began;
	c.array = statics_array("pathfdo_counts", long_long_unsigned_type_node,
				1 + (began && !c.in_table ? 2 * c.words : c.words));
	varpool_node::finalize_decl(c.array);
	here.counters.safe_push(c);
	here.lengths.safe_push(c.in_table ? 0 : n.count);
	put_function(n, cut, edges);
	return c;
}

void pathunit_finish()
{
	if (here.counters.is_empty())
		return;
	tree type = build_function_type_list(void_type_node, ptr_type_node, NULL_TREE),
	     enter = pathunit_library(PF_COUNTING_TEXT(paths_enter), type), body = NULL_TREE;

	append_to_statement_list(build_call_expr(enter, 1, build_fold_addr_expr(build_unit())), &body);
	cgraph_build_static_cdtor('I', body, DEFAULT_INIT_PRIORITY);
	pf_buffer_fini(&here.functions.bytes);
}

} // namespace pathfdo
