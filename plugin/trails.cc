/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From paths of source positions to paths of this compile's branches.  The two ends of the way lie far apart: positions
 * are matched where the CFG still is that of the source, and the paths are wanted behind all loop optimisers.  What
 * lasts from here to there, in every copy that inlining and unrolling make, with -g and without, is the location of a
 * condition: so a decision is a location, and true or false.
 *
 * The hard case is one location, or one record, for several branches: where a record is that of several conditions,
 * its decisions are not told apart and are left out of the paths; where several blocks have a condition of one
 * location, whoever asks must compare the shares. */
#include "plugin/trails.h"
#include "plugin/settings.h"

namespace pathfdo
{

namespace
{

struct noted_branch {
	location_t where;             /* UNKNOWN_LOCATION: no condition */
	auto_vec<uint32_t> decisions; /* of each outcome; 0: not recognised */
};

const pf_function *begun;
auto_vec<noted_branch *> noted; /* by number of the record */
hash_map<int_hash<location_t, UNKNOWN_LOCATION, BUILTINS_LOCATION>, uint32_t> numbers;
auto_vec<pf_history_path> paths;
pf_history history;
bool made;

/* Where the condition at the end of BB is; UNKNOWN_LOCATION if there is none. */
location_t condition_of(basic_block bb)
{
	gimple *last = bb->index < NUM_FIXED_BLOCKS ? NULL : pf_gcc_last_stmt(bb);
	location_t where =
	    last && gimple_code(last) == GIMPLE_COND ? LOCATION_LOCUS(gimple_location(last)) : UNKNOWN_LOCATION;

	return RESERVED_LOCATION_P(where) ? UNKNOWN_LOCATION : where;
}

uint32_t decision_at(location_t where, edge e)
{
	bool known;
	uint32_t &number = numbers.get_or_insert(where, &known);

	if (!known)
		number = 2 * numbers.elements();
	return number + (e->flags & EDGE_TRUE_VALUE ? 1 : 0);
}

/* The decision from FROM to TO, 0 if there is none. */
uint32_t translate(const pf_place *from, const pf_place *to)
{
	pf_match match = pf_match_record(begun, from);
	const noted_branch *branch = match.kind <= PF_MATCH_COLUMN ? noted[match.record - begun->records] : NULL;

	for (uint32_t i = 0; branch && i < match.record->outcome_count; i++) {
		if (pf_place_compare(&match.record->outcomes[i].to, to) == 0 && branch->decisions[i])
			return branch->decisions[i];
	}
	return 0;
}

void take_path(const pf_path *path)
{
	pf_history_path taken = {};
	uint32_t count = path->place_count / 2;

	taken.count = path->count;
	for (uint32_t i = MAX(count, PF_HISTORY_DECISIONS) - PF_HISTORY_DECISIONS; i < count; i++) {
		uint32_t decision = translate(&path->places[2 * i], &path->places[2 * i + 1]);

		if (decision)
			taken.decisions[taken.length++] = decision;
		else if (i + 1 == count)
			return;
	}
	if (taken.length)
		paths.safe_push(taken);
}

} // namespace

void trails_begin(const pf_function *function)
{
	if (!options.superblocks)
		return;
	begun = function;
	noted.safe_grow_cleared(function->record_count, true);
}

void trails_note(basic_block bb, const pf_record *branch, edge const *choice)
{
	if (!begun || branch < begun->records || branch >= begun->records + begun->record_count)
		return;
	location_t where = condition_of(bb);
	noted_branch *&note = noted[branch - begun->records];
	if (!note) {
		note = new noted_branch();
		note->where = where;
		for (uint32_t i = 0; i < branch->outcome_count; i++)
			note->decisions.safe_push(where != UNKNOWN_LOCATION && choice[i] ? decision_at(where, choice[i])
											 : 0);
	}
	for (uint32_t i = 0; i < branch->outcome_count && note->where != where; i++)
		note->decisions[i] = 0;
}

void trails_take()
{
	for (uint32_t i = 0; begun && i < begun->path_count; i++)
		take_path(&begun->paths[i]);
	for (noted_branch *note : noted)
		delete note;
	noted.truncate(0);
	begun = NULL;
}

uint32_t trails_decision(edge e)
{
	location_t where = condition_of(e->src);
	uint32_t *number = where == UNKNOWN_LOCATION ? NULL : numbers.get(where);

	return number ? *number + (e->flags & EDGE_TRUE_VALUE ? 1 : 0) : 0;
}

const pf_history *trails_history()
{
	if (!made && paths.length())
		made = pf_history_init(&history, paths.address(), paths.length()) == 0;
	return made ? &history : NULL;
}

} // namespace pathfdo
