/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See followers.h.  Bursts are sorted by where they began; a cut burst takes the nearest in time of those that began
 * behind its cut, since programs have phases.  The hard case is a system call in a function that many others use, as
 * in the C library: a burst that returned to another caller than the cut one was called from is no follower of it, as
 * long as there are others. */
#include "converter/followers.h"

#define NEAR 32               /* candidates looked at on either side in time */
#define MANY 8                /* cuts at one place without a follower: below, that can be chance */
#define INSTRUCTION 15        /* bytes of the longest */
#define SYSCALL_INSTRUCTION 2 /* bytes of syscall, and of its elders */

struct search {
	struct pf_followers *followers;
	const struct pf_ends *ends;
	size_t *order; /* bursts by begin, time */
	size_t count;
};

bool pf_followers_cut(const struct pf_ends *e)
{
	return e->reason != PF_END_LENGTH && e->length > 0;
}

static int by_begin(const void *a, const void *b, void *ends)
{
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const struct pf_ends *x = (const struct pf_ends *)ends + i, *y = (const struct pf_ends *)ends + k;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return i < k ? -1 : i > k;
}

static int by_stop(const void *a, const void *b, void *ends)
{
	const struct pf_ends *x = (const struct pf_ends *)ends + *(const size_t *)a;
	const struct pf_ends *y = (const struct pf_ends *)ends + *(const size_t *)b;

	return x->stop < y->stop ? -1 : x->stop > y->stop;
}

static const struct pf_ends *in_order(const struct search *s, size_t i)
{
	return &s->ends[s->order[i]];
}

/* First in the order that began at PLACE, at TIME or later; or behind both. */
static size_t find(const struct search *s, uint64_t place, uint64_t time)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pf_ends *e = in_order(s, middle);

		if (e->begin < place || (e->begin == place && e->time < time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where the program went on by itself after E was cut. */
static uint64_t resumes_at(const struct search *s, const struct pf_ends *e)
{
	size_t next;

	if (e->stop == PF_NO_PLACE)
		return PF_NO_PLACE;
	if (e->reason == PF_END_SYSCALL)
		return e->stop + SYSCALL_INSTRUCTION;
	if (e->reason != PF_END_UNHANDLED)
		return e->stop;
	next = find(s, e->stop + 1, 0);
	if (next == s->count || in_order(s, next)->begin - e->stop > INSTRUCTION)
		return PF_NO_PLACE;
	return in_order(s, next)->begin;
}

/* How many callers agree before two differ; PF_ENDS_DEPTH if none that both know do. */
static int agreement(const struct pf_ends *cut, const struct pf_ends *candidate)
{
	for (int i = 0; i < cut->call_count && i < candidate->return_count; i++) {
		uint64_t distance = candidate->returns[i] - cut->calls[i];

		if (distance == 0 || distance > INSTRUCTION)
			return i;
	}
	return PF_ENDS_DEPTH;
}

/* Offers number I of the order to burst CUT, whose best so far agree in *BEST callers; it must have begun at PLACE. */
static void offer(struct search *s, size_t cut, uint64_t place, size_t i, int *best)
{
	struct pf_followers *f = &s->followers[cut];
	int agrees;

	if (i >= s->count || in_order(s, i)->begin != place)
		return;
	agrees = agreement(&s->ends[cut], in_order(s, i));
	if (agrees > *best) {
		*best = agrees;
		f->count = 0;
	}
	if (agrees == *best && f->count < PF_FOLLOWERS)
		f->at[f->count++] = s->order[i];
}

/* Takes the nearest in time, alternately after and before. */
static void choose(struct search *s, size_t cut)
{
	uint64_t place = resumes_at(s, &s->ends[cut]);
	size_t middle = find(s, place, s->ends[cut].time);
	int best = -1;

	if (place == PF_NO_PLACE)
		return;
	for (size_t i = 0; i < NEAR; i++) {
		offer(s, cut, place, middle + i, &best);
		offer(s, cut, place, middle > i ? middle - 1 - i : s->count, &best);
	}
	if (s->ends[cut].reason != PF_END_SYSCALL)
		return;
	for (size_t i = find(s, place, 0); i < s->count && in_order(s, i)->begin == place; i++) {
		if (s->followers[s->order[i]].after_call)
			break; /* this place was marked before */
		s->followers[s->order[i]].after_call = true;
	}
}

/* Marks the cut bursts without followers that have many of their kind; the order is of no use afterwards. */
static void find_lonely(struct search *s)
{
	size_t count = 0, end;

	for (size_t i = 0; i < s->count; i++) {
		if (pf_followers_cut(&s->ends[i]) && s->followers[i].count == 0)
			s->order[count++] = i;
	}
	if (count > 1)
		qsort_r(s->order, count, sizeof *s->order, by_stop, (void *)(uintptr_t)s->ends);
	for (size_t i = 0; i < count; i = end) {
		for (end = i; end < count && in_order(s, end)->stop == in_order(s, i)->stop; end++)
			s->followers[s->order[end]].lonely = true;
		for (size_t k = i; k < end && end - i < MANY; k++)
			s->followers[s->order[k]].lonely = false;
	}
}

int pf_followers_find(struct pf_followers *f, const struct pf_ends *ends, size_t count)
{
	struct search s = { .followers = f, .ends = ends, .order = calloc(count + 1, sizeof(size_t)), .count = count };

	if (!s.order)
		return PF_ENOMEM;
	for (size_t i = 0; i < count; i++)
		s.order[i] = i;
	if (count > 1)
		qsort_r(s.order, count, sizeof *s.order, by_begin, (void *)(uintptr_t)ends);
	for (size_t i = 0; i < count; i++) {
		if (pf_followers_cut(&ends[i]))
			choose(&s, i);
	}
	find_lonely(&s);
	free(s.order);
	return PF_OK;
}
