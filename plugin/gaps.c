/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gaps.h.  An edit of the layout (lines that are broken elsewhere, spaces) leaves no shift that many positions have
 * in common, but it leaves their order.  So between two positions that were found, one after the other in the profile
 * as in the source, what the profile has more is laid on what the source has more by a longest common subsequence:
 * calls on calls, conditions on conditions, what is neither on what is neither.
 *
 * The hard case is the gap in which something else is written now.  Code that was laid out anew still has all of its
 * calls and conditions: where one of the profile's is left over, the gap is left alone.  The source may have more of
 * all, as not everything becomes code.  A gap at an end of the function is held on one side only, or on none if nothing
 * was found: there a call of the same function has to be in it as well. */
#include "plugin/gaps.h"
#include "support/array.h"
#include "support/search.h"

#define SKELETON 8          /* a call or a condition on its like */
#define OTHER_CALL 4        /* a call on one of another name: the callee's may have changed */
#define PLAIN 1             /* what is neither */
#define CELL_LIMIT 16000000 /* of all gaps: some seconds */

/* The spots of one position. */
struct point {
	const struct pf_spot *first, *end;
	bool found; /* of the profile: by a shift; of the source: by something of the profile's */
	struct pf_position to;
};

struct points {
	struct point *at;
	uint32_t count;
};

struct filling {
	struct points profile, source;
	struct pf_alignment *alignment;
	size_t cells; /* left */
};

static bool same_position(const struct pf_spot *a, const struct pf_spot *b)
{
	return a->line == b->line && a->column == b->column;
}

static bool find_points(struct points *points, const struct pf_outline *outline)
{
	const struct pf_spot *spot = outline->at, *end = outline->at + outline->count;

	points->at = calloc(outline->count, sizeof *points->at);
	while (points->at && spot < end) {
		struct point *p = &points->at[points->count++];

		p->first = spot;
		while (spot < end && same_position(spot, p->first))
			spot++;
		p->end = spot;
	}
	return points->at;
}

/* The point at POSITION, which is one of them, or the first behind it. */
static uint32_t point_of(const struct points *points, const struct pf_position *position)
{
	struct pf_search search = pf_search_over(points->count);

	while (pf_search_goes_on(&search)) {
		const struct pf_spot *s = points->at[search.middle].first;

		pf_search_step(&search,
			       s->line < position->line || (s->line == position->line && s->column < position->column));
	}
	return (uint32_t)search.low;
}

static void note_found(struct filling *f)
{
	for (uint32_t i = 0; i < f->profile.count; i++) {
		struct point *p = &f->profile.at[i];

		p->to = (struct pf_position) { p->first->line, p->first->column, 0 };
		pf_align_position(f->alignment, &p->to);
		p->found = pf_outline_has(f->alignment->source, p->to.line, p->to.column, 0);
		if (p->found)
			f->source.at[point_of(&f->source, &p->to)].found = true;
	}
}

static bool decides(const struct point *p)
{
	return p->end - p->first > 1 && p->first[1].call == PF_CONDITION;
}

static bool calls(const struct point *p)
{
	return p->end[-1].call > PF_CONDITION;
}

static bool call_the_same(const struct point *ours, const struct point *theirs)
{
	for (const struct pf_spot *a = ours->first; a < ours->end; a++) {
		for (const struct pf_spot *b = theirs->first; a->call > PF_CONDITION && b < theirs->end; b++) {
			if (a->call == b->call)
				return true;
		}
	}
	return false;
}

/* What laying OURS on THEIRS is worth; 0: it cannot be.  Of what never ran the profile knows no callee and no outcome,
 * and of an indirect call the source has no name. */
static int32_t worth(const struct point *ours, const struct point *theirs)
{
	if (theirs->found || (decides(ours) && !decides(theirs)))
		return 0;
	if (decides(ours) || call_the_same(ours, theirs))
		return SKELETON;
	return calls(ours) && calls(theirs) ? OTHER_CALL : PLAIN;
}

static int place(struct pf_alignment *a, const struct point *ours, const struct point *theirs)
{
	struct pf_placed *new = pf_array_push(&a->placed);

	if (!new)
		return PF_ENOMEM;
	*new =
	    (struct pf_placed) { ours->first->line, theirs->first->line, ours->first->column, theirs->first->column };
	return PF_OK;
}

/* A gap: ROWS points of the profile, COLUMNS of the source.  VALUE[i * (columns + 1) + k] is of the best way to lay the
 * points from i on upon those from k on. */
struct gap {
	const struct point *ours, *theirs;
	uint32_t rows, columns;
	int32_t *value;
	bool needs_call, has_call; /* of the same function on both sides */
};

static int32_t *value_at(const struct gap *g, uint32_t i, uint32_t k)
{
	return &g->value[(size_t)i * (g->columns + 1) + k];
}

static bool is_laid(const struct gap *g, uint32_t i, uint32_t k)
{
	int32_t here = worth(&g->ours[i], &g->theirs[k]);

	return here > 0 && *value_at(g, i, k) == here + *value_at(g, i + 1, k + 1);
}

static void weigh(const struct gap *g)
{
	for (uint32_t i = g->rows; i-- > 0;) {
		for (uint32_t k = g->columns; k-- > 0;) {
			int32_t here = worth(&g->ours[i], &g->theirs[k]), best = *value_at(g, i + 1, k);

			if (*value_at(g, i, k + 1) > best)
				best = *value_at(g, i, k + 1);
			if (here > 0 && here + *value_at(g, i + 1, k + 1) > best)
				best = here + *value_at(g, i + 1, k + 1);
			*value_at(g, i, k) = best;
		}
	}
}

/* Goes along the best way, and places what lies on it if INTO is one; false if a call or a condition is left over. */
static bool follow(struct gap *g, struct pf_alignment *into, int *status)
{
	uint32_t i = 0, k = 0;

	while (i < g->rows) {
		if (k < g->columns && is_laid(g, i, k)) {
			if (into && *status == PF_OK)
				*status = place(into, &g->ours[i], &g->theirs[k]);
			g->has_call |= call_the_same(&g->ours[i], &g->theirs[k]);
			i++;
			k++;
		} else if (k < g->columns && *value_at(g, i, k) == *value_at(g, i, k + 1)) {
			k++;
		} else {
			if (calls(&g->ours[i]) || decides(&g->ours[i]))
				return false;
			i++;
		}
	}
	return true;
}

static int fill_gap(struct filling *f, struct gap *g)
{
	size_t cells = (size_t)(g->rows + 1) * (g->columns + 1);
	int status = PF_OK;

	if (cells > f->cells)
		return PF_OK;
	f->cells -= cells;
	g->value = calloc(cells, sizeof *g->value);
	if (!g->value)
		return PF_ENOMEM;
	weigh(g);
	if (follow(g, NULL, &status) && (g->has_call || !g->needs_call))
		follow(g, f->alignment, &status);
	free(g->value);
	return status;
}

/* What is between LEFT and RIGHT, two points of the profile that were found; NULL: the function's beginning and its
 * end. */
static int fill_between(struct filling *f, const struct point *left, const struct point *right)
{
	const struct point *ours = left ? left + 1 : f->profile.at, *end = f->profile.at + f->profile.count;
	uint32_t begin = left ? point_of(&f->source, &left->to) + 1 : 0,
		 behind = right ? point_of(&f->source, &right->to) : f->source.count;
	struct gap gap = { .ours = ours,
			   .theirs = f->source.at + begin,
			   .rows = (uint32_t)((right ? right : end) - ours) };

	if (gap.rows == 0 || begin >= behind)
		return PF_OK;
	gap.columns = behind - begin;
	gap.needs_call = !left || !right;
	return fill_gap(f, &gap);
}

static int fill(struct filling *f)
{
	const struct point *left = NULL;
	int status = PF_OK;

	note_found(f);
	for (uint32_t i = 0; i < f->profile.count && status == PF_OK; i++) {
		if (!f->profile.at[i].found)
			continue;
		status = fill_between(f, left, &f->profile.at[i]);
		left = &f->profile.at[i];
	}
	return status == PF_OK ? fill_between(f, left, NULL) : status;
}

int pf_gaps_fill(const struct pf_outline *profile, struct pf_alignment *a)
{
	struct filling f = { .alignment = a, .cells = CELL_LIMIT };
	int status = PF_ENOMEM;

	if (find_points(&f.profile, profile) && find_points(&f.source, a->source))
		status = fill(&f);
	free(f.profile.at);
	free(f.source.at);
	return status;
}
