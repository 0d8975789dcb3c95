/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See align.h.  An edit puts lines in, takes some out or brings them elsewhere, and what follows is shifted as a whole.
 * So each line of the profile gets a shift, the same as the line above unless what changes is worth it.  Of all such
 * ways the one is taken that finds most: calls of the same functions (the anchors) count most, then positions.  This is
 * a longest common subsequence with weights, by dynamic programming over lines and shifts: V(line, shift) = likeness +
 * max(V(line above, shift), max of V(line above, any shift) - CHANGE).
 *
 * The hard case is the source that was not edited: not all that machine code says of lines is true (scopes get lost, so
 * that another function's lines look like this one's), and columns coincide by chance.  What is not found where it was
 * costs nothing there, but does under a shift, and to begin a shift costs more than a line of chance gains. */
#include "plugin/align.h"
#include "support/array.h"
#include "support/search.h"

#define FOUND 2             /* a position */
#define ANCHOR 4            /* a call of the same function, beside its position */
#define MISSING 2           /* a position, under a shift */
#define CHANGE 6            /* of the shift from one line to the next */
#define COLUMNS 2           /* columns of a line that are shifted, too */
#define CELL_LIMIT 16000000 /* spots times shifts: some seconds */
#define LINE_LIMIT 64       /* spots of a line whose columns are tried under shifts */
#define NOBODY UINT32_MAX

/* The lines of an outline that has some. */
struct lines {
	const struct pf_outline *outline;
	PF_ARRAY(uint32_t) first; /* the first spot of each, and behind the last one the number of spots */
};

struct table {
	struct lines profile;
	const struct pf_outline *source;
	int32_t least;  /* shift, of shift number 0 */
	uint32_t count; /* shifts */
	int32_t *value; /* of the best way to the line at hand under each shift */
	int32_t *above; /* the same of the line above */
	uint32_t *from; /* for each line and shift: the shift of the line above */
	uint64_t *left; /* spots that shifts of columns may still be tried with */
};

static const struct pf_spot *spot(const struct pf_outline *outline, uint32_t i)
{
	return &outline->at[i];
}

static int32_t last_line(const struct pf_outline *outline)
{
	return spot(outline, (uint32_t)outline->count - 1)->line;
}

static bool find_lines(struct lines *lines, const struct pf_outline *outline)
{
	uint32_t count = (uint32_t)outline->count, *new;

	lines->outline = outline;
	for (uint32_t i = 0; i <= count; i++) {
		if (i > 0 && i < count && spot(outline, i)->line == spot(outline, i - 1)->line)
			continue;
		new = pf_array_push(&lines->first);
		if (!new)
			return false;
		*new = i;
	}
	return true;
}

static uint32_t line_count(const struct lines *lines)
{
	return (uint32_t)lines->first.count - 1;
}

static int32_t line_at(const struct lines *lines, uint32_t line)
{
	return spot(lines->outline, lines->first.at[line])->line;
}

/* How much line LINE of the profile is like the source's that is BY lines below, its columns shifted too; *FOUND are
 * the spots that are there. */
static int32_t likeness_of(const struct table *t, uint32_t line, int32_t by, int32_t columns_by, uint32_t *found)
{
	int32_t value = columns_by ? -COLUMNS : 0;

	*found = 0;
	for (uint32_t i = t->profile.first.at[line]; i < t->profile.first.at[line + 1]; i++) {
		const struct pf_spot *s = spot(t->profile.outline, i);
		bool there = pf_outline_has(t->source, s->line + by, s->column + (uint32_t)columns_by, s->call);

		*found += there;
		if (s->call)
			value += there ? ANCHOR : 0;
		else if (there)
			value += columns_by ? FOUND - 1 : FOUND;
		else
			value -= by || columns_by ? MISSING : 0;
	}
	return value;
}

/* What brings the spot OURS of the profile onto THEIRS of the source, if that is worth a trial: the first position of
 * a line, or a call onto a call of the same function. */
static int32_t columns_between(const struct pf_spot *ours, const struct pf_spot *theirs, bool first)
{
	if (ours->call != theirs->call || !(first || ours->call))
		return 0;
	return (int32_t)(theirs->column - ours->column);
}

/* The best shift of the columns, and what the line is like under it.  One position alone can be brought to any other
 * and says nothing, neither for a shift nor against it. */
static int32_t best_columns(const struct table *t, uint32_t line, int32_t by, int32_t *columns_by)
{
	uint32_t begin = t->profile.first.at[line], end = t->profile.first.at[line + 1], found;
	int32_t best = likeness_of(t, line, by, 0, &found), at = line_at(&t->profile, line) + by;
	uint32_t k = pf_outline_first(t->source, at);

	*columns_by = 0;
	if (end - begin == 1 && best < 0 && k < t->source->count && spot(t->source, k)->line == at)
		return 0;
	for (; end - begin <= LINE_LIMIT && k < t->source->count && spot(t->source, k)->line == at; k++) {
		for (uint32_t i = begin; i < end; i++) {
			int32_t shift = columns_between(spot(t->profile.outline, i), spot(t->source, k), i == begin);
			if (!shift || *t->left < end - begin)
				continue;
			*t->left -= end - begin;
			int32_t value = likeness_of(t, line, by, shift, &found);

			if (value > best && found > 1) {
				best = value;
				*columns_by = shift;
			}
		}
	}
	return best;
}

static int32_t shift_of(const struct table *t, uint32_t number)
{
	return t->least + (int32_t)number;
}

static uint32_t best_shift(const struct table *t, const int32_t *value)
{
	uint32_t best = (uint32_t)-t->least;

	for (uint32_t s = 0; s < t->count; s++)
		best = value[s] > value[best] ? s : best;
	return best;
}

static void add_line(struct table *t, uint32_t line)
{
	uint32_t *from = t->from + (size_t)line * t->count, best;
	int32_t *above = t->value, columns_by;

	t->value = t->above;
	t->above = above;
	best = best_shift(t, above);
	for (uint32_t s = 0; s < t->count; s++) {
		int32_t other = above[best] - CHANGE;
		/* What can be where it was or elsewhere did not move. */
		bool changes = other > above[s] || (other == above[s] && shift_of(t, best) == 0);

		from[s] = changes ? best : s;
		t->value[s] = (changes ? other : above[s]) + best_columns(t, line, shift_of(t, s), &columns_by);
	}
}

static void fill(struct table *t)
{
	for (uint32_t s = 0; s < t->count; s++)
		t->value[s] = shift_of(t, s) == 0 ? 0 : -CHANGE;
	for (uint32_t line = 0; line < line_count(&t->profile); line++)
		add_line(t, line);
}

/* A line whose columns say nothing by themselves is shifted as its NEIGHBOUR is, if that brings it onto the source. */
static void borrow_columns(const struct table *t, struct pf_moved_line *moves, uint32_t line, uint32_t neighbour)
{
	const struct pf_moved_line *from = &moves[neighbour];
	struct pf_moved_line *to = &moves[line];
	uint32_t found;

	if (to->columns_by || to->by != from->by || !from->columns_by)
		return;
	likeness_of(t, line, to->by, 0, &found);
	if (found > 0)
		return;
	likeness_of(t, line, to->by, from->columns_by, &found);
	to->columns_by = found > 0 ? from->columns_by : 0;
}

/* The best way backwards: the shift of each line. */
static void trace(const struct table *t, struct pf_moved_line *moves)
{
	uint32_t at = best_shift(t, t->value), lines = line_count(&t->profile);

	for (uint32_t line = lines; line-- > 0;) {
		moves[line] = (struct pf_moved_line) { line_at(&t->profile, line), shift_of(t, at), 0, false };
		best_columns(t, line, moves[line].by, &moves[line].columns_by);
		at = t->from[(size_t)line * t->count + at];
	}
	for (uint32_t line = 1; line < lines; line++)
		borrow_columns(t, moves, line, line - 1);
	for (uint32_t line = lines; line-- > 1;)
		borrow_columns(t, moves, line - 1, line);
}

/* Of two lines of the profile that are brought to one of the source the less likely one is gone. */
static void drop_rival(const struct table *t, struct pf_moved_line *moves, uint32_t a, uint32_t b)
{
	uint32_t found;
	int32_t of_a = likeness_of(t, a, moves[a].by, moves[a].columns_by, &found);
	int32_t of_b = likeness_of(t, b, moves[b].by, moves[b].columns_by, &found);

	moves[of_a >= of_b ? b : a].gone = true;
}

static void drop_rivals(const struct table *t, struct pf_moved_line *moves, uint32_t *holders)
{
	int32_t first = spot(t->source, 0)->line;
	int64_t lines = (int64_t)last_line(t->source) - first + 1;

	for (int64_t i = 0; i < lines; i++)
		holders[i] = NOBODY;
	for (uint32_t line = 0; line < line_count(&t->profile); line++) {
		int64_t at = (int64_t)moves[line].line + moves[line].by - first;

		if (at < 0 || at >= lines)
			continue;
		if (holders[at] != NOBODY)
			drop_rival(t, moves, holders[at], line);
		if (holders[at] == NOBODY || moves[holders[at]].gone)
			holders[at] = line;
	}
}

/* An alignment that moves nothing is empty. */
static void forget_rest(struct pf_alignment *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->moves[i].by || a->moves[i].columns_by)
			return;
	}
	a->count = 0;
}

/* The shifts that bring any line of the profile onto one of the source; false if these are too many. */
static bool find_shifts(struct table *t)
{
	int64_t least = (int64_t)spot(t->source, 0)->line - last_line(t->profile.outline);
	int64_t most = (int64_t)last_line(t->source) - spot(t->profile.outline, 0)->line;

	least = least < 0 ? least : 0;
	most = most > 0 ? most : 0;
	if ((most - least + 1) > CELL_LIMIT / (int64_t)t->profile.outline->count)
		return false;
	t->least = (int32_t)least;
	t->count = (uint32_t)(most - least + 1);
	return true;
}

static int align(struct table *t, struct pf_alignment *a)
{
	uint64_t left = CELL_LIMIT;
	uint32_t *holders; /* there are at least as many shifts as lines of the source */
	int status = PF_ENOMEM;

	t->left = &left;
	t->value = calloc(t->count, sizeof *t->value);
	t->above = calloc(t->count, sizeof *t->above);
	holders = calloc(t->count, sizeof *holders);
	t->from = calloc((size_t)t->count * line_count(&t->profile), sizeof *t->from);
	a->moves = calloc(line_count(&t->profile), sizeof *a->moves);
	if (t->value && t->above && holders && t->from && a->moves) {
		a->count = line_count(&t->profile);
		fill(t);
		trace(t, a->moves);
		drop_rivals(t, a->moves, holders);
		forget_rest(a);
		status = PF_OK;
	}
	free(t->value);
	free(t->above);
	free(holders);
	free(t->from);
	return status;
}

int pf_align(const struct pf_outline *profile, const struct pf_outline *source, struct pf_alignment *a)
{
	struct table t = { .source = source };
	int status = PF_OK;

	*a = (struct pf_alignment) { .source = source };
	if (profile->count == 0 || source->count == 0)
		return PF_OK;
	if (!find_lines(&t.profile, profile))
		status = PF_ENOMEM;
	else if (find_shifts(&t))
		status = align(&t, a);
	pf_array_fini(&t.profile.first);
	if (status != PF_OK)
		pf_alignment_fini(a);
	return status;
}

bool pf_alignment_moves(const struct pf_alignment *a)
{
	return a->count > 0 || a->placed.count > 0;
}

void pf_alignment_fini(struct pf_alignment *a)
{
	free(a->moves);
	pf_array_fini(&a->placed);
	*a = (struct pf_alignment) { 0 };
}

/* Whether what the call S of the profile calls is called elsewhere in SOURCE, and something else in its place. */
static bool is_called_elsewhere(const struct pf_outline *source, const struct pf_spot *s)
{
	bool elsewhere = false;

	if (!pf_outline_has(source, s->line, s->column, 0) || pf_outline_has(source, s->line, s->column, s->call))
		return false;
	for (size_t i = 0; i < source->count && !elsewhere; i++)
		elsewhere = source->at[i].call == s->call;
	return elsewhere;
}

uint32_t pf_align_missing(const struct pf_outline *profile, const struct pf_outline *source)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < profile->count; i++) {
		const struct pf_spot *s = spot(profile, i);

		if (!s->call)
			missing += !pf_outline_has(source, s->line, s->column, 0);
		else if (s->call != PF_CONDITION)
			missing += is_called_elsewhere(source, s);
	}
	return missing;
}

static const struct pf_moved_line *find_move(const struct pf_alignment *a, int32_t line)
{
	struct pf_search search = pf_search_over(a->count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, a->moves[search.middle].line < line);
	return search.low < a->count && a->moves[search.low].line == line ? &a->moves[search.low] : NULL;
}

static const struct pf_placed *find_placed(const struct pf_alignment *a, const struct pf_position *p)
{
	struct pf_search search = pf_search_over(a->placed.count);

	while (pf_search_goes_on(&search)) {
		const struct pf_placed *at = &a->placed.at[search.middle];

		pf_search_step(&search, at->line < p->line || (at->line == p->line && at->column < p->column));
	}
	if (search.low == a->placed.count)
		return NULL;
	const struct pf_placed *found = &a->placed.at[search.low];
	return found->line == p->line && found->column == p->column ? found : NULL;
}

bool pf_align_position(const struct pf_alignment *a, struct pf_position *p)
{
	const struct pf_moved_line *m = find_move(a, p->line);
	const struct pf_placed *placed = find_placed(a, p);

	if (placed) {
		bool moved = placed->to_line != p->line || placed->to_column != p->column;

		p->line = placed->to_line;
		p->column = placed->to_column;
		return moved && p->line != PF_NOWHERE;
	}

	if (!m || (!m->gone && !m->by && !m->columns_by))
		return false;
	p->line += m->by;
	p->column += (uint32_t)m->columns_by;
	if (!m->gone && pf_outline_has(a->source, p->line, p->column, 0))
		return true;
	p->line = PF_NOWHERE;
	return false;
}

uint32_t pf_align_found(const struct pf_outline *profile, const struct pf_alignment *a)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < profile->count; i++) {
		const struct pf_spot *s = spot(profile, i);
		struct pf_position p = { s->line, s->column, 0 };

		if (s->call)
			continue;
		pf_align_position(a, &p);
		found += pf_outline_has(a->source, p.line, p.column, 0);
	}
	return found;
}
