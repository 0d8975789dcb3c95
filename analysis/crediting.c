/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathprofile.h.  The thesis credits a part equally to all paths that have it.  Ours takes into account that some
 * are likelier, and that a long path is cut by a vector's end more often than a short one: each block of a path is as
 * likely to be in a vector as any other, so a part counts as its share of the path's blocks, and the shares of all
 * parts add up to the number of paths without bias.  Which path a part belongs to is estimated from how often each path
 * runs, and that from the parts, in turns (expectation-maximisation), which never makes the whole less likely.
 *
 * The hard case is a part that no whole path has: its ways to both ends are taken as likely as their edges, one by
 * one. */
#include "analysis/matching.h"
#include "analysis/pathprofile.h"
#include "support/search.h"

#include <math.h>

#define MOST_EQUAL 4096.0      /* paths to which one part is credited equally */
#define MOST_WAYS 32u          /* in one direction */
#define LEAST_WAY (1.0 / 256)  /* probability of a way */
#define LEAST_PATH (1.0 / 512) /* of a path, given a part of it */
#define TURNS 50
#define SETTLED 1e-5

struct candidate {
	uint64_t number;
	double base, now, next;
};

/* A part can be of a path. */
struct share {
	size_t partial;
	uint64_t number;
	double prior; /* how likely that is by edges alone */
	double part;  /* of the path's blocks, seen in the part */
	size_t candidate;
};

/* A whole path of the function with its edges. */
struct decoded {
	uint64_t number;
	size_t first;
	uint32_t start, count;
};

struct crediting {
	struct pf_path_profile *profile;
	const struct pf_pathnumber *numbers;
	uint32_t function;
	size_t first_partial, end_partial; /* the function's, in `order` */
	size_t first_whole, end_whole;
	size_t *order;
	PF_ARRAY(struct candidate) candidates;
	PF_ARRAY(struct share) shares;
	PF_ARRAY(struct decoded) decoded;
	PF_ARRAY(uint32_t) edges; /* of the decoded */
	double *frequency;        /* of each edge */
	uint32_t *first,
	    *holders; /* of each edge: the decoded paths that have it, from first[edge] to first[edge + 1] */
	struct pf_matching back, on;
};

static int compare_wholes(const void *a, const void *b)
{
	const struct pf_path_whole *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_places(const void *a, const void *b, void *context)
{
	const struct pf_path_profile *p = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	uint32_t f = p->partials.at[x].function, g = p->partials.at[y].function;

	if (f != g)
		return f < g ? -1 : 1;
	return (x > y) - (x < y);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->partial != y->partial)
		return x->partial < y->partial ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_links(const void *a, const void *b)
{
	const struct pf_path_link *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->before > y->before) - (x->before < y->before);
}

static int add_flow(struct pf_path_profile *p, uint32_t function, uint64_t number, double weight)
{
	struct pf_path_flow *new = pf_array_push(&p->flows);

	if (!new)
		return PF_ENOMEM;
	*new = (struct pf_path_flow) { function, number, weight };
	return PF_OK;
}

static const uint32_t *edges_of(const struct crediting *c, const struct pf_path_partial *partial)
{
	return partial->count ? c->profile->pool.at + partial->first : NULL;
}

static uint32_t last_block(const struct crediting *c, const struct pf_path_partial *partial)
{
	return partial->count ? c->numbers->graph->edges[edges_of(c, partial)[partial->count - 1]].to : partial->start;
}

/* The ways of a part to both ends; one of no length where it has that end already. */
static int find_ways(struct crediting *c, const struct pf_path_partial *partial)
{
	struct pf_matching_way none = { .probability = 1, .ended = true }, *way;
	int status = PF_OK;

	c->back.ways.count = c->on.ways.count = 0;
	if (!partial->head) {
		status = pf_matching_back(&c->back, partial->start);
	} else {
		none.sum = c->numbers->first[partial->start];
		way = pf_array_push(&c->back.ways);
		status = way ? PF_OK : PF_ENOMEM;
		if (way)
			*way = none;
	}
	none.sum = 0;
	if (status == PF_OK && !partial->tail) {
		status = pf_matching_on(&c->on, last_block(c, partial));
	} else if (status == PF_OK) {
		none.ended =
		    partial->count > 0 && pf_pathnumber_is_end(c->numbers, edges_of(c, partial)[partial->count - 1]);
		way = pf_array_push(&c->on.ways);
		status = way ? PF_OK : PF_ENOMEM;
		if (way)
			*way = none;
	}
	return status;
}

static uint64_t sum_of(const struct crediting *c, const struct pf_path_partial *partial)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < partial->count; i++)
		sum += c->numbers->value[edges_of(c, partial)[i]];
	return sum;
}

static int add_share(struct crediting *c, size_t index, uint64_t number, double prior, uint32_t length)
{
	const struct pf_path_partial *partial = &c->profile->partials.at[index];
	struct share *new = pf_array_push(&c->shares);

	if (!new)
		return PF_ENOMEM;
	*new = (struct share) { .partial = index, .number = number, .prior = prior };
	new->part = length > partial->seen ? (double)partial->seen / length : 1;
	return PF_OK;
}

/* The likely paths of a part by edges. */
static int share_by_edges(struct crediting *c, size_t index)
{
	const struct pf_path_partial *partial = &c->profile->partials.at[index];
	uint64_t sum = sum_of(c, partial);
	int status = find_ways(c, partial);

	for (size_t i = 0; i < c->back.ways.count && status == PF_OK; i++) {
		for (size_t k = 0; k < c->on.ways.count && status == PF_OK; k++) {
			const struct pf_matching_way *back = &c->back.ways.at[i], *on = &c->on.ways.at[k];
			double prior = back->probability * on->probability;
			uint32_t edges = back->edges + partial->count + on->edges;

			if (prior >= LEAST_PATH || (c->back.ways.count == 1 && c->on.ways.count == 1))
				status = add_share(c, index, back->sum + sum + on->sum, prior,
						   on->ended ? edges : edges + 1);
		}
	}
	return status;
}

/* Whether a whole path has the part where it must. */
static bool has_part(const struct crediting *c, const struct decoded *d, const struct pf_path_partial *partial)
{
	const uint32_t *edges = c->edges.at + d->first, *part = edges_of(c, partial);
	uint32_t at = 0;

	while (at < d->count && edges[at] != part[0])
		at++;
	return d->count - at >= partial->count && memcmp(edges + at, part, partial->count * sizeof *part) == 0 &&
	       (!partial->head || (at == 0 && d->start == partial->start)) &&
	       (!partial->tail || at + partial->count == d->count);
}

/* The whole paths that have a part, by the rarest of its edges. */
static int share_by_wholes(struct crediting *c, size_t index)
{
	const struct pf_path_partial *partial = &c->profile->partials.at[index];
	const uint32_t *part = edges_of(c, partial);
	uint32_t rarest = part ? part[0] : 0;
	int status = PF_OK;

	for (uint32_t i = 1; i < partial->count; i++) {
		if (c->first[part[i] + 1] - c->first[part[i]] < c->first[rarest + 1] - c->first[rarest])
			rarest = part[i];
	}
	for (uint32_t i = part ? c->first[rarest] : 0; part && i < c->first[rarest + 1] && status == PF_OK; i++) {
		const struct decoded *d = &c->decoded.at[c->holders[i]];

		if (has_part(c, d, partial))
			status = add_share(c, index, d->number, 0,
					   pf_path_length(c->numbers, c->edges.at + d->first, d->count));
	}
	return status;
}

/* Takes the edges of the function's whole paths. */
static int decode_wholes(struct crediting *c)
{
	const struct pf_path_profile *p = c->profile;
	uint32_t *edges = calloc(c->numbers->graph->block_count, sizeof *edges);

	if (!edges)
		return PF_ENOMEM;
	for (size_t i = c->first_whole; i < c->end_whole; i++) {
		struct decoded *d = pf_array_push(&c->decoded);

		if (!d)
			break;
		d->number = p->wholes.at[i].number;
		d->first = c->edges.count;
		d->count = pf_pathnumber_path(c->numbers, d->number, &d->start, edges);
		for (uint32_t k = 0; k < d->count; k++) {
			uint32_t *new = pf_array_push(&c->edges);

			if (!new)
				break;
			*new = edges[k];
			c->frequency[edges[k]] += p->wholes.at[i].whole + p->wholes.at[i].shares;
			c->first[edges[k] + 1]++;
		}
	}
	free(edges);
	return c->decoded.count == c->end_whole - c->first_whole ? PF_OK : PF_ENOMEM;
}

/* Lists for each edge who has it. */
static int index_edges(struct crediting *c)
{
	uint32_t edge_count = c->numbers->graph->edge_count;
	uint32_t *next = calloc((size_t)edge_count + 1, sizeof *next);

	c->holders = calloc(c->edges.count + 1, sizeof *c->holders);
	if (!next || !c->holders) {
		free(next);
		return PF_ENOMEM;
	}
	for (uint32_t e = 0; e < edge_count; e++) {
		c->first[e + 1] += c->first[e];
		next[e] = c->first[e];
	}
	for (uint32_t i = 0; i < c->decoded.count; i++) {
		for (uint32_t k = 0; k < c->decoded.at[i].count; k++)
			c->holders[next[c->edges.at[c->decoded.at[i].first + k]]++] = i;
	}
	free(next);
	return PF_OK;
}

/* One share for each part and path, and one candidate for each path. */
static int list_candidates(struct crediting *c)
{
	const struct pf_path_profile *p = c->profile;
	size_t kept = 0;

	pf_array_sort(&c->shares, compare_shares);
	for (size_t i = 0; i < c->shares.count; i++) {
		if (kept > 0 && compare_shares(&c->shares.at[kept - 1], &c->shares.at[i]) == 0)
			c->shares.at[kept - 1].prior += c->shares.at[i].prior;
		else
			c->shares.at[kept++] = c->shares.at[i];
	}
	c->shares.count = kept;
	for (size_t i = 0; i < c->shares.count + (c->end_whole - c->first_whole); i++) {
		const struct pf_path_whole *w =
		    i < c->shares.count ? NULL : &p->wholes.at[c->first_whole + i - c->shares.count];
		struct candidate *new = pf_array_push(&c->candidates);

		if (!new)
			return PF_ENOMEM;
		new->number = w ? w->number : c->shares.at[i].number;
		new->base = w ? w->whole + w->shares : 0;
	}
	pf_array_sort(&c->candidates, compare_candidates);
	kept = 0;
	for (size_t i = 0; i < c->candidates.count; i++) {
		if (kept > 0 && c->candidates.at[kept - 1].number == c->candidates.at[i].number)
			c->candidates.at[kept - 1].base += c->candidates.at[i].base;
		else
			c->candidates.at[kept++] = c->candidates.at[i];
	}
	c->candidates.count = kept;
	return PF_OK;
}

static size_t find_candidate(const struct crediting *c, uint64_t number)
{
	struct pf_search search = pf_search_over(c->candidates.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, c->candidates.at[search.middle].number < number);
	return search.low;
}

/* Deals the weight of the part whose shares are from FIRST to END: by how often its paths run, as is believed now. */
static void deal(struct crediting *c, size_t first, size_t end)
{
	double weight = c->profile->partials.at[c->shares.at[first].partial].weight, sum = 0, priors = 0;

	for (size_t i = first; i < end; i++) {
		sum += c->candidates.at[c->shares.at[i].candidate].now;
		priors += c->shares.at[i].prior;
	}
	for (size_t i = first; i < end; i++) {
		const struct share *s = &c->shares.at[i];
		struct candidate *x = &c->candidates.at[s->candidate];
		double chance = sum > 0 ? x->now / sum : priors > 0 ? s->prior / priors : 1.0 / (double)(end - first);

		x->next += weight * chance * s->part;
	}
}

/* One turn; by how much it changed what is believed, relative to all. */
static double turn(struct crediting *c)
{
	double change = 0, sum = 0;
	size_t end;

	for (size_t i = 0; i < c->candidates.count; i++)
		c->candidates.at[i].next = c->candidates.at[i].base;
	for (size_t i = 0; i < c->shares.count; i = end) {
		for (end = i; end < c->shares.count && c->shares.at[end].partial == c->shares.at[i].partial;)
			end++;
		deal(c, i, end);
	}
	for (size_t i = 0; i < c->candidates.count; i++) {
		struct candidate *x = &c->candidates.at[i];

		change += fabs(x->next - x->now);
		sum += x->next;
		x->now = x->next;
	}
	return sum > 0 ? change / sum : 0;
}

static int credit_likely(struct crediting *c)
{
	int status = decode_wholes(c);

	if (status == PF_OK)
		status = index_edges(c);
	for (size_t i = c->first_partial; i < c->end_partial; i++) {
		const struct pf_path_partial *partial = &c->profile->partials.at[c->order[i]];

		for (uint32_t k = 0; k < partial->count; k++)
			c->frequency[edges_of(c, partial)[k]] += partial->weight;
	}
	for (size_t i = c->first_partial; i < c->end_partial && status == PF_OK; i++) {
		status = share_by_edges(c, c->order[i]);
		if (status == PF_OK)
			status = share_by_wholes(c, c->order[i]);
	}
	if (status == PF_OK)
		status = list_candidates(c);
	if (status < 0)
		return status;
	for (size_t i = 0; i < c->candidates.count; i++)
		c->candidates.at[i].now = c->candidates.at[i].base;
	for (size_t i = 0; i < c->shares.count; i++) {
		struct share *s = &c->shares.at[i];

		s->candidate = find_candidate(c, s->number);
		c->candidates.at[s->candidate].now += c->profile->partials.at[s->partial].weight * s->prior * s->part;
	}
	for (int i = 0; i < TURNS && turn(c) > SETTLED; i++)
		;
	for (size_t i = 0; i < c->candidates.count && status == PF_OK; i++)
		status = add_flow(c->profile, c->function, c->candidates.at[i].number, c->candidates.at[i].now);
	return status;
}

static int credit_equal(struct crediting *c)
{
	struct pf_path_profile *p = c->profile;
	int status = PF_OK;

	for (size_t i = c->first_whole; i < c->end_whole && status == PF_OK; i++)
		status =
		    add_flow(p, c->function, p->wholes.at[i].number, p->wholes.at[i].whole + p->wholes.at[i].touches);
	for (size_t i = c->first_partial; i < c->end_partial && status == PF_OK; i++) {
		const struct pf_path_partial *partial = &p->partials.at[c->order[i]];
		double back = partial->head ? 1 : (double)c->numbers->ways[partial->start];
		double on = partial->tail ? 1 : (double)c->numbers->ends[last_block(c, partial)];
		uint64_t sum = sum_of(c, partial);

		if (back * on > MOST_EQUAL) {
			p->unspread += partial->weight;
			continue;
		}
		status = find_ways(c, partial);
		for (size_t k = 0; k < c->back.ways.count * c->on.ways.count && status == PF_OK; k++)
			status = add_flow(p, c->function,
					  c->back.ways.at[k / c->on.ways.count].sum + sum +
					      c->on.ways.at[k % c->on.ways.count].sum,
					  partial->weight / (back * on));
	}
	return status;
}

static int credit_function(struct crediting *c, enum pf_path_credit credit)
{
	uint32_t edges = c->numbers->graph->edge_count;
	struct pf_path_profile *p = c->profile;
	int status = PF_OK;

	for (size_t i = c->first_whole; credit == PF_CREDIT_NONE && i < c->end_whole && status == PF_OK; i++)
		status = add_flow(p, c->function, p->wholes.at[i].number, p->wholes.at[i].whole);
	if (credit == PF_CREDIT_NONE)
		return status;
	c->frequency = calloc((size_t)edges + 1, sizeof *c->frequency);
	c->first = calloc((size_t)edges + 2, sizeof *c->first);
	c->back = (struct pf_matching) { .numbers = c->numbers, .most = SIZE_MAX };
	if (credit == PF_CREDIT_LIKELY)
		c->back = (struct pf_matching) {
			.numbers = c->numbers, .frequency = c->frequency, .least = LEAST_WAY, .most = MOST_WAYS
		};
	c->on = c->back;
	status = !c->frequency || !c->first   ? PF_ENOMEM
		 : credit == PF_CREDIT_LIKELY ? credit_likely(c)
					      : credit_equal(c);
	pf_matching_fini(&c->back);
	pf_matching_fini(&c->on);
	pf_array_fini(&c->candidates);
	pf_array_fini(&c->shares);
	pf_array_fini(&c->decoded);
	pf_array_fini(&c->edges);
	free(c->frequency);
	free(c->first);
	free(c->holders);
	c->holders = NULL;
	return status;
}

int pf_path_profile_credit(struct pf_path_profile *p, enum pf_path_credit credit)
{
	struct crediting c = { .profile = p };
	int status = PF_OK;

	c.order = calloc(p->partials.count + 1, sizeof *c.order);
	if (!c.order)
		return PF_ENOMEM;
	for (size_t i = 0; i < p->partials.count; i++)
		c.order[i] = i;
	qsort_r(c.order, p->partials.count, sizeof *c.order, compare_places, p);
	pf_array_sort(&p->wholes, compare_wholes);
	pf_array_sort(&p->links, compare_links);
	for (uint32_t f = 0; f < p->walk.subject->functions.count && status == PF_OK; f++) {
		c.function = f;
		c.first_partial = c.end_partial;
		c.first_whole = c.end_whole;
		while (c.end_partial < p->partials.count && p->partials.at[c.order[c.end_partial]].function == f)
			c.end_partial++;
		while (c.end_whole < p->wholes.count && p->wholes.at[c.end_whole].function == f)
			c.end_whole++;
		c.numbers = &p->walk.numbers[f];
		if (c.end_partial > c.first_partial || c.end_whole > c.first_whole)
			status = credit_function(&c, credit);
	}
	free(c.order);
	pf_path_profile_settle(p);
	return status;
}
