/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See followers.h.  Bursts are sorted by where they began; a cut burst is followed in turn by those that began behind
 * its cut, the nearest in time if there are very many, since programs have phases.  Not by the nearest few: they might
 * all end where they began, and whoever follows followers would never come out.
 *
 * The hard case is a system call in a function that many others use, as in the C library: a burst that returned to
 * another caller than the cut one was called from does not follow it, as long as there are others. */
#include "converter/followers.h"
#include "support/search.h"

#define NEAR 64               /* candidates on either side in time */
#define STRIDE 7919u          /* neighbours in time do not follow each other in turn; a prime larger than 2 * NEAR */
#define MANY 8                /* cuts at one place without a follower: below, that can be chance */
#define INSTRUCTION 15        /* bytes of the longest */
#define SYSCALL_INSTRUCTION 2 /* bytes of syscall, and of its elders */

/* Whether the burst with these ends was cut at something, and not just over. */
static bool was_cut(const struct pf_ends *e)
{
	return e->reason != PF_END_LENGTH && e->length > 0;
}

/* Did the cut take time of which nothing is the program's own: the kernel's, or that of a handler behind a fault? */
static bool took_time(const struct pf_ends *e)
{
	return e->reason == PF_END_SYSCALL || e->reason == PF_END_UNHANDLED || e->reason == PF_END_FAULT;
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

static const struct pf_ends *in_order(const struct pf_following *f, size_t i)
{
	return &f->ends[f->order[i]];
}

/* First in the order that began at PLACE, at TIME or later; or behind both. */
static size_t find(const struct pf_following *f, uint64_t place, uint64_t time)
{
	struct pf_search search = pf_search_over(f->count);

	while (pf_search_goes_on(&search)) {
		const struct pf_ends *e = in_order(f, search.middle);

		pf_search_step(&search, e->begin < place || (e->begin == place && e->time < time));
	}
	return search.low;
}

/* Where the program went on by itself after E was cut. */
static uint64_t resumes_at(const struct pf_following *f, const struct pf_ends *e)
{
	size_t next;

	if (e->stop == PF_NO_PLACE)
		return PF_NO_PLACE;
	if (e->reason == PF_END_SYSCALL)
		return e->stop + SYSCALL_INSTRUCTION;
	if (e->reason != PF_END_UNHANDLED)
		return e->stop;
	next = find(f, e->stop + 1, 0);
	if (next == f->count || in_order(f, next)->begin - e->stop > INSTRUCTION)
		return PF_NO_PLACE;
	return in_order(f, next)->begin;
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

/* Looks for the best that there is among the candidates of burst CUT, which began at PLACE. */
static void choose(struct pf_following *f, size_t cut)
{
	const struct pf_ends *e = &f->ends[cut];
	struct pf_followers *of = &f->of[cut];
	uint64_t place = resumes_at(f, e);
	size_t begin = find(f, place, 0), middle = find(f, place, e->time), end = middle;

	if (place == PF_NO_PLACE)
		return;
	while (end < f->count && end - middle < NEAR && in_order(f, end)->begin == place)
		end++;
	of->first = middle - begin > NEAR ? middle - NEAR : begin;
	of->count = (uint32_t)(end - of->first);
	for (size_t i = of->first; i < end; i++) {
		int agrees = agreement(e, in_order(f, i));

		of->agreement = agrees > of->agreement ? agrees : of->agreement;
	}
	for (size_t i = begin; took_time(e) && i < f->count && in_order(f, i)->begin == place; i++) {
		if (f->of[f->order[i]].after_call)
			break; /* this place was marked before */
		f->of[f->order[i]].after_call = true;
	}
}

static bool is_cut_alone(const struct pf_following *f, size_t burst)
{
	return was_cut(&f->ends[burst]) && f->of[burst].count == 0;
}

/* Marks the cut bursts without followers that have many of their kind. */
static int find_lonely(struct pf_following *f)
{
	size_t *alone = calloc(f->count + 1, sizeof *alone), count = 0, end;

	if (!alone)
		return PF_ENOMEM;
	for (size_t i = 0; i < f->count; i++) {
		if (is_cut_alone(f, i))
			alone[count++] = i;
	}
	if (count > 1)
		qsort_r(alone, count, sizeof *alone, by_stop, (void *)(uintptr_t)f->ends);
	for (size_t i = 0; i < count; i = end) {
		end = i;
		while (end < count && f->ends[alone[end]].stop == f->ends[alone[i]].stop)
			end++;
		for (size_t k = i; k < end; k++)
			f->of[alone[k]].lonely = end - i >= MANY;
	}
	free(alone);
	return PF_OK;
}

int pf_following_find(struct pf_following *f, const struct pf_ends *ends, size_t count)
{
	*f = (struct pf_following) { .ends = ends, .count = count };
	f->order = calloc(count + 1, sizeof *f->order);
	f->of = calloc(count + 1, sizeof *f->of);
	if (!f->order || !f->of)
		return PF_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		f->order[i] = i;
		f->of[i].after_call = ends[i].after_wait;
	}
	if (count > 1)
		qsort_r(f->order, count, sizeof *f->order, by_begin, (void *)(uintptr_t)ends);
	for (size_t i = 0; i < count; i++) {
		if (was_cut(&ends[i]))
			choose(f, i);
	}
	pf_following_rewind(f);
	return find_lonely(f);
}

void pf_following_fini(struct pf_following *f)
{
	free(f->order);
	free(f->of);
	*f = (struct pf_following) { 0 };
}

/* Each burst begins with another candidate, or the first ones would follow all. */
void pf_following_rewind(struct pf_following *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->of[i].turn = (uint32_t)i;
}

size_t pf_following_next(struct pf_following *f, size_t burst)
{
	struct pf_followers *of = &f->of[burst];

	for (uint32_t i = 0; i < of->count; i++) {
		size_t candidate = f->order[of->first + of->turn++ * STRIDE % of->count];

		if (agreement(&f->ends[burst], &f->ends[candidate]) >= of->agreement)
			return candidate;
	}
	return PF_NO_BURST;
}
