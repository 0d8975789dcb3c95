/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See landmarks.h.  An edit moves all that stands below it, and leaves the order of functions.  So what is declared
 * between two functions of the profile is between these today, and moved as the one above it or as the one below, by
 * the side of the edit that it is on.  Where all of a file was laid out anew it is as far between the two as it was.
 *
 * The hard case is the function that was moved past others: it contradicts their order.  The landmarks are the most
 * functions that contradict none of each other, a longest non-decreasing subsequence. */
#include "plugin/landmarks.h"
#include "support/search.h"

#include <stdlib.h>

#define NONE UINT32_MAX

int pf_landmarks_add(struct pf_landmarks *landmarks, uint32_t profiled, uint32_t today)
{
	struct pf_landmark *new = pf_array_push(&landmarks->list);

	if (!new)
		return PF_ENOMEM;
	*new = (struct pf_landmark) { profiled, today };
	landmarks->settled = false;
	return PF_OK;
}

void pf_landmarks_fini(struct pf_landmarks *landmarks)
{
	pf_array_fini(&landmarks->list);
	*landmarks = (struct pf_landmarks) { 0 };
}

static int compare(const void *left, const void *right)
{
	const struct pf_landmark *a = left, *b = right;

	if (a->profiled != b->profiled)
		return a->profiled < b->profiled ? -1 : 1;
	return (a->today > b->today) - (a->today < b->today);
}

/* The longest chain that ends with each landmark: LAST[k] is the one that ends a chain of k + 1 at the lowest line. */
static uint32_t find_chains(const struct pf_landmark *at, uint32_t count, uint32_t *last, uint32_t *before)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct pf_search search = pf_search_over(longest);

		while (pf_search_goes_on(&search))
			pf_search_step(&search, at[last[search.middle]].today <= at[i].today);
		before[i] = search.low > 0 ? last[search.low - 1] : NONE;
		last[search.low] = i;
		longest += search.low == longest;
	}
	return longest;
}

/* Keeps the longest chain. */
static void keep(struct pf_landmarks *landmarks, uint32_t *last, uint32_t *before)
{
	struct pf_landmark *at = landmarks->list.at;
	uint32_t longest = find_chains(at, (uint32_t)landmarks->list.count, last, before);
	uint32_t end = longest > 0 ? last[longest - 1] : NONE;

	for (uint32_t k = longest; k-- > 0; end = before[end])
		last[k] = end;
	for (uint32_t k = 0; k < longest; k++)
		at[k] = at[last[k]];
	landmarks->list.count = longest;
}

static void settle(struct pf_landmarks *landmarks)
{
	size_t count = landmarks->list.count;
	uint32_t *last = calloc(count + 1, sizeof *last), *before = calloc(count + 1, sizeof *before);

	pf_array_sort(&landmarks->list, compare);
	if (last && before)
		keep(landmarks, last, before);
	else
		landmarks->list.count = 0;
	free(last);
	free(before);
	landmarks->settled = true;
}

/* How far TODAY is from where PROFILED is between ABOVE and BELOW. */
static uint32_t distance_between(const struct pf_landmark *above, const struct pf_landmark *below, uint32_t profiled,
				 uint32_t today)
{
	int64_t part = (int64_t)profiled - above->profiled, all = (int64_t)below->profiled - above->profiled;
	int64_t expected = above->today + part * ((int64_t)below->today - above->today) / all;

	return (uint32_t)(today > expected ? today - expected : expected - today);
}

/* The first landmark below PROFILED, or the number of them. */
static size_t find_below(struct pf_landmarks *landmarks, uint32_t profiled)
{
	if (!landmarks->settled)
		settle(landmarks);
	struct pf_search search = pf_search_over(landmarks->list.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, landmarks->list.at[search.middle].profiled <= profiled);
	return search.low;
}

/* Differences of lines wrap alike. */
static uint32_t shift_of(const struct pf_landmark *landmark)
{
	return landmark->today - landmark->profiled;
}

uint32_t pf_landmarks_distance(struct pf_landmarks *landmarks, uint32_t profiled, uint32_t today)
{
	size_t next = find_below(landmarks, profiled);
	const struct pf_landmark *at = landmarks->list.at, *above = next > 0 ? &at[next - 1] : NULL,
				 *below = next < landmarks->list.count ? &at[next] : NULL;

	if (!above && !below)
		return today == profiled ? 0 : UINT32_MAX;
	if ((above && today < above->today) || (below && today > below->today))
		return UINT32_MAX;
	above = above ? above : below;
	below = below ? below : above;
	uint32_t shift = today - profiled, first = shift_of(above), second = shift_of(below);

	if (shift == first || shift == second)
		return 0;
	if (above == below)
		return shift - first < first - shift ? shift - first : first - shift;
	return distance_between(above, below, profiled, today);
}

bool pf_landmarks_edited(struct pf_landmarks *landmarks, uint32_t profiled, uint32_t today)
{
	size_t next = find_below(landmarks, profiled), count = landmarks->list.count, edited = 0;
	const struct pf_landmark *at = landmarks->list.at;

	if (count == 0)
		return false;
	if (next == count || profiled == 0)
		return shift_of(&at[count - 1]) != 0;
	for (size_t i = 1; i < count; i++)
		edited += shift_of(&at[i]) != shift_of(&at[i - 1]);
	return shift_of(&at[next]) != today - profiled || 2 * edited >= count;
}
