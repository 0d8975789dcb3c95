/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See reach.h and doc/sampling.md.  Each burst hands its weight on, where it was cut, to one of its followers, which
 * hands it on in turn, until so many branches are passed as all bursts are to have: the horizon.
 *
 * The hard case is the horizon.  A long one rests on the few bursts that began behind a cut, or on nothing where none
 * did; a short one throws away what was recorded.  So both errors are estimated for each horizon: what is missing, and
 * how far two halves of the completed recording disagree. */
#include "converter/reach.h"
#include "converter/ends.h"
#include "converter/followers.h"
#include "converter/shadow.h"
#include "support/search.h"

#define LEAST_HORIZON 16u    /* below, neighbouring blocks of one loop would not share a burst */
#define PARTS 4              /* followers that share what one burst hands on */
#define CLEARLY 0.75         /* a shorter horizon must bring the error down to this: the estimate is noisy */
#define DISTRUST 0.05        /* error of what others show: those that were long in a system call show too much of it */
#define ENOUGH 0.1           /* lacking so little, bursts are not made shorter: the estimate is noisier */
#define NEGLIGIBLE 0.01      /* share that is missing for no chance */
#define FEWEST 8             /* bursts without which there is nothing to complete */
#define MOST_WEIGHT 1e18     /* of one branch: weights in a file may be hostile */
#define GRANTS_PER_BRANCH 16 /* memory: very short bursts are not completed to any length */

struct solving {
	struct pf_reach *reach;
	const struct pf_reach_input *input;
	struct pf_ends *ends;
	struct pf_following following;
	size_t count;
	double branches; /* recorded */
	double recorded; /* the same with their weights */
	double starts;   /* weight of the bursts that are completed */
	double missing;  /* weight of what nobody knows */
	double biased;   /* that part of it which is no chance */
};

/* Whether burst I began at a moment of the program's own, and saw something. */
static bool is_start(const struct solving *s, size_t i)
{
	return !s->following.of[i].after_call && s->ends[i].length > 0;
}

/* PF_ELIMIT when the horizon asks for too many. */
static int grant(struct solving *s, size_t burst, uint64_t weight, uint32_t length)
{
	struct pf_reach_grant *g;

	if ((double)s->reach->grants.count > (s->branches + (double)s->count) * GRANTS_PER_BRANCH)
		return PF_ELIMIT;
	g = pf_array_push(&s->reach->grants);
	if (!g)
		return PF_ENOMEM;
	*g = (struct pf_reach_grant) { burst, weight, length };
	return PF_OK;
}

/* Hands WEIGHT on from where BURST was cut, for LENGTH more branches. */
static int hand_on(struct solving *s, size_t burst, uint64_t weight, uint32_t length)
{
	int status = PF_OK;

	while (status == PF_OK && length > 0) {
		size_t next = pf_following_next(&s->following, burst);

		if (next == PF_NO_BURST)
			break;
		burst = next;
		status = grant(s, burst, weight, length);
		length -= length < s->ends[burst].length ? length : s->ends[burst].length;
	}
	s->missing += (double)weight * length;
	s->biased += s->following.of[burst].lonely ? (double)weight * length : 0;
	return status;
}

/* Gives BURST its own weight, and hands on in parts what it lacks to HORIZON. */
static int complete(struct solving *s, size_t burst, uint32_t horizon)
{
	const struct pf_ends *e = &s->ends[burst];
	uint64_t part = e->weight / PARTS;
	int status = grant(s, burst, e->weight, horizon);

	if (e->length >= horizon)
		return status;
	for (int i = 1; i < PARTS && status == PF_OK; i++)
		status = hand_on(s, burst, part, horizon - e->length);
	return status < 0 ? status : hand_on(s, burst, e->weight - (PARTS - 1) * part, horizon - e->length);
}

static int by_burst(const void *a, const void *b)
{
	const struct pf_reach_grant *x = a, *y = b;

	if (x->burst != y->burst)
		return x->burst < y->burst ? -1 : 1;
	return x->length < y->length ? -1 : x->length > y->length;
}

static int complete_all(struct solving *s, uint32_t horizon)
{
	struct pf_reach *r = s->reach;
	int status = PF_OK;

	r->grants.count = 0;
	r->horizon = horizon;
	s->missing = s->biased = 0;
	pf_following_rewind(&s->following);
	for (size_t i = 0; i < s->count && status == PF_OK; i++)
		status = is_start(s, i) ? complete(s, i, horizon) : PF_OK;
	pf_array_sort(&r->grants, by_burst);
	r->missing = s->missing / (s->starts * horizon);
	r->scale = s->recorded / (s->starts * horizon - s->missing);
	return status;
}

/* Adds to *DISTANCE how far the completed recording's halves, as DEALT, are from each other. */
static int disagreement(const struct solving *s, const struct pf_halves *dealt, double *distance)
{
	const struct pf_reach_input *in = s->input;
	size_t edges = in->own->count;
	uint64_t *halves = calloc(2 * edges + 1, sizeof *halves);

	if (!halves)
		return PF_ENOMEM;
	for (size_t i = 0; i < s->count; i++) {
		const struct pf_vec_burst *b = &in->vectors->bursts[i];
		struct pf_reach_walk walk = pf_reach_walk(s->reach, i, s->ends[i].weight);
		uint64_t *half = halves + edges * pf_halves_deal(dealt, b->time);

		for (uint32_t k = 0; k < b->edge_count; k++) {
			uint32_t id =
			    b->edges[k] < in->vectors->edge_count ? in->own->numbers[b->edges[k]] : PF_NO_EDGE;
			uint64_t weight = pf_reach_next(&walk);

			if (id != PF_NO_EDGE)
				half[id] = pf_sum(half[id], weight);
		}
	}
	*distance += 1 - pf_halves_overlap(halves, halves + edges, edges);
	free(halves);
	return PF_OK;
}

/* Share of what the starts ask for up to HORIZON that they recorded themselves. */
static double own_share(const struct solving *s, uint32_t horizon)
{
	double own = 0;

	for (size_t i = 0; i < s->count; i++) {
		uint32_t length = s->ends[i].length < horizon ? s->ends[i].length : horizon;

		own += is_start(s, i) ? (double)s->ends[i].weight * length : 0;
	}
	return own / (s->starts * horizon);
}

/* Completes to HORIZON.  *ERROR is the error to be expected then, as a share of all weight: what is missing stands
 * where it should not, two halves are twice as far from each other as the whole is from the truth, and what others show
 * is not quite what followed. */
static int try_horizon(struct solving *s, uint32_t horizon, double *error)
{
	struct pf_halves dealt = s->input->halves;
	unsigned deals = pf_halves_deals(s->count);
	double distance = 0;
	int status = complete_all(s, horizon);

	for (dealt.deal = 0; dealt.deal < deals && status == PF_OK; dealt.deal++)
		status = disagreement(s, &dealt, &distance);
	distance /= deals;
	s->reach->completed = 1 - s->reach->missing - own_share(s, horizon);
	*error = s->biased / (s->starts * horizon) + distance / 2 + s->reach->completed * DISTRUST;
	return status;
}

static int choose_horizon(struct solving *s)
{
	uint32_t nominal = s->input->vectors->nominal_length, best = 0;
	double least = 0, error;
	int status = PF_OK;

	/* Of a file that says that no branches were asked for, nothing is known of what its bursts lack. */
	for (uint32_t horizon = nominal; horizon > 0 && (horizon >= LEAST_HORIZON || horizon == nominal);
	     horizon /= 2) {
		status = try_horizon(s, horizon, &error);
		if (status == PF_ELIMIT)
			continue;
		if (status < 0)
			return status;
		if (best == 0 || error < least * CLEARLY) {
			least = error;
			best = horizon;
		}
		if (s->reach->completed + s->reach->missing < ENOUGH && s->biased < NEGLIGIBLE * s->starts * horizon)
			break;
	}
	return best > 0 ? try_horizon(s, best, &error) : PF_ELIMIT;
}

/* Without anything to start from, or too much to follow, the bursts are left as they are. */
static void leave_alone(struct pf_reach *r)
{
	pf_reach_fini(r);
	*r = (struct pf_reach) { .scale = 1 };
}

static int solve(struct solving *s)
{
	const struct pf_reach_input *in = s->input;
	size_t starts = 0, followers = 0;
	int status;

	for (size_t i = 0; i < s->count; i++) {
		s->ends[i] = pf_ends_of(in->vectors, in->traffic, in->ids, &in->vectors->bursts[i]);
		s->ends[i].weight = in->weights[i];
	}
	status = pf_following_find(&s->following, s->ends, s->count);
	for (size_t i = 0; status == PF_OK && i < s->count; i++) {
		s->branches += s->ends[i].length;
		s->recorded += (double)s->ends[i].weight * s->ends[i].length;
	}
	if (status == PF_OK)
		status = pf_shadow_weigh(
		    &(struct pf_shadow_input) { in->vectors, in->traffic, in->ids, s->following.of, s->count },
		    s->ends);
	for (size_t i = 0; status == PF_OK && i < s->count; i++) {
		s->starts += is_start(s, i) ? (double)s->ends[i].weight : 0;
		starts += is_start(s, i);
		followers += s->following.of[i].after_call && s->ends[i].length > 0;
	}
	if (status == PF_OK && starts >= FEWEST)
		status = choose_horizon(s);
	if (status < 0 || s->reach->grants.count == 0)
		leave_alone(s->reach);
	if (starts < FEWEST && followers >= FEWEST)
		s->reach->baseless = followers;
	if (status == PF_ELIMIT)
		status = PF_OK;
	return status;
}

/* Is none cut short, and did each begin at a moment of the program's own? */
static bool all_whole(const struct pf_vectors *v)
{
	for (uint64_t i = 0; i < v->burst_count; i++) {
		if (v->bursts[i].after_wait)
			return false;
		if (v->bursts[i].end_reason != PF_END_LENGTH && v->bursts[i].edge_count < v->nominal_length)
			return false;
	}
	return true;
}

int pf_reach_solve(struct pf_reach *r, const struct pf_reach_input *input)
{
	struct solving s = { .reach = r, .input = input, .count = input->vectors->burst_count };
	int status;

	*r = (struct pf_reach) { .scale = 1 };
	if (all_whole(input->vectors))
		return PF_OK;
	s.ends = calloc(s.count, sizeof *s.ends);
	status = s.ends ? solve(&s) : PF_ENOMEM;
	free(s.ends);
	pf_following_fini(&s.following);
	return status;
}

void pf_reach_fini(struct pf_reach *r)
{
	pf_array_fini(&r->grants);
}

/* First grant of BURST or a later one. */
static size_t find_grant(const struct pf_reach *r, size_t burst)
{
	struct pf_search search = pf_search_over(r->grants.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, r->grants.at[search.middle].burst < burst);
	return search.low;
}

struct pf_reach_walk pf_reach_walk(const struct pf_reach *r, size_t burst, uint64_t weight)
{
	struct pf_reach_walk w = { .reach = r, .weight = weight };

	if (r->horizon == 0)
		return w;
	w.grant = w.end = find_grant(r, burst);
	w.weight = 0;
	while (w.end < r->grants.count && r->grants.at[w.end].burst == burst)
		w.weight = pf_sum(w.weight, r->grants.at[w.end++].weight);
	return w;
}

uint64_t pf_reach_next(struct pf_reach_walk *w)
{
	double scaled;

	while (w->grant < w->end && w->reach->grants.at[w->grant].length <= w->index)
		w->weight -= w->reach->grants.at[w->grant++].weight;
	w->index++;
	if (w->reach->horizon == 0)
		return w->weight;
	scaled = (double)w->weight * w->reach->scale + 0.5;
	return scaled < 1 ? 1 : scaled > MOST_WEIGHT ? (uint64_t)MOST_WEIGHT : (uint64_t)scaled;
}
