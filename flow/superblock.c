/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See superblock.h.  A seed is an edge into a join.  From it a trace grows along the most likely successor given the
 * decisions that are certain on the way to it, and every block of the trace is judged as if it were copied: the copy
 * has the probabilities given the path, the original keeps the rest, and what this saves is the difference of the
 * branches that must be taken.  For one block that is never negative (the greatest of a sum is not above the sum of the
 * greatest), so that only size stands against it.  The trace is cut where the saving minus the price of the size is
 * greatest.  The ways out of the copies, which know more of their past than the original's, are the next seeds.
 *
 * The hard case is a path profile that does not fit the branch any more: after inlining, in an unrolled copy, with the
 * condition turned around.  Where the paths' share of each way is not the graph's, they are not asked. */
#include "flow/superblock.h"
#include "support/array.h"

#define NONE UINT32_MAX
#define MOST_BLOCKS 32 /* of a trace */
#define MOST_WAYS PF_HISTORY_WAYS
#define MOST_STEPS 64  /* backwards, when the past of a seed is looked for */
#define TOLERANCE 0.25 /* of the paths' shares against the graph's: half the sum of the differences */

struct block {
	uint64_t count;
	uint32_t origin;
	uint32_t first_way, way_count; /* in work.ways */
	uint32_t first_in;             /* edge, NONE */
};

struct edge {
	uint64_t count;
	uint32_t from, to, origin;
	uint32_t next_in; /* another edge to the same block, NONE */
};

struct work {
	const struct pf_superblock_task *task;
	PF_ARRAY(struct block) blocks;
	PF_ARRAY(struct edge) edges;
	PF_ARRAY(uint32_t) ways; /* edges, those out of one block together */
	PF_ARRAY(uint32_t) seeds;
	PF_ARRAY(struct pf_superblock_copy) copies;
	bool *told; /* of each block of the task: the paths know its branch */
	uint64_t size;
	double saved;
};

struct past {
	uint32_t decisions[PF_HISTORY_DECISIONS]; /* newest last */
	uint32_t length;
};

/* A block that may be copied. */
struct step {
	uint32_t block, way;       /* the way that the trace goes on by */
	uint64_t parts[MOST_WAYS]; /* of its edges, that are the copy's */
	uint64_t count;
};

struct trace {
	struct step steps[MOST_BLOCKS];
	uint32_t length;
	uint64_t size;
	double saved;
};

static const struct edge *way_of(const struct work *w, const struct block *b, uint32_t i)
{
	return &w->edges.at[w->ways.at[b->first_way + i]];
}

static uint32_t decision_of(const struct work *w, const struct edge *e)
{
	return w->task->decisions[e->origin];
}

static void remember(struct past *past, uint32_t decision)
{
	if (past->length == PF_HISTORY_DECISIONS - 1)
		memmove(past->decisions, past->decisions + 1, --past->length * sizeof *past->decisions);
	past->decisions[past->length++] = decision;
}

/* Whether the paths know all ways out of the block, and have the same shares of them as the graph. */
static bool is_told(const struct work *w, const struct block *b)
{
	uint64_t counts[MOST_WAYS];
	double total = 0, distance = 0;

	if (b->way_count < 2 || b->way_count > MOST_WAYS || !b->count)
		return false;
	for (uint32_t i = 0; i < b->way_count; i++) {
		uint32_t decision = decision_of(w, way_of(w, b, i));

		counts[i] = decision ? pf_history_count(w->task->history, &decision, 1) : 0;
		if (!decision)
			return false;
		total += (double)counts[i];
	}
	for (uint32_t i = 0; i < b->way_count && total > 0; i++) {
		double difference = (double)counts[i] / total - (double)way_of(w, b, i)->count / (double)b->count;

		distance += difference < 0 ? -difference / 2 : difference / 2;
	}
	return total > 0 && distance <= TOLERANCE;
}

static int take_graph(struct work *w)
{
	const struct pf_graph *g = w->task->graph;

	for (uint32_t b = 0; b < g->block_count; b++) {
		struct block *block = pf_array_push(&w->blocks);

		if (!block)
			return -1;
		*block = (struct block) { g->blocks[b].count, b, g->out_first[b], g->out_first[b + 1] - g->out_first[b],
					  NONE };
		for (uint32_t i = g->out_first[b]; i < g->out_first[b + 1]; i++) {
			uint32_t *way = pf_array_push(&w->ways);

			if (!way)
				return -1;
			*way = g->out_edges[i];
		}
	}
	for (uint32_t e = 0; e < g->edge_count; e++) {
		struct edge *edge = pf_array_push(&w->edges);

		if (!edge)
			return -1;
		*edge = (struct edge) { g->edges[e].count, g->edges[e].from, g->edges[e].to, e,
					w->blocks.at[g->edges[e].to].first_in };
		w->blocks.at[edge->to].first_in = e;
	}
	w->told = calloc(g->block_count, sizeof *w->told);
	for (uint32_t b = 0; w->told && b < g->block_count; b++)
		w->told[b] = is_told(w, &w->blocks.at[b]);
	return w->told ? 0 : -1;
}

/* The edge by which all of BLOCK's count comes, or NONE. */
static uint32_t only_way_in(const struct work *w, uint32_t block)
{
	uint32_t found = NONE;

	for (uint32_t e = w->blocks.at[block].first_in; e != NONE; e = w->edges.at[e].next_in) {
		if (w->edges.at[e].count && found != NONE)
			return NONE;
		if (w->edges.at[e].count)
			found = e;
	}
	return found;
}

/* The decisions that are certain to have led to SEED. */
static struct past past_of(const struct work *w, uint32_t seed)
{
	uint32_t newest_first[PF_HISTORY_DECISIONS], count = 0;
	struct past past = { 0 };

	for (unsigned steps = 0; seed != NONE && count < PF_HISTORY_DECISIONS - 1 && steps < MOST_STEPS; steps++) {
		uint32_t decision = decision_of(w, &w->edges.at[seed]);

		if (decision)
			newest_first[count++] = decision;
		seed = only_way_in(w, w->edges.at[seed].from);
	}
	while (count > 0)
		remember(&past, newest_first[--count]);
	return past;
}

/* The probabilities of the ways out of block B at the end of PAST. */
static void predict(const struct work *w, const struct block *b, const struct past *past, double *given)
{
	uint32_t decisions[MOST_WAYS];

	for (uint32_t i = 0; i < b->way_count; i++) {
		given[i] = (double)way_of(w, b, i)->count / (double)b->count;
		decisions[i] = decision_of(w, way_of(w, b, i));
	}
	if (w->told[b->origin])
		pf_history_predict(w->task->history, past->decisions, past->length, decisions, b->way_count,
				   w->task->prior, given);
}

/* Gives COUNT of block B to its copy, spread over the ways as GIVEN, and no way more than it has. */
static void spread(const struct work *w, const struct block *b, uint64_t count, const double *given, uint64_t *parts)
{
	uint64_t left = count;

	for (uint32_t i = 0; i < b->way_count; i++) {
		uint64_t most = way_of(w, b, i)->count, wanted = (uint64_t)((double)count * given[i] + 0.5);

		parts[i] = wanted < most ? wanted : most;
		parts[i] = parts[i] < left ? parts[i] : left;
		left -= parts[i];
	}
	for (uint32_t i = 0; i < b->way_count && left; i++) {
		uint64_t room = way_of(w, b, i)->count - parts[i], more = room < left ? room : left;

		parts[i] += more;
		left -= more;
	}
}

/* How many more branches of B fall through if PARTS of its ways are the copy's. */
static double saving(const struct work *w, const struct block *b, const uint64_t *parts)
{
	uint64_t all = 0, copy = 0, rest = 0;

	for (uint32_t i = 0; i < b->way_count; i++) {
		uint64_t count = way_of(w, b, i)->count;

		all = count > all ? count : all;
		copy = parts[i] > copy ? parts[i] : copy;
		rest = count - parts[i] > rest ? count - parts[i] : rest;
	}
	return (double)copy + (double)rest - (double)all;
}

/* Whether BLOCK closes a circle: the trace, or what leads into it, would be split by its own copies. */
static bool is_in(const struct work *w, const struct trace *t, uint32_t seed, uint32_t block)
{
	uint32_t i = 0;

	while (i < t->length && w->blocks.at[t->steps[i].block].origin != w->blocks.at[block].origin)
		i++;
	return i < t->length || block == w->edges.at[seed].from;
}

/* Judges BLOCK, of which COUNT come from the trace, as the next of T. */
static const struct step *add_step(struct work *w, struct trace *t, uint32_t block, uint64_t count,
				   const struct past *past)
{
	struct block *b = &w->blocks.at[block];
	struct step *s = &t->steps[t->length++];
	double given[MOST_WAYS];

	*s = (struct step) { .block = block, .count = count < b->count ? count : b->count };
	predict(w, b, past, given);
	spread(w, b, s->count, given, s->parts);
	for (uint32_t i = 1; i < b->way_count; i++) {
		if (s->parts[i] > s->parts[s->way])
			s->way = i;
	}
	t->size += w->task->sizes[b->origin] ? w->task->sizes[b->origin] : 1;
	t->saved += saving(w, b, s->parts);
	return s;
}

static bool may_copy(const struct work *w, uint32_t block)
{
	const struct block *b = &w->blocks.at[block];

	return !w->task->fixed[b->origin] && b->origin != w->task->graph->entry && b->origin != w->task->graph->exit &&
	       b->way_count <= MOST_WAYS && b->count;
}

/* Cuts T where most is gained. */
static void grow(struct work *w, struct trace *t, uint32_t seed, struct past past)
{
	struct trace now = { 0 };
	uint32_t block = w->edges.at[seed].to;
	uint64_t count = w->edges.at[seed].count;

	while (count && now.length < MOST_BLOCKS && may_copy(w, block) && !is_in(w, &now, seed, block)) {
		const struct step *s = add_step(w, &now, block, count, &past);
		const struct block *b = &w->blocks.at[block];

		if (now.size > w->task->budget - w->size)
			break;
		if (now.saved - w->task->price * (double)now.size > t->saved - w->task->price * (double)t->size)
			*t = now;
		if (!b->way_count || (double)s->parts[s->way] < w->task->least * (double)s->count)
			break;
		const struct edge *e = way_of(w, b, s->way);
		if (w->task->rigid[e->origin])
			break;
		if (decision_of(w, e))
			remember(&past, decision_of(w, e));
		block = e->to;
		count = s->parts[s->way];
	}
}

static void lead(struct work *w, uint32_t edge, uint32_t to)
{
	uint32_t *link = &w->blocks.at[w->edges.at[edge].to].first_in;

	while (*link != edge)
		link = &w->edges.at[*link].next_in;
	*link = w->edges.at[edge].next_in;
	w->edges.at[edge].next_in = w->blocks.at[to].first_in;
	w->edges.at[edge].to = to;
	w->blocks.at[to].first_in = edge;
}

/* The copy's edge beside edge OLD, with PART of its count. */
static int split_edge(struct work *w, uint32_t old, uint32_t copy, uint64_t part)
{
	struct edge *e = pf_array_push(&w->edges);
	uint32_t *way = pf_array_push(&w->ways), *seed = pf_array_push(&w->seeds);

	if (!e || !way || !seed)
		return -1;
	*e = w->edges.at[old];
	e->count = part;
	e->from = copy;
	e->next_in = w->blocks.at[e->to].first_in;
	w->blocks.at[e->to].first_in = *way = *seed = (uint32_t)(w->edges.count - 1);
	w->edges.at[old].count -= part;
	return 0;
}

/* Copies the block of S behind edge ENTRY, which becomes the edge by which the trace goes on. */
static int copy_block(struct work *w, const struct step *s, uint32_t *entry)
{
	uint32_t copy = (uint32_t)w->blocks.count, first = (uint32_t)w->ways.count;
	struct pf_superblock_copy *made = pf_array_push(&w->copies);
	struct block *b = pf_array_push(&w->blocks);

	if (!made || !b)
		return -1;
	*made = (struct pf_superblock_copy) { w->edges.at[*entry].from, s->block, copy };
	*b = w->blocks.at[s->block];
	b->count = s->count;
	b->first_in = NONE;
	b->first_way = first;
	w->blocks.at[s->block].count -= s->count;
	for (uint32_t i = 0; i < b->way_count; i++) {
		if (split_edge(w, w->ways.at[w->blocks.at[s->block].first_way + i], copy, s->parts[i]) != 0)
			return -1;
	}
	lead(w, *entry, copy);
	*entry = b->way_count ? w->ways.at[first + s->way] : NONE;
	return 0;
}

static int try_seed(struct work *w, uint32_t seed)
{
	const struct edge *e = &w->edges.at[seed];

	if (!e->count || w->task->rigid[e->origin] || only_way_in(w, e->to) != NONE)
		return 0;
	struct past past = past_of(w, seed);
	if (!past.length)
		return 0;
	struct trace best = { 0 };
	grow(w, &best, seed, past);
	for (uint32_t i = 0; i < best.length; i++) {
		if (copy_block(w, &best.steps[i], &seed) != 0)
			return -1;
	}
	w->size += best.size;
	w->saved += best.saved;
	return 0;
}

struct heated {
	uint64_t count;
	uint32_t edge;
};

static int hottest_first(const void *a, const void *b)
{
	const struct heated *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* One round: the seeds there are, by heat; those that come up are for the next. */
static int sow(struct work *w)
{
	size_t count = w->seeds.count;
	struct heated *order = calloc(count, sizeof *order);
	int status = order ? 0 : -1;

	for (size_t i = 0; i < count && order; i++)
		order[i] = (struct heated) { w->edges.at[w->seeds.at[i]].count, w->seeds.at[i] };
	if (order)
		qsort(order, count, sizeof *order, hottest_first);
	w->seeds.count = 0;
	for (size_t i = 0; i < count && status == 0; i++)
		status = try_seed(w, order[i].edge);
	free(order);
	return status;
}

static int give_result(const struct work *w, struct pf_superblocks *result)
{
	const struct pf_graph *old = w->task->graph;
	struct pf_graph *g = pf_graph_alloc((uint32_t)w->blocks.count, old->entry, old->exit);

	result->graph = g;
	if (!g)
		return -1;
	for (uint32_t b = 0; b < g->block_count; b++) {
		g->blocks[b] = old->blocks[w->blocks.at[b].origin];
		g->blocks[b].count = w->blocks.at[b].count;
	}
	for (size_t i = 0; i < w->edges.count; i++) {
		const struct edge *e = &w->edges.at[i];
		uint32_t made = pf_graph_add_edge(g, e->from, e->to);

		if (made == NONE)
			return -1;
		g->edges[made] = old->edges[e->origin];
		g->edges[made].from = e->from;
		g->edges[made].to = e->to;
		g->edges[made].count = e->count;
	}
	result->size = w->size;
	result->saved = w->saved;
	return pf_graph_finish(g);
}

int pf_superblocks_form(const struct pf_superblock_task *task, struct pf_superblocks *result)
{
	struct work w = { .task = task };
	int status = take_graph(&w);

	*result = (struct pf_superblocks) { 0 };
	for (uint32_t e = 0; e < task->graph->edge_count && status == 0; e++) {
		uint32_t *seed = pf_array_push(&w.seeds);

		status = seed ? 0 : -1;
		if (seed)
			*seed = e;
	}
	while (status == 0 && w.seeds.count && w.size < task->budget)
		status = sow(&w);
	if (status == 0)
		status = give_result(&w, result);
	result->copies = w.copies.at;
	result->count = (uint32_t)w.copies.count;
	if (status != 0)
		pf_superblocks_fini(result);
	pf_array_fini(&w.blocks);
	pf_array_fini(&w.edges);
	pf_array_fini(&w.ways);
	pf_array_fini(&w.seeds);
	free(w.told);
	return status;
}

void pf_superblocks_fini(struct pf_superblocks *result)
{
	free(result->copies);
	pf_graph_free(result->graph);
	*result = (struct pf_superblocks) { 0 };
}
