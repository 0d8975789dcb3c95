/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking up positions.  Records are sorted by node, line, column and discriminator, so that every weaker key is a
 * contiguous range of them.  The hard case is the weaker key: a position that the profiled compiler optimised away
 * may still be known through its neighbours on the line, but only if these all say the same. */
#include "plugin/match.h"
#include "profile/compiled.h"
#include "support/filename.h"
#include "support/search.h"

#include <string.h>

#define TAIL_LIMIT 64 /* components of a path that are compared */

bool pf_counts_agree(uint64_t a, uint64_t b)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	return high - low <= low / 8 + 2;
}

static int compare_key(const struct pf_record *r, const struct pf_place *place, unsigned depth)
{
	const struct pf_position *a = &r->place.position, *b = &place->position;

	if (r->place.node != place->node)
		return r->place.node < place->node ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (depth > 1 && a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (depth > 2 && a->discriminator != b->discriminator)
		return a->discriminator < b->discriminator ? -1 : 1;
	return 0;
}

/* Records equal to PLACE in its first DEPTH keys (1 line, 2 column, 3 discriminator): [*FIRST, return). */
static uint32_t find_range(const struct pf_function *f, const struct pf_place *place, unsigned depth, uint32_t *first)
{
	struct pf_search low = pf_search_over(f->record_count), high = low;

	while (pf_search_goes_on(&low))
		pf_search_step(&low, compare_key(&f->records[low.middle], place, depth) < 0);
	while (pf_search_goes_on(&high))
		pf_search_step(&high, compare_key(&f->records[high.middle], place, depth) <= 0);
	*first = (uint32_t)low.low;
	return (uint32_t)high.low;
}

static bool range_agrees(const struct pf_function *f, uint32_t first, uint32_t last)
{
	for (uint32_t i = first + 1; i < last; i++) {
		if (!pf_counts_agree(f->records[first].count, f->records[i].count))
			return false;
	}
	return first < last;
}

struct pf_match pf_match_record(const struct pf_function *function, const struct pf_place *place)
{
	struct pf_match match = { PF_MATCH_NONE, NULL };
	uint32_t first, last = find_range(function, place, 3, &first);

	if (first < last) {
		match.kind = PF_MATCH_EXACT;
	} else {
		last = find_range(function, place, 2, &first);
		if (range_agrees(function, first, last)) {
			match.kind = PF_MATCH_COLUMN;
		} else if (first == last) {
			last = find_range(function, place, 1, &first);
			if (range_agrees(function, first, last))
				match.kind = PF_MATCH_LINE;
		}
	}
	if (match.kind != PF_MATCH_NONE)
		match.record = &function->records[first];
	return match;
}

uint32_t pf_match_column(const struct pf_function *function, const struct pf_place *place, uint32_t *first)
{
	return find_range(function, place, 2, first);
}

static bool has_name(const char *name, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static bool same_site(const struct pf_position *a, const struct pf_position *b)
{
	return a->line == b->line && (a->column == b->column || !a->column || !b->column);
}

uint32_t pf_match_instance(const struct pf_function *function, uint32_t parent, const struct pf_position *site,
			   const char *const *names, unsigned name_count, uint32_t line)
{
	uint32_t by_name = UINT32_MAX, by_line = UINT32_MAX;
	unsigned lines = 0;

	for (uint32_t i = parent + 1; i < function->node_count; i++) {
		const struct pf_node *node = &function->nodes[i];
		bool on_line = line && node->line == line;

		if (node->parent != parent || !same_site(&node->site, site))
			continue;
		if (has_name(node->name, names, name_count)) {
			if (on_line)
				return i;
			if (by_name == UINT32_MAX)
				by_name = i;
		}
		if (on_line) {
			by_line = i;
			lines++;
		}
	}
	if (by_name != UINT32_MAX)
		return by_name;
	return lines == 1 ? by_line : UINT32_MAX;
}

bool pf_match_same_file(const char *a, const char *b)
{
	return a && b && strcmp(pf_filename_base(a), pf_filename_base(b)) == 0;
}

/* How many components at their ends two paths have in common, up to a limit. */
static int common_tail(const char *a, const char *b)
{
	size_t i = strlen(a), k = strlen(b);
	int found = 0;

	while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
		i--;
		k--;
		found += a[i] == '/';
	}
	return found + ((i == 0 || a[i - 1] == '/') && (k == 0 || b[k - 1] == '/') && i + k > 0);
}

bool pf_match_can_be(const char *profiled, uint32_t line, const char *file, uint32_t line_today,
		     enum pf_linkage linkage)
{
	bool same_line = line == line_today;

	if (!*profiled)
		return same_line;
	if (linkage == PF_ELSEWHERE)
		return same_line || pf_match_same_file(profiled, file);
	if (linkage == PF_LOCAL && same_line)
		return pf_match_same_file(profiled, file);
	return pf_compiled_alike(profiled, file);
}

const struct pf_function *pf_match_function(const struct pf_function *functions, uint32_t count, const char *file,
					    uint32_t line, enum pf_linkage linkage, bool *stale)
{
	const struct pf_function *found = NULL;
	int best = -1;
	bool tie = false;

	*stale = false;
	for (uint32_t i = 0; i < count; i++) {
		const struct pf_function *f = &functions[i];
		int same_file = pf_match_same_file(f->file, file), same_line = f->line == line;
		int same_name = same_file && strcmp(f->file, file) == 0;
		int score = (same_name * 3 + same_file * 2 + same_line * 2) * TAIL_LIMIT;

		if (linkage != PF_PUBLIC && !pf_match_can_be(f->file, f->line, file, line, linkage))
			continue;
		if (same_file) {
			int tail = common_tail(f->file, file);

			score += tail < TAIL_LIMIT ? tail : TAIL_LIMIT - 1;
		}
		tie = score == best || (tie && score < best);
		if (score > best) {
			best = score;
			found = f;
		}
	}
	if (!found || tie || (count > 1 && best < 2 * TAIL_LIMIT))
		return NULL;
	*stale = found->line && found->line != line;
	return found;
}
