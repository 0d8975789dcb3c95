/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See shadow.h.  Followers show which stretches of code run first behind calls, and how many branches run from call to
 * call: so it is known what share of all branches each stretch is.  Bursts begin in proportion to time, so a stretch in
 * which far more begin than this share is slow; where there are many of them with a burst or two in each, all together
 * are.
 *
 * The hard case is code that is in a shadow now and then and hot otherwise, as a loop that is entered behind a read():
 * its bursts are its own, and stay, though the straight code from the call into the loop runs through its first turn.
 * And followers are drawn by the time of their calls, so that the shares are half or twice what they should be: what is
 * not twice too much stays, too. */
#include "converter/shadow.h"
#include "support/array.h"
#include "support/search.h"

#define SLOW 2.0       /* bursts in a slow stretch, for each that is expected */
#define SURE 3.0       /* standard deviations that there are more */
#define FEWEST_LIT 8.0 /* bursts outside of all shadows, without which nothing is known of how many there should be */
#define MOST_SHADED .5 /* of all branches: where all is in a shadow, it is as fast as all */

/* Straight code in a shadow.  In order, and none overlaps another. */
struct stretch {
	uint32_t module;
	uint64_t begin, end; /* first and last instruction */
	double runs;         /* in the shadows of followers: of the branches in it, or of what leads behind it */
	double bursts, weight;
};

struct shadows {
	const struct pf_shadow_input *input;
	struct pf_ends *ends;
	double *behind, *shaded; /* runs of each edge of the traffic: in followers, and in their first branches */
	double followers, cuts, branches; /* their number, of which so many were cut, and what they ran */
	PF_ARRAY(struct stretch) stretches;
	double lit_bursts, lit_weight, lit_cuts; /* starts outside of all stretches; so many of them were cut */
	double lit_share;                        /* of all branches */
	double rate;                             /* calls for each branch */
};

static uint32_t edge_of(const struct pf_shadow_input *in, const struct pf_vec_burst *b, uint32_t i)
{
	return b->edges[i] < in->vectors->edge_count ? in->ids[b->edges[i]] : PF_NO_EDGE;
}

static void count_follower(struct shadows *s, const struct pf_vec_burst *b)
{
	double repeat = (double)b->repeat;

	s->followers += repeat;
	s->cuts += b->end_reason != PF_END_LENGTH ? repeat : 0;
	s->branches += repeat * b->edge_count;
	for (uint32_t i = 0; i < b->edge_count; i++) {
		uint32_t id = edge_of(s->input, b, i);

		if (id == PF_NO_EDGE)
			continue;
		s->behind[id] += repeat;
		s->shaded[id] += i < PF_SHADOW_BRANCHES ? repeat : 0;
	}
}

/* Where straight code begins, or has ended. */
struct border {
	uint32_t module;
	uint64_t place;
	double behind, shaded; /* how many runs more, or fewer, there are from here on */
};

static int by_place(const void *a, const void *b)
{
	const struct border *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The instructions that followers run in a shadow more often than not, of COUNT borders in order. */
static int sweep(struct shadows *s, const struct border *borders, size_t count)
{
	struct stretch *open = NULL;
	double behind = 0, shaded = 0, ended = 0;

	for (size_t i = 0; i < count; i++) {
		const struct border *b = &borders[i];

		behind += b->behind;
		shaded += b->shaded;
		ended -= b->shaded < 0 ? b->shaded : 0;
		if (i + 1 < count && by_place(b, b + 1) == 0)
			continue;
		/* The counts are whole numbers, and the sums of them exact. */
		bool dark = 2 * shaded > behind;
		if (open) {
			open->end = b->place - 1;
			open->runs = ended > open->runs ? ended : open->runs;
		}
		if (!dark) {
			open = NULL;
		} else if (!open) {
			open = pf_array_push(&s->stretches);
			if (!open)
				return PF_ENOMEM;
			*open = (struct stretch) { .module = b->module, .begin = b->place };
			ended = 0;
		}
		if (open)
			open->runs = shaded > open->runs ? shaded : open->runs;
	}
	return PF_OK;
}

static int find_stretches(struct shadows *s)
{
	size_t edges = s->input->traffic->edges.count, count = 0;
	struct border *borders = calloc(2 * edges + 1, sizeof *borders);
	int status;

	if (!borders)
		return PF_ENOMEM;
	for (size_t id = 0; id < edges; id++) {
		const struct pf_traffic_edge *e = &s->input->traffic->edges.at[id];

		if (s->behind[id] == 0 || e->from < e->start || e->from == UINT64_MAX || e->from_module == PF_NO_MODULE)
			continue;
		borders[count++] = (struct border) { e->from_module, e->start, s->behind[id], s->shaded[id] };
		borders[count++] = (struct border) { e->from_module, e->from + 1, -s->behind[id], -s->shaded[id] };
	}
	if (count > 1)
		qsort(borders, count, sizeof *borders, by_place);
	status = sweep(s, borders, count);
	free(borders);
	return status;
}

/* The stretch that start I began in; NULL if it began elsewhere or is no start. */
static struct stretch *shadow_of(struct shadows *s, size_t i)
{
	const struct pf_vec_burst *b = &s->input->vectors->bursts[i];
	uint32_t id = b->edge_count && !s->input->of[i].after_call ? edge_of(s->input, b, 0) : PF_NO_EDGE;
	const struct pf_traffic_edge *e = id == PF_NO_EDGE ? NULL : &s->input->traffic->edges.at[id];
	struct pf_search search = pf_search_over(e ? s->stretches.count : 0);
	struct stretch *found;

	while (pf_search_goes_on(&search)) {
		const struct stretch *middle = &s->stretches.at[search.middle];

		pf_search_step(&search, middle->module < e->from_module ||
					    (middle->module == e->from_module && middle->end < e->start));
	}
	found = e && search.low < s->stretches.count ? &s->stretches.at[search.low] : NULL;
	return found && found->module == e->from_module && found->begin <= e->start ? found : NULL;
}

static void count_starts(struct shadows *s)
{
	for (size_t i = 0; i < s->input->count; i++) {
		const struct pf_vec_burst *b = &s->input->vectors->bursts[i];
		struct stretch *in = shadow_of(s, i);

		if (s->input->of[i].after_call || b->edge_count == 0)
			continue;
		*(in ? &in->bursts : &s->lit_bursts) += (double)b->repeat;
		*(in ? &in->weight : &s->lit_weight) += (double)s->ends[i].weight;
		s->lit_cuts += in || b->end_reason == PF_END_LENGTH ? 0 : (double)b->repeat;
	}
}

/* Of all branches that run, those in the shadows of so many followers. */
static double share_of(const struct shadows *s, double runs)
{
	return runs / s->followers * s->rate;
}

/* How many calls there are for each branch.  Followers run from call to call.  Of those that were over before, nothing
 * is known but that, where calls are further apart than bursts are long; but of as many branches behind a start there
 * is one in which it is cut as often as there are calls, or more seldom, if they come in swarms.  So neither is too
 * much. */
static void find_rate(struct shadows *s)
{
	double behind_starts = s->lit_bursts * s->input->vectors->nominal_length;
	double by_starts = behind_starts > 0 ? s->lit_cuts / behind_starts : 0;
	double by_followers = (s->cuts + 1) / (s->branches + 1);

	s->rate = by_starts > by_followers ? by_starts : by_followers;
	s->lit_share = 1;
	for (size_t i = 0; i < s->stretches.count; i++)
		s->lit_share -= share_of(s, s->stretches.at[i].runs);
}

/* What part of its weight each burst keeps that began in STRETCH: less than 1 if that is slow. */
static double keeps(const struct shadows *s, const struct stretch *stretch)
{
	double share = share_of(s, stretch->runs) / s->lit_share, most = SLOW * share * s->lit_bursts;
	double above = stretch->bursts - most;

	/* Where hardly one is expected, one is no sign. */
	if (stretch->weight <= SLOW * share * s->lit_weight || above <= 0 || above * above <= SURE * SURE * (most + 1))
		return 1;
	return share * s->lit_weight / stretch->weight;
}

/* Those in which too few began to tell by themselves, as one. */
static struct stretch the_faint(const struct shadows *s)
{
	struct stretch all = { 0 };

	for (size_t i = 0; i < s->stretches.count; i++) {
		const struct stretch *one = &s->stretches.at[i];

		if (keeps(s, one) < 1)
			continue;
		all.runs += one->runs;
		all.bursts += one->bursts;
		all.weight += one->weight;
	}
	return all;
}

static void weigh(struct shadows *s)
{
	struct stretch faint = the_faint(s);
	double together = keeps(s, &faint);

	for (size_t i = 0; i < s->input->count; i++) {
		const struct stretch *in = shadow_of(s, i);
		double alone = in ? keeps(s, in) : 1;
		double weight = (double)s->ends[i].weight * (alone < 1 ? alone : together);

		if (in)
			s->ends[i].weight = weight < 1 ? 1 : (uint64_t)weight;
	}
}

int pf_shadow_weigh(const struct pf_shadow_input *input, struct pf_ends *ends)
{
	size_t edges = input->traffic->edges.count;
	struct shadows s = { .input = input, .ends = ends, .behind = calloc(2 * edges + 1, sizeof *s.behind) };
	int status = s.behind ? PF_OK : PF_ENOMEM;

	/* In short bursts all is at their begin. */
	if (status == PF_OK && input->vectors->nominal_length >= 4 * PF_SHADOW_BRANCHES) {
		s.shaded = s.behind + edges;
		for (size_t i = 0; i < input->count; i++) {
			if (input->of[i].after_call)
				count_follower(&s, &input->vectors->bursts[i]);
		}
		status = find_stretches(&s);
	}
	if (status == PF_OK && s.stretches.count) {
		count_starts(&s);
		find_rate(&s);
		if (s.lit_bursts >= FEWEST_LIT && s.lit_share >= 1 - MOST_SHADED)
			weigh(&s);
	}
	free(s.behind);
	pf_array_fini(&s.stretches);
	return status;
}
