/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gaps.h.  An edit of the layout (lines that are broken elsewhere, spaces) leaves no shift that many positions have
 * in common, but it leaves their order.  So between two positions that were found, one after the other in the profile
 * as in the source, what the profile has more is laid on what the source has more: calls on calls, conditions on
 * conditions, what is neither on what is neither; and so that two that stand beside each other keep their distance in
 * a line, and are in one line or two as they were.  Of all ways that keep the order the best is found by dynamic
 * programming over the pairs.  The whole function is such a gap as well, where its order is worth more than what was
 * found: of code that was laid out anew shifts find little, and that by chance.
 *
 * The hard case is the gap in which something else is written now.  Code that was laid out anew still has its calls and
 * conditions: where more than one of the profile's is left over for eight that are laid, the gap is left alone.  The
 * source may have more of all, as not everything becomes code.  A gap at an end of the function is held on one side
 * only, or on none if nothing was found: there a call of the same function has to be in it as well.  Where the function
 * is known to have another number of lines, which what a record has from elsewhere does not tell, it is enough that
 * half of it has its column or its distance still, or that half of all that is decided there is in it, and two
 * conditions, or most of what is there, or that nothing is decided, so that all of it has one count. */
#include "plugin/gaps.h"
#include "support/array.h"
#include "support/search.h"

#define SKELETON 24   /* a call or a condition on its like */
#define OTHER_CALL 12 /* a call on one of another name: the callee's may have changed */
#define PLAIN 2       /* what is neither */
#define COLUMN 1      /* beside it: in the column where it was */
#define FIRST 1       /* beside it: the first of a line still */
#define SPACED 3      /* as far behind the one before it in the line */
#define BELOW 2       /* as many lines below the one before it */
#define FAR (-2)      /* more than twice as many, or less than half, and then some */
#define FAR_LINES 4   /* which is so many */
#define LEVEL 2       /* in another line than that, and as far to the side */
#define NEARLY 1      /* likewise, but for what a level of indentation may be wider or narrower */
#define INDENTATION 3 /* which is so many columns: of a tab, against four spaces */
#define BROKEN (-1)   /* no longer in one line with the one before it, or now in one */
#define SKIPPED 1     /* is lost with each call and condition of the source that nothing is laid on between two */
#define NEAR 2        /* positions of the profile ... */
#define NEAR_BY 8     /* ... and of the source that the one before may be back */
#define LEFT_SHARE 8  /* calls and conditions that are laid, for each that may be left over */
#define ENOUGH 8      /* positions, of three quarters of the source's, to know a function by their order */
#define FEW 2         /* conditions, of half of the source's, likewise */
#define NOT_THERE INT32_MIN
#define CELL_LIMIT 16000000 /* of all gaps: some seconds, and 128 MB */

/* The spots of one position. */
struct point {
	const struct pf_spot *first, *end;
	bool found; /* of the profile: by a shift; of the source: by something of the profile's */
	bool first_in_line;
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
	bool edited;  /* lines were put in or taken out */
};

static bool same_position(const struct pf_spot *a, const struct pf_spot *b)
{
	return a->line == b->line && a->column == b->column;
}

/* The points of OUTLINE from the line FIRST on. */
static bool find_points(struct points *points, const struct pf_outline *outline, int32_t first)
{
	const struct pf_spot *spot = outline->at + pf_outline_first(outline, first),
			     *end = outline->at + outline->count;

	points->at = calloc(outline->count, sizeof *points->at);
	while (points->at && spot < end) {
		struct point *p = &points->at[points->count++];

		p->first = spot;
		while (spot < end && same_position(spot, p->first))
			spot++;
		p->end = spot;
		p->first_in_line = points->count == 1 || p[-1].first->line != p->first->line;
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

static bool is_skeleton(const struct point *p)
{
	return decides(p) || calls(p);
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
	int32_t value = PLAIN;

	if (theirs->found || (decides(ours) && !decides(theirs)))
		return 0;
	if (decides(ours) || call_the_same(ours, theirs))
		value = SKELETON;
	else if (calls(ours) && calls(theirs))
		value = OTHER_CALL;
	value += ours->first->column == theirs->first->column ? COLUMN : 0;
	return value + (ours->first_in_line && theirs->first_in_line ? FIRST : 0);
}

/* What it is worth that one position is BY lines below another one, and TODAY by so many. */
static int32_t worth_of_lines(int64_t by, int64_t today)
{
	if (by == today)
		return BELOW;
	return today > 2 * by + FAR_LINES || by > 2 * today + FAR_LINES ? FAR : 0;
}

/* What it is worth that the position before OURS, which is laid on THEIRS, is BEFORE, which is laid on BEHIND. */
static int32_t bond(const struct point *before, const struct point *behind, const struct point *ours,
		    const struct point *theirs)
{
	const struct pf_spot *a = before->first, *b = ours->first, *c = behind->first, *d = theirs->first;
	int64_t apart = ((int64_t)b->column - a->column) - ((int64_t)d->column - c->column);
	int32_t value = worth_of_lines((int64_t)b->line - a->line, (int64_t)d->line - c->line);

	if ((a->line == b->line) != (c->line == d->line))
		return BROKEN;
	if (a->line == b->line)
		return apart == 0 ? SPACED : 0;
	return apart == 0 ? value + LEVEL : apart >= -INDENTATION && apart <= INDENTATION ? value + NEARLY : value;
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

/* The best way that ends with a point of the profile on one of the source. */
struct cell {
	int32_t value; /* NOT_THERE: there is none */
	uint32_t from; /* the cell before, and one; 0: none */
};

/* A gap: ROWS points of the profile, COLUMNS of the source. */
struct gap {
	const struct point *ours, *theirs;
	uint32_t rows, columns;
	struct cell *cells;
	uint32_t *above;   /* the best cell up to each point of the source in the rows above, and one; then in all */
	int32_t *skeleton; /* how many calls and conditions there are before each point of the source, and in all */
	bool is_open, is_whole; /* at an end; at both */
};

static struct cell *cell_at(const struct gap *g, uint32_t i, uint32_t k)
{
	return &g->cells[(size_t)i * g->columns + k];
}

static const struct point *ours_at(const struct gap *g, uint32_t number)
{
	return &g->ours[(number - 1) / g->columns];
}

static const struct point *theirs_at(const struct gap *g, uint32_t number)
{
	return &g->theirs[(number - 1) % g->columns];
}

static uint32_t number_of(const struct gap *g, const struct cell *c)
{
	return (uint32_t)(c - g->cells) + 1;
}

/* What the way to a cell is worth for all that can follow it, whatever that skips. */
static int32_t worth_of(const struct gap *g, uint32_t number)
{
	return g->cells[number - 1].value + SKIPPED * g->skeleton[(number - 1) % g->columns + 1];
}

/* Makes the cell (I, K) follow the cell NUMBER, if that is better. */
static void try_behind(const struct gap *g, uint32_t i, uint32_t k, int32_t here, uint32_t number)
{
	struct cell *c = cell_at(g, i, k);

	if (!number || g->cells[number - 1].value == NOT_THERE)
		return;
	int32_t value = worth_of(g, number) - SKIPPED * g->skeleton[k] + here +
			bond(ours_at(g, number), theirs_at(g, number), &g->ours[i], &g->theirs[k]);

	if (value > c->value) {
		c->value = value;
		c->from = number;
	}
}

static void weigh_cell(const struct gap *g, uint32_t i, uint32_t k)
{
	int32_t here = worth(&g->ours[i], &g->theirs[k]);
	struct cell *c = cell_at(g, i, k);

	c->value = here ? here - SKIPPED * g->skeleton[k] : NOT_THERE;
	for (uint32_t a = 1; here && a <= NEAR && a <= i; a++) {
		for (uint32_t b = 1; b <= NEAR_BY && b <= k; b++)
			try_behind(g, i, k, here, number_of(g, cell_at(g, i - a, k - b)));
	}
	if (here && i && k)
		try_behind(g, i, k, here, g->above[k - 1]);
}

/* The better one of two cells, of which each may be none. */
static uint32_t better_of(const struct gap *g, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a ? a : b;
	return worth_of(g, b) > worth_of(g, a) ? b : a;
}

static void weigh(const struct gap *g)
{
	for (uint32_t k = 0; k < g->columns; k++)
		g->skeleton[k + 1] = g->skeleton[k] + is_skeleton(&g->theirs[k]);
	for (uint32_t i = 0; i < g->rows; i++) {
		for (uint32_t k = 0; k < g->columns; k++)
			weigh_cell(g, i, k);
		for (uint32_t k = 0; k < g->columns; k++) {
			if (k)
				g->above[k] = better_of(g, g->above[k - 1], g->above[k]);
			if (cell_at(g, i, k)->value != NOT_THERE)
				g->above[k] = better_of(g, g->above[k], number_of(g, cell_at(g, i, k)));
		}
	}
}

/* The end of the best way, and one; 0: nothing can be laid. */
static uint32_t last_of(const struct gap *g)
{
	return g->above[g->columns - 1];
}

/* What the best way finds. */
struct finds {
	uint32_t laid, alike; /* in the same column, or as far behind the one before it */
	uint32_t decided;
	bool same_call;
	uint32_t left;     /* calls and conditions of the profile that are left over */
	uint32_t skeleton; /* those that are laid */
};

static struct finds look_at(const struct gap *g)
{
	struct finds f = { 0 };
	uint32_t row = g->rows;

	for (uint32_t at = last_of(g), from; at; at = from) {
		const struct point *ours = ours_at(g, at), *theirs = theirs_at(g, at);

		while (g->ours + --row > ours)
			f.left += is_skeleton(&g->ours[row]);
		from = g->cells[at - 1].from;
		f.laid++;
		f.decided += decides(ours);
		f.skeleton += is_skeleton(ours);
		f.alike += ours->first->column == theirs->first->column ||
			   (from && bond(ours_at(g, from), theirs_at(g, from), ours, theirs) == SPACED);
		f.same_call |= call_the_same(ours, theirs);
	}
	while (row-- > 0)
		f.left += is_skeleton(&g->ours[row]);
	return f;
}

static uint32_t count_decided(const struct gap *g)
{
	uint32_t decided = 0;

	for (uint32_t k = 0; k < g->columns; k++)
		decided += decides(&g->theirs[k]);
	return decided;
}

/* Whether what is laid along the best way is what it was. */
static bool is_held(const struct gap *g, bool edited)
{
	struct finds f = look_at(g);
	uint32_t decided = count_decided(g);
	bool has_conditions = 2 * f.decided >= decided, has_places = 2 * f.alike >= g->rows,
	     has_most = f.laid >= ENOUGH && f.laid >= g->columns - g->columns / 4;

	if (f.left > f.skeleton / LEFT_SHARE)
		return false;
	if (!g->is_open || f.same_call)
		return true;
	return edited &&
	       (has_places || (has_conditions && (f.decided >= FEW || has_most || (g->is_whole && !decided))));
}

/* Places what lies on the best way. */
static int follow(const struct gap *g, struct pf_alignment *into)
{
	int status = PF_OK;

	for (uint32_t at = last_of(g); at && status == PF_OK; at = g->cells[at - 1].from)
		status = place(into, ours_at(g, at), theirs_at(g, at));
	return status;
}

/* Finds the best way through a gap, which release_gap ends; false: there is none, or it is too large, or *STATUS is
 * PF_ENOMEM. */
static bool weigh_gap(struct filling *f, struct gap *g, int *status)
{
	size_t cells = (size_t)g->rows * g->columns;

	if (cells == 0 || cells > f->cells)
		return false;
	f->cells -= cells;
	g->cells = calloc(cells, sizeof *g->cells);
	g->skeleton = calloc((size_t)g->columns + 1, sizeof *g->skeleton);
	g->above = calloc(g->columns, sizeof *g->above);
	if (!g->cells || !g->skeleton || !g->above) {
		*status = PF_ENOMEM;
		return false;
	}
	weigh(g);
	return last_of(g) != 0;
}

static void release_gap(struct gap *g)
{
	free(g->skeleton);
	free(g->above);
	free(g->cells);
}

static int fill_gap(struct filling *f, struct gap *g)
{
	int status = PF_OK;

	if (weigh_gap(f, g, &status) && is_held(g, f->edited))
		status = follow(g, f->alignment);
	release_gap(g);
	return status;
}

static int compare_placed(const void *left, const void *right)
{
	const struct pf_placed *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
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
			   .rows = (uint32_t)((right ? right : end) - ours),
			   .columns = behind > begin ? behind - begin : 0,
			   .is_open = !left || !right,
			   .is_whole = !left && !right };

	return fill_gap(f, &gap);
}

/* What is not placed, in order, is elsewhere now, or gone. */
static int forget_shifts(struct filling *f)
{
	struct pf_alignment *a = f->alignment;
	size_t placed = a->placed.count, k = 0;
	int status = PF_OK;

	for (uint32_t i = 0; i < a->count; i++)
		a->moves[i].gone = true;
	for (uint32_t i = 0; i < f->profile.count && status == PF_OK; i++) {
		const struct point *p = &f->profile.at[i],
				   nowhere = { .first = &(struct pf_spot) { PF_NOWHERE, 0, 0 } };
		if (k < placed && a->placed.at[k].line == p->first->line && a->placed.at[k].column == p->first->column)
			k++;
		else
			status = place(a, p, &nowhere);
	}
	return status;
}

/* What is worth what was found, as ways are weighed. */
static int32_t value_of_found(const struct filling *f)
{
	const struct point *before = NULL, *behind = NULL;
	int32_t value = 0;

	for (uint32_t i = 0; i < f->profile.count; i++) {
		const struct point *ours = &f->profile.at[i], *theirs = &f->source.at[point_of(&f->source, &ours->to)];

		if (!ours->found || (behind && theirs <= behind))
			continue;
		value += worth(ours, theirs);
		for (const struct point *p = behind ? behind + 1 : f->source.at; p < theirs; p++)
			value -= SKIPPED * is_skeleton(p);
		value += before ? bond(before, behind, ours, theirs) : 0;
		before = ours;
		behind = theirs;
	}
	return value;
}

static bool is_mostly_found(const struct filling *f)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < f->profile.count; i++)
		found += f->profile.at[i].found;
	return found >= f->profile.count - f->profile.count / 4;
}

/* The whole function as one gap, if that is worth more than what was found. */
static int fill_whole(struct filling *f)
{
	struct gap gap = { .ours = f->profile.at,
			   .theirs = f->source.at,
			   .rows = f->profile.count,
			   .columns = f->source.count,
			   .is_open = true,
			   .is_whole = true };
	int status = PF_OK;
	int32_t value;

	for (uint32_t k = 0; k < f->source.count; k++)
		f->source.at[k].found = false;
	value = value_of_found(f);
	if (weigh_gap(f, &gap, &status) && gap.cells[last_of(&gap) - 1].value > value && is_held(&gap, f->edited)) {
		f->alignment->placed.count = 0;
		status = follow(&gap, f->alignment);
		pf_array_sort(&f->alignment->placed, compare_placed);
		if (status == PF_OK)
			status = forget_shifts(f);
	}
	release_gap(&gap);
	return status;
}

/* Where shifts find most of a function of which nobody knows an edit, it has none. */
static int fill(struct filling *f)
{
	const struct point *left = NULL;
	int status = PF_OK;
	bool looked_over;

	note_found(f);
	looked_over = !f->edited && is_mostly_found(f);
	for (uint32_t i = 0; i < f->profile.count && status == PF_OK; i++) {
		if (!f->profile.at[i].found)
			continue;
		status = fill_between(f, left, &f->profile.at[i]);
		left = &f->profile.at[i];
	}
	if (status == PF_OK)
		status = fill_between(f, left, NULL);
	pf_array_sort(&f->alignment->placed, compare_placed);
	if (status != PF_OK || looked_over)
		return status;
	note_found(f);
	status = fill_whole(f);
	pf_array_sort(&f->alignment->placed, compare_placed);
	return status;
}

int pf_gaps_fill(const struct pf_outline *profile, bool edited, struct pf_alignment *a)
{
	struct filling f = { .alignment = a, .cells = CELL_LIMIT, .edited = edited };
	int status = PF_ENOMEM;

	/* What lies above the declaration is another function's, of which the compiler lost the scope. */
	int32_t first = a->source->count > 0 && a->source->at[0].line == 0 ? 0 : INT32_MIN;

	if (find_points(&f.profile, profile, first) && find_points(&f.source, a->source, INT32_MIN))
		status = fill(&f);
	free(f.profile.at);
	free(f.source.at);
	return status;
}
