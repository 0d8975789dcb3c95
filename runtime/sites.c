/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sites.h.  The counts of the agent's table may be anything, since other users can write there, and a living agent
 * goes on counting: whatever they are, values are together seen no more often than the site. */
#include "runtime/sites.h"

struct list {
	struct pf_vec_value *values;
	uint32_t count;
	uint64_t weight, looks;
	struct pf_vec_value next; /* address and kind of what is added */
};

static void add(struct list *list, uint8_t part, int64_t value, uint64_t count)
{
	struct pf_vec_value *to = &list->values[list->count];

	if (!count)
		return;
	*to = list->next;
	to->part = part;
	to->value = value;
	if (part == PF_VEC_LOOKS || __builtin_mul_overflow(count, list->weight, &to->count))
		to->count = count;
	list->count++;
}

/* The commonest of TOTAL values, the rest, and the SUM of all. */
static void add_common(struct list *list, const struct pf_wire_site *site, uint8_t kind)
{
	uint64_t rest = site->total;

	list->next.kind = kind;
	for (uint32_t i = 0; i < PF_WIRE_SITE_VALUES; i++) {
		uint64_t count = site->counts[i] < rest ? site->counts[i] : rest;

		add(list, PF_VEC_ONE, site->values[i], count);
		rest -= count;
	}
	add(list, PF_VEC_OTHER, 0, rest);
	add(list, PF_VEC_LOOKS, 0, site->looks);
	add(list, PF_VEC_SUM, 0, site->sum);
}

/* All of it, by a few classes. */
static void add_classes(struct list *list, uint8_t kind, const int64_t *values, const uint64_t *counts, uint32_t count)
{
	uint64_t all = 0;

	list->next.kind = kind;
	for (uint32_t c = 0; c < count; c++) {
		add(list, PF_VEC_ONE, values[c], counts[c]);
		all |= counts[c];
	}
	add(list, PF_VEC_LOOKS, 0, all ? list->looks : 0);
}

static void add_division(struct list *list, const struct pf_wire_site *site)
{
	static const int64_t classes[] = { 0, 1, 2 };
	uint64_t all = site->classes[0] + site->classes[1] + site->classes[2];
	uint64_t powers = site->classes[PF_WIRE_POWER] < all ? site->classes[PF_WIRE_POWER] : all;

	add_common(list, site, PF_VEC_DIVISOR);
	add_classes(list, PF_VEC_POWER, classes, (uint64_t[]) { all - powers, powers }, 2);
	add_classes(list, PF_VEC_QUOTIENT, classes, site->classes, 3);
}

static void add_string(struct list *list, const struct pf_wire_site *site)
{
	static const int64_t alignments[PF_WIRE_MOST_ALIGNED + 1] = { 1, 2, 4, 8, 16, 32, 64 };

	add_common(list, site, PF_VEC_SIZE);
	add_classes(list, PF_VEC_ALIGN, alignments, site->classes, PF_WIRE_MOST_ALIGNED + 1);
}

static void add_mask(struct list *list, uint8_t kind, uint64_t mask, uint64_t count)
{
	list->next.kind = kind;
	if (mask)
		add(list, PF_VEC_ONE, (int64_t)mask, count);
}

static void add_word(struct list *list, const struct pf_wire_site *site, uint8_t kind)
{
	static const int64_t classes[] = { [PF_NEXT_OTHER] = 0, [PF_NEXT_SAME] = 1, [PF_NEXT_STRIDED] = 2 };

	add_common(list, site, kind);
	add_classes(list, kind + PF_VEC_NEXT, classes, site->classes, PF_NEXT_KINDS);
	add_mask(list, kind + PF_VEC_ONES, site->ones, site->total);
	add_mask(list, kind + PF_VEC_ZEROS, site->zeros, site->total);
}

/* The kind of the values of a load, a store or an argument; 0: it is none. */
static uint8_t kind_of_word(uint32_t form)
{
	uint32_t number = PF_SIGHT_NUMBER(form);

	switch (PF_SIGHT_KIND(form)) {
	case PF_SIGHT_LOAD:
		return PF_VEC_LOAD_VALUE;
	case PF_SIGHT_STORE:
		return PF_VEC_STORE_VALUE;
	case PF_SIGHT_ARGUMENT:
		return number < PF_SIGHT_ARGUMENTS ? (uint8_t)(PF_VEC_ARGUMENT + number * PF_VEC_ASPECTS) : 0;
	default:
		return 0;
	}
}

uint32_t pf_site_numbers(const struct pf_wire_site *site, uint32_t weight, struct pf_vec_value *values)
{
	struct list list = { .values = values, .weight = weight, .looks = site->looks, .next.address = site->pc };

	if (PF_SIGHT_KIND(site->form) == PF_SIGHT_STRING)
		add_string(&list, site);
	else if (PF_SIGHT_KIND(site->form) == PF_SIGHT_DIVISION)
		add_division(&list, site);
	else if (PF_SIGHT_KIND(site->form) == PF_SIGHT_SWITCH)
		add_common(&list, site, PF_VEC_SWITCH);
	else if (kind_of_word(site->form))
		add_word(&list, site, kind_of_word(site->form));
	return list.count;
}
