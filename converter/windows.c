/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See windows.h.  The hard case is number: programs have few hot paths and very many that ran once.  A light path is
 * therefore shortened until it is one with others that ended as it did: what is lost is the distant past, and the
 * counts of what ended so stay right. */
#include "converter/windows.h"
#include "converter/traffic.h"

#define LEAST_SHARE 1000         /* a path below 1/1000 of its function's path weight is light */
#define COMPACT_AFTER (1u << 20) /* decisions (32 MB) beyond twice what was kept last */

static int compare_decisions(const struct pf_decision *a, const struct pf_decision *b)
{
	int order = pf_place_compare(&a->from, &b->from);

	return order ? order : pf_place_compare(&a->to, &b->to);
}

/* By the newest decision, then by those before it. */
static int by_decisions(const void *a, const void *b, void *decisions)
{
	const struct pf_window *x = a, *y = b;
	const struct pf_decision *all = decisions;

	for (uint32_t i = 0; i < x->count && i < y->count; i++) {
		int order = compare_decisions(&all[x->last - i], &all[y->last - i]);

		if (order != 0)
			return order;
	}
	return x->count < y->count ? -1 : x->count > y->count;
}

/* Sorts, adds up equal ones, and returns the sum of all. */
static uint64_t rank(struct pf_windows *w)
{
	size_t kept = 0;
	uint64_t total = 0;

	if (w->list.count > 1)
		qsort_r(w->list.at, w->list.count, sizeof *w->list.at, by_decisions, w->decisions.at);
	for (size_t i = 0; i < w->list.count; i++) {
		struct pf_window *last = kept ? &w->list.at[kept - 1] : NULL;

		total = pf_sum(total, w->list.at[i].weight);
		if (last && by_decisions(last, &w->list.at[i], w->decisions.at) == 0)
			last->weight = pf_sum(last->weight, w->list.at[i].weight);
		else
			w->list.at[kept++] = w->list.at[i];
	}
	w->list.count = kept;
	return total;
}

/* How many decisions the windows have, those that they share counted for each. */
static size_t count_decisions(const struct pf_windows *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->list.count; i++)
		count += w->list.at[i].count;
	return count;
}

/* Leaves those COUNT decisions alone, each window's by itself.  PF_ENOMEM. */
static int keep_decisions(struct pf_windows *w, size_t count)
{
	struct pf_decision *kept = calloc(count + 1, sizeof *kept);
	size_t at = 0;

	if (!kept)
		return PF_ENOMEM;
	for (size_t i = 0; i < w->list.count; i++) {
		struct pf_window *window = &w->list.at[i];

		memcpy(kept + at, &w->decisions.at[window->last + 1 - window->count], window->count * sizeof *kept);
		at += window->count;
		window->last = (uint32_t)(at - 1);
	}
	free(w->decisions.at);
	w->decisions.at = kept;
	w->decisions.count = at;
	w->decisions.capacity = count + 1;
	return PF_OK;
}

/* Of a million sequences of one function most say what others said: so equal windows are added up whenever the
 * decisions have doubled, and those that no window needs any more are dropped.  PF_ENOMEM. */
static int compact(struct pf_windows *w)
{
	size_t needed;
	int status = PF_OK;

	rank(w);
	needed = count_decisions(w);
	if (needed < w->decisions.count)
		status = keep_decisions(w, needed);
	w->compacted = w->decisions.count;
	return status;
}

int pf_windows_add(struct pf_windows *w, uint32_t first, uint32_t fresh, uint64_t weight)
{
	for (uint32_t i = fresh; i < w->decisions.count; i++) {
		struct pf_window *new = pf_array_push(&w->list);

		if (!new)
			return PF_ENOMEM;
		*new = (struct pf_window) { i, i + 1 - first, weight };
		if (new->count > PF_PATH_DECISIONS)
			new->count = PF_PATH_DECISIONS;
	}
	return w->decisions.count > 2 * w->compacted + COMPACT_AFTER ? compact(w) : PF_OK;
}

/* Whether X ends with the last COUNT decisions of Y. */
static bool ends_alike(const struct pf_windows *w, const struct pf_window *x, const struct pf_window *y, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && i < x->count &&
	       compare_decisions(&w->decisions.at[x->last - i], &w->decisions.at[y->last - i]) == 0)
		i++;
	return i == count;
}

/* The windows from I on that end with as many as COUNT decisions of that: where they stop, and their weight. */
static size_t group(const struct pf_windows *w, size_t i, uint32_t count, uint64_t *weight)
{
	size_t end = i;

	for (*weight = 0; end < w->list.count && ends_alike(w, &w->list.at[end], &w->list.at[i], count); end++)
		*weight = pf_sum(*weight, w->list.at[end].weight);
	/* What has saturated is lighter than the highest limit, too, so that reducing comes to an end. */
	*weight -= *weight == UINT64_MAX;
	return end;
}

/* Shortens every window to the longest end that is not lighter than LEAST, to nothing where there is none.  The windows
 * that go on to end alike stay together. */
static void shorten_light(struct pf_windows *w, uint64_t least)
{
	for (uint32_t length = PF_PATH_DECISIONS; length > 0; length--) {
		for (size_t i = 0, end; i < w->list.count; i = end) {
			uint64_t weight;

			end = i + 1;
			if (w->list.at[i].count < length)
				continue;
			end = group(w, i, length, &weight);
			for (size_t k = i; k < end && weight < least; k++)
				w->list.at[k].count = length - 1;
		}
	}
}

static void drop_empty(struct pf_windows *w, struct pf_windows_lost *lost)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->list.count; i++) {
		if (w->list.at[i].count > 0) {
			w->list.at[kept++] = w->list.at[i];
		} else {
			lost->count++;
			lost->weight = pf_sum(lost->weight, w->list.at[i].weight);
		}
	}
	w->list.count = kept;
}

struct pf_windows_lost pf_windows_reduce(struct pf_windows *w, size_t most)
{
	struct pf_windows_lost lost = { 0 };
	uint64_t least = rank(w) / LEAST_SHARE + 1;

	do {
		shorten_light(w, least);
		drop_empty(w, &lost);
		rank(w);
		least = pf_sum(least, least);
	} while (w->list.count > most);
	return lost;
}

void pf_windows_fini(struct pf_windows *w)
{
	pf_array_fini(&w->list);
	pf_array_fini(&w->decisions);
}
