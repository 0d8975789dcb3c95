/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a record fit the source?  Its lines are compared with those on which the function has statements, as the parser
 * left them: what the compiler moved or dropped since would look like an edit.  An inlined call counts at its line.
 *
 * The hard case is code that says nothing of the source.  There is the frame: setting the function up and leaving it is
 * code as well, on the lines from the declaration to the opening brace and on that of the closing brace, which may be
 * all that a short function has of its own.  And there is what was inlined: the compiler loses the scope of some of it
 * (where exceptions are caught, for one), and it looks like the function's own, on a line far away.  Or it makes code
 * that has no scope, as of OpenMP's loops and what -finstrument-functions calls: where that stands behind an inlined
 * body it looks like a part of the instance, and comes to the callee with it.  Of templates that are inlined some
 * twenty deep that may be most of what a function counts.  So a record fits as well that has half of the source's
 * places, to the column: whatever else it has, what is here was there. */
#include "plugin/fit.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

typedef hash_set<int_hash<int, INT_MIN, INT_MAX>> line_set;
typedef hash_set<int_hash<uint64_t, 0>> spot_set;

const unsigned enough_spots = 8; /* to know a source by them, as in edits.c */

struct source {
	line_set lines;               /* relative, as the profile's */
	spot_set spots;               /* by absolute line and column */
	int declared, opened, closed; /* the frame */
};

hash_map<tree, source *> noted;

/* Where all the functions noted have something, by absolute line and column. */
spot_set taken;

uint64_t spot_of(int64_t line, unsigned column)
{
	return (uint64_t)line << 32 | column;
}

int line_of(location_t where, int base)
{
	return expand_location(where).line - base;
}

void take_spot(spot_set *spots, location_t where)
{
	expanded_location at = expand_location(where);

	if (at.line > 0)
		spots->add(spot_of(at.line, at.column));
}

/* The closing brace itself is where a function returns, and no statement. */
void add_line(source *s, location_t where, function *f, int base)
{
	if (!RESERVED_LOCATION_P(LOCATION_LOCUS(where)) &&
	    LOCATION_LOCUS(where) != LOCATION_LOCUS(f->function_end_locus)) {
		s->lines.add(line_of(where, base));
		take_spot(&s->spots, where);
		take_spot(&taken, where);
	}
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

/* A record laid on a source. */
struct fitting {
	source *on;
	int base;     /* the line that the source's lines are relative to */
	int shift;    /* from the record's lines to these */
	bool grafted; /* instances are in the record */
	double inside, all;
};

/* Counts COUNT executions at PLACE, and as inside if the function has code on that line.  What another function has
 * just there is that function's, if it may have come with an instance. */
void weigh(fitting *f, const pf_position &place, uint64_t count)
{
	int line = place.line + f->shift;

	if (f->on->lines.contains(line)) {
		f->inside += count;
		f->all += count;
	} else if (!is_frame(f->on, line) &&
		   !(f->grafted && taken.contains(spot_of((int64_t)line + f->base, place.column)))) {
		f->all += count;
	}
}

/* Whether the compiler made the call by itself: what it has split off a function it calls at that function's
 * declaration, which is another's where it found two of them to be the same (-fipa-icf). */
bool is_made_up(const pf_function *record, const pf_node &node)
{
	return (int64_t)record->nodes[0].line + node.site.line == (int64_t)node.line &&
	       strcmp(record->nodes[0].file, node.file) == 0;
}

/* Notes that the record has PLACE, if the source has it. */
void find_spot(const fitting &f, const pf_position &place, spot_set *found)
{
	uint64_t spot = spot_of((int64_t)place.line + f.shift + f.base, place.column);

	if (f.on->spots.contains(spot))
		found->add(spot);
}

/* Whether RECORD has half of the places of the source that it is laid on. */
bool has_source(const fitting &f, const pf_function *record)
{
	spot_set found;

	for (uint32_t i = 0; i < record->record_count && record->records[i].place.node == 0; i++)
		find_spot(f, record->records[i].place.position, &found);
	for (uint32_t i = 1; i < record->node_count; i++) {
		if (record->nodes[i].parent == 0)
			find_spot(f, record->nodes[i].site, &found);
	}
	return found.elements() >= enough_spots && 2 * found.elements() >= f.on->spots.elements();
}

void add_spot(pf_outline *outline, location_t where, int base, tree callee, bool decides = false)
{
	expanded_location at = expand_location(where);
	pf_position position = { at.line - base, (uint32_t)at.column, 0 };
	decl_names names = callee ? names_of(callee) : decl_names {};

	if (RESERVED_LOCATION_P(LOCATION_LOCUS(where)))
		return;
	pf_outline_add(outline, &position, NULL);
	for (unsigned i = 0; i < names.count; i++)
		pf_outline_add(outline, &position, names.names[i]);
	if (decides)
		pf_outline_add_condition(outline, &position);
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
					 is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE,
					 gimple_code(stmt) == GIMPLE_COND || gimple_code(stmt) == GIMPLE_SWITCH);
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
	take_spot(&taken, DECL_SOURCE_LOCATION(decl));
	add_lines(s, f, base);
	noted.put(decl, s);
}

bool fits_source(tree decl, const pf_function *record, bool grafted)
{
	int base = base_line(decl);
	line_set inlined;

	if (!noted.get(decl))
		note_source(decl);
	fitting f = { *noted.get(decl), base, base_line(decl, &record->nodes[0]) - base, grafted, 0, 0 };
	add_inlined_lines(&inlined, record);
	for (uint32_t i = 0; i < record->record_count && record->records[i].place.node == 0; i++) {
		const pf_position &at = record->records[i].place.position;

		if (f.on->lines.contains(at.line + f.shift) || !inlined.contains(at.line))
			weigh(&f, at, record->records[i].count);
	}
	for (uint32_t i = 1; i < record->node_count; i++) {
		if (record->nodes[i].parent == 0 && !is_made_up(record, record->nodes[i]))
			weigh(&f, record->nodes[i].site, record->nodes[i].entries);
	}
	return f.inside >= f.all / 2 || has_source(f, record);
}

} // namespace pathfdo
