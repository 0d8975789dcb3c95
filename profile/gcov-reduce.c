/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts rows and folds the neighbours.  Hard case: one call at several discriminators is one call, whose targets add
 * up; two calls on one line are two, of which one is chosen. */
#include "profile/gcov-reduce.h"
#include "profile/saturate.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_line(const struct pf_gcov_row *x, const struct pf_gcov_row *y)
{
	int order = compare(x->instance, y->instance);

	return order ? order : compare(x->offset, y->offset);
}

static int by_function(const struct pf_gcov_row *x, const struct pf_gcov_row *y)
{
	int order = by_line(x, y);

	return order ? order : compare(x->function, y->function);
}

static int by_call(const struct pf_gcov_row *x, const struct pf_gcov_row *y)
{
	int order = by_function(x, y);

	if (!order)
		order = compare(x->node, y->node);
	return order ? order : compare(x->column, y->column);
}

static int sort_by_function(const void *a, const void *b)
{
	return by_function(a, b);
}

static int sort_by_call(const void *a, const void *b)
{
	const struct pf_gcov_row *x = a, *y = b;
	int order = by_call(x, y);

	return order ? order : compare(x->name, y->name);
}

static int sort_by_name(const void *a, const void *b)
{
	const struct pf_gcov_row *x = a, *y = b;
	int order = by_line(x, y);

	return order ? order : compare(x->name, y->name);
}

/* Folds neighbours that SORT finds equal into one whose count is their sum, or the highest. */
static void fold(struct pf_gcov_rows *rows, int (*sort)(const void *a, const void *b), bool add)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		struct pf_gcov_row *row = &rows->items[i], *last = kept ? &rows->items[kept - 1] : NULL;

		if (!last || sort(last, row) != 0)
			rows->items[kept++] = *row;
		else if (add)
			last->count = pf_count_add(last->count, row->count);
		else if (row->count > last->count)
			last->count = row->count;
	}
	rows->count = kept;
}

static int sort_by_line(const void *a, const void *b)
{
	return by_line(a, b);
}

void pf_gcov_reduce_lines(struct pf_gcov_rows *rows)
{
	qsort(rows->items, rows->count, sizeof *rows->items, sort_by_function);
	fold(rows, sort_by_function, false);
	fold(rows, sort_by_line, true);
}

/* Rows of one call. */
struct call {
	size_t first, count;
	uint64_t total;
};

static struct call call_at(const struct pf_gcov_rows *rows, size_t first)
{
	struct call call = { .first = first };

	while (first + call.count < rows->count &&
	       by_call(&rows->items[first], &rows->items[first + call.count]) == 0) {
		call.total = pf_count_add(call.total, rows->items[first + call.count].count);
		call.count++;
	}
	return call;
}

/* Keeps, of the calls on a line, the rows of the best. */
static void choose_calls(struct pf_gcov_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count;) {
		struct call best = call_at(rows, i);

		for (i += best.count; i < rows->count && by_function(&rows->items[best.first], &rows->items[i]) == 0;) {
			struct call call = call_at(rows, i);

			if (call.count > best.count || (call.count == best.count && call.total > best.total))
				best = call;
			i += call.count;
		}
		for (size_t r = 0; r < best.count; r++)
			rows->items[kept++] = rows->items[best.first + r];
	}
	rows->count = kept;
}

void pf_gcov_reduce_targets(struct pf_gcov_rows *rows)
{
	qsort(rows->items, rows->count, sizeof *rows->items, sort_by_call);
	fold(rows, sort_by_call, true);
	choose_calls(rows);
	qsort(rows->items, rows->count, sizeof *rows->items, sort_by_name);
	fold(rows, sort_by_name, true);
}
