/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See value-list.h. */
#include "profile/value-list.h"
#include "profile/saturate.h"

#include <stdlib.h>
#include <string.h>

#define ASPECTS(kind, name)                                                                                            \
	[kind] = name, [(kind) + PF_VALUE_NEXT] = name "-next", [(kind) + PF_VALUE_ONES] = name "-ones",               \
	[(kind) + PF_VALUE_ZEROS] = name "-zeros"
#define ARGUMENT(n) PF_VALUE_ARGUMENT + ((n)-1) * PF_VALUE_ASPECTS

static const char *const names[] = {
	[PF_VALUE_SIZE] = "size",          [PF_VALUE_ALIGN] = "align",        [PF_VALUE_DIVISOR] = "divisor",
	[PF_VALUE_POWER] = "power",        [PF_VALUE_QUOTIENT] = "quotient",  [PF_VALUE_SWITCH] = "switch",
	ASPECTS(PF_VALUE_LOAD, "load"),    ASPECTS(PF_VALUE_STORE, "store"),  ASPECTS(ARGUMENT(1), "argument1"),
	ASPECTS(ARGUMENT(2), "argument2"), ASPECTS(ARGUMENT(3), "argument3"), ASPECTS(ARGUMENT(4), "argument4"),
	ASPECTS(ARGUMENT(5), "argument5"), ASPECTS(ARGUMENT(6), "argument6"),
};
_Static_assert(sizeof names / sizeof names[0] == PF_VALUE_KINDS, "all kinds have names");

const char *pf_value_kind_name(enum pf_value_kind kind)
{
	return kind > 0 && kind < PF_VALUE_KINDS ? names[kind] : NULL;
}

const char *pf_value_part_name(enum pf_value_part part)
{
	static const char *const parts[PF_VALUE_PARTS] = { "value", "other", "looks", "sum" };

	return parts[part];
}

enum pf_value_kind pf_value_kind_named(const char *name)
{
	for (unsigned int kind = 1; kind < PF_VALUE_KINDS; kind++) {
		if (strcmp(names[kind], name) == 0)
			return kind;
	}
	return 0;
}

static bool is_mask(const struct pf_value *value)
{
	unsigned int aspect = pf_value_aspect(value->kind);

	return value->part == PF_VALUE_ONE && (aspect == PF_VALUE_ONES || aspect == PF_VALUE_ZEROS);
}

/* Masks of one kind become one, whatever order they come in. */
static bool is_added(struct pf_value *to, const struct pf_value *value)
{
	bool same = to->kind == value->kind && to->part == value->part &&
		    (to->value == value->value || (is_mask(to) && is_mask(value)));

	if (same) {
		to->value |= value->value;
		to->count = pf_count_add(to->count, value->count);
	}
	return same;
}

static int compare_keys(const void *a, const void *b)
{
	const struct pf_value *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static int compare_values(const void *a, const void *b)
{
	const struct pf_value *x = a, *y = b;

	if (x->kind == y->kind && x->part == y->part && x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return compare_keys(a, b);
}

uint32_t pf_values_canonicalise(struct pf_value *values, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		values[i].value = values[i].part == PF_VALUE_ONE ? values[i].value : 0;
	if (count)
		qsort(values, count, sizeof *values, compare_keys);
	for (uint32_t i = 0; i < count; i++) {
		if (!values[i].count)
			continue;
		if (!kept || !is_added(&values[kept - 1], &values[i]))
			values[kept++] = values[i];
	}
	if (kept)
		qsort(values, kept, sizeof *values, compare_values);
	return kept;
}

struct pf_value_view pf_values_of(const struct pf_record *record, enum pf_value_kind kind)
{
	struct pf_value_view view = { 0 };

	for (uint32_t i = 0; i < record->value_count; i++) {
		const struct pf_value *value = &record->values[i];

		if (value->kind != kind)
			continue;
		if (value->part == PF_VALUE_LOOKS)
			view.looks = value->count;
		else if (value->part == PF_VALUE_SUM)
			view.sum = value->count;
		else if (value->part == PF_VALUE_OTHER)
			view.other = value->count;
		else if (view.count++ == 0)
			view.values = value;
		if (value->part == PF_VALUE_ONE || value->part == PF_VALUE_OTHER)
			view.total = pf_count_add(view.total, value->count);
	}
	return view;
}
