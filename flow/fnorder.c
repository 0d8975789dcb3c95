/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CDSort.  Two chains are joined for two reasons: calls between them become short, and fewer entries miss a cache of
 * some pages, because what is entered often lies on fewer of them.  The parameters are the published ones.  In the end
 * the chains are put in the order of their density, entries by byte.
 *
 * The hard case is the same result everywhere, as the order becomes part of a file: the powers that the formulas ask
 * for are made of square roots and products, which every machine rounds alike. */
#include "flow/fnorder.h"

#include <math.h>
#include <stdlib.h>

#define CACHE_PAGE 2048.0    /* bytes of an entry of the cache that is modelled; it has 16 entries */
#define FREQUENCY_SCALE 0.25 /* of what fewer misses gain against what shorter calls gain */
#define LONGEST 128          /* functions in a chain that is still joined: the work stays near-linear */

struct cache {
	double all; /* entries to all functions */
};

static double distance_score(uint64_t from, uint64_t to, uint64_t count)
{
	uint64_t distance = from > to ? from - to : to - from;

	return (double)count / sqrt(sqrt(distance ? (double)distance : 0.1));
}

/* The probability that an entry finds none of its page in the cache: none of the last 16 entries was to it. */
static double miss_probability(double weight, double size, double all)
{
	double page = weight / size * CACHE_PAGE, p, square;

	if (page >= all)
		return 0;
	p = 1 - page / all;
	square = p * p;
	square *= square;
	square *= square;
	return square * square;
}

static double misses(double weight, double size, double all)
{
	return weight * miss_probability(weight, size, all);
}

/* What shorter calls gain if chain FIRST stands right before SECOND. */
static double nearness(struct pf_chaining *c, const struct pf_chain *first, const struct pf_chain *second, uint32_t arc)
{
	double sum = 0;

	pf_chaining_place(c, second->nodes, 0, second->count, pf_chaining_place(c, first->nodes, 0, first->count, 0));
	for (; arc != PF_CHAINING_NONE; arc = c->next_arc[arc]) {
		const struct pf_arc *a = &c->arcs[arc];

		sum += distance_score(c->address[a->from] + c->sizes[a->from] / 2, c->address[a->to], a->count);
		c->judged++;
	}
	return sum;
}

static struct pf_join judge(struct pf_chaining *c, uint32_t a, uint32_t b, uint32_t arc)
{
	const struct pf_chain *x = &c->chains[a], *y = &c->chains[b];
	double all = ((const struct cache *)c->objective)->all, fewer, ab, ba;
	double xw = (double)x->weight, yw = (double)y->weight, xs = (double)x->size, ys = (double)y->size;

	if (x->count + y->count > LONGEST)
		return (struct pf_join) { .x = a, .y = b };
	ab = nearness(c, x, y, arc);
	ba = nearness(c, y, x, arc);
	fewer = misses(xw, xs, all) + misses(yw, ys, all) - misses(xw + yw, xs + ys, all);
	return (struct pf_join) { .gain = (ab >= ba ? ab : ba) + FREQUENCY_SCALE * fewer,
				  .how = PF_JOINT_X_Y,
				  .x = ab >= ba ? a : b,
				  .y = ab >= ba ? b : a };
}

int pf_fnorder_sort(uint32_t node_count, const uint64_t *sizes, const uint64_t *weights, const struct pf_arc *arcs,
		    uint32_t arc_count, uint32_t *order)
{
	struct pf_chaining chaining;
	struct cache cache = { 0 };
	int status;

	for (uint32_t i = 0; i < node_count; i++)
		cache.all += (double)weights[i];
	if (pf_chaining_init(&chaining, node_count, sizes, weights, arcs, arc_count) < 0)
		return -1;
	chaining.judge = judge;
	chaining.objective = &cache;
	status = pf_chaining_run(&chaining);
	if (status == 0)
		status = pf_chaining_order(&chaining, PF_CHAINING_NO_HEAD, order);
	pf_chaining_fini(&chaining);
	return status;
}
