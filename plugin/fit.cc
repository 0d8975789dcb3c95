/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a record fit the source?  Its lines are compared with those on which the function has statements, as the parser
 * left them: what the compiler moved or dropped since would look like an edit.  An inlined call counts at its line.
 *
 * The hard case is code that says nothing of the source.  There is the frame: setting the function up and leaving it is
 * code as well, on the lines from the declaration to the opening brace and on that of the closing brace, which may be
 * all that a short function has of its own.  And there is what was inlined: the compiler loses the scope of some of it
 * (where exceptions are caught, for one), and it looks like the function's own, on a line far away. */
#include "plugin/fit.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

typedef hash_set<int_hash<int, INT_MIN, INT_MAX>> line_set;

struct source {
	line_set lines;               /* relative, as the profile's */
	int declared, opened, closed; /* the frame */
};

hash_map<tree, source *> noted;

int line_of(location_t where, int base)
{
	return expand_location(where).line - base;
}

/* The closing brace itself is where a function returns, and no statement. */
void add_line(source *s, location_t where, function *f, int base)
{
	if (!RESERVED_LOCATION_P(LOCATION_LOCUS(where)) &&
	    LOCATION_LOCUS(where) != LOCATION_LOCUS(f->function_end_locus))
		s->lines.add(line_of(where, base));
}

void add_lines(source *s, function *f, int base)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	{
		edge e;
		edge_iterator ei;

		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			if (!is_gimple_debug(gsi_stmt(gsi)))
				add_line(s, gimple_location(gsi_stmt(gsi)), f, base);
		}
		FOR_EACH_EDGE(e, ei, bb->succs)
		add_line(s, e->goto_locus, f, base);
	}
}

bool is_frame(const source *s, int line)
{
	return (line >= s->declared && line <= s->opened) || line == s->closed;
}

/* The lines that the inlined instances of RECORD have counts on, relative as its own, and in whatever file. */
void add_inlined_lines(line_set *lines, const pf_function *record)
{
	for (uint32_t i = 0; i < record->record_count; i++) {
		const pf_place *place = &record->records[i].place;
		int64_t line = (int64_t)record->nodes[place->node].line + place->position.line - record->nodes[0].line;

		if (place->node && line > INT_MIN && line < INT_MAX)
			lines->add(line);
	}
}

/* Adds COUNT executions of LINE to ALL, and to INSIDE if the function has code there. */
void weigh(source *s, int line, uint64_t count, double *inside, double *all)
{
	if (s->lines.contains(line))
		*inside += count;
	if (s->lines.contains(line) || !is_frame(s, line))
		*all += count;
}

/* Whether the compiler made the call by itself: what it has split off a function it calls at that function's
 * declaration, which is another's where it found two of them to be the same (-fipa-icf). */
bool is_made_up(const pf_function *record, const pf_node &node)
{
	return (int64_t)record->nodes[0].line + node.site.line == (int64_t)node.line &&
	       strcmp(record->nodes[0].file, node.file) == 0;
}

void add_spot(pf_outline *outline, location_t where, int base, tree callee)
{
	expanded_location at = expand_location(where);
	pf_position position = { at.line - base, (uint32_t)at.column, 0 };
	decl_names names = callee ? names_of(callee) : decl_names {};

	if (RESERVED_LOCATION_P(LOCATION_LOCUS(where)))
		return;
	pf_outline_add(outline, &position, NULL);
	for (unsigned i = 0; i < names.count; i++)
		pf_outline_add(outline, &position, names.names[i]);
}

} // namespace

void outline_source(tree decl, pf_outline *outline)
{
	function *f = DECL_STRUCT_FUNCTION(decl);
	int base = base_line(decl);
	basic_block bb;

	for (location_t where : { DECL_SOURCE_LOCATION(decl), f->function_start_locus, f->function_end_locus })
		add_spot(outline, where, base, NULL_TREE);
	FOR_EACH_BB_FN(bb, f)
	{
		edge e;
		edge_iterator ei;

		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			const gimple *stmt = gsi_stmt(gsi);

			if (!is_gimple_debug(stmt))
				add_spot(outline, gimple_location(stmt), base,
					 is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE);
		}
		FOR_EACH_EDGE(e, ei, bb->succs)
		add_spot(outline, e->goto_locus, base, NULL_TREE);
	}
}

void note_source(tree decl)
{
	function *f = DECL_STRUCT_FUNCTION(decl);
	source *s = new source;
	int base = base_line(decl);

	s->declared = DECL_SOURCE_LINE(decl) - base;
	s->opened = MAX(s->declared, line_of(f->function_start_locus, base));
	s->closed = line_of(f->function_end_locus, base);
	add_lines(s, f, base);
	noted.put(decl, s);
}

bool fits_source(tree decl, const pf_function *record)
{
	double inside = 0, all = 0;
	line_set inlined;

	if (!noted.get(decl))
		note_source(decl);
	source *s = *noted.get(decl);
	int shift = base_line(decl, &record->nodes[0]) - base_line(decl);
	add_inlined_lines(&inlined, record);
	for (uint32_t i = 0; i < record->record_count && record->records[i].place.node == 0; i++) {
		int line = record->records[i].place.position.line;

		if (s->lines.contains(line + shift) || !inlined.contains(line))
			weigh(s, line + shift, record->records[i].count, &inside, &all);
	}
	for (uint32_t i = 1; i < record->node_count; i++) {
		if (record->nodes[i].parent == 0 && !is_made_up(record, record->nodes[i]))
			weigh(s, record->nodes[i].site.line + shift, record->nodes[i].entries, &inside, &all);
	}
	return inside >= all / 2;
}

} // namespace pathfdo
