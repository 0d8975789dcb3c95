/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values that a position's instruction worked on: what a string operation's size was, what was divided by.  They
 * are counted in sightings, whatever the unit of the profile, and nothing scales them: what matters are their shares,
 * and how often somebody has looked.
 *
 * Everything known of one kind at one position is a list of numbers with a key each, and two such lists add up key by
 * key; so the sum of many profiles does not depend on their order, as it would if each sum were cut to the commonest
 * values again. */
#ifndef PF_PROFILE_VALUE_LIST_H
#define PF_PROFILE_VALUE_LIST_H

#include "profile/model.h"

/* What is known of one kind at one record. */
struct pf_value_view {
	uint64_t total, looks, sum, other; /* sightings, moments, sum of the values, sightings of values not listed */
	const struct pf_value *values;     /* by descending count */
	uint32_t count;
};

/* Which aspect a kind is of what it belongs to. */
static inline unsigned int pf_value_aspect(unsigned int kind)
{
	return kind < PF_VALUE_LOAD ? (unsigned int)PF_VALUE_ITSELF : (kind - PF_VALUE_LOAD) % PF_VALUE_ASPECTS;
}

/* "size", "align", "divisor", "power", "quotient", "switch", "load", "store" and "argument1" to "argument6", the last
 * three also with "-next", "-ones" and "-zeros" behind; NULL for no kind. */
const char *pf_value_kind_name(enum pf_value_kind kind);

/* "value", "other", "looks" and "sum": what a number of PART counts. */
const char *pf_value_part_name(enum pf_value_part part);

/* The kind of that name; 0: none. */
enum pf_value_kind pf_value_kind_named(const char *name);

/* What RECORD knows of KIND; a total of 0: nothing.  RECORD is canonical. */
struct pf_value_view pf_values_of(const struct pf_record *record, enum pf_value_kind kind);

/* Brings COUNT values into the canonical order, equal keys added up, masks put together; returns how many are left.
 * Those of no count are dropped, and a number that is no value's has the value 0. */
uint32_t pf_values_canonicalise(struct pf_value *values, uint32_t count);

#endif
