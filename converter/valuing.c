/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See valuing.h.  Numbers of several instructions of one position (copies of a loop's body, say) are all given to its
 * record, which adds up what has one key.  Hard case: a value that was seen but once or twice among many is no news,
 * and a fleet's profiles would pile such values up for ever: it is counted with the others that are not listed, unless
 * it is one in sixteen. */
#include "converter/valuing.h"
#include "profile/value-list.h"
#include "support/search.h"

#define LEAST_SHARE 16

_Static_assert((int)PF_VEC_SIZE == PF_VALUE_SIZE && (int)PF_VEC_ALIGN == PF_VALUE_ALIGN &&
		   (int)PF_VEC_DIVISOR == PF_VALUE_DIVISOR && (int)PF_VEC_POWER == PF_VALUE_POWER &&
		   (int)PF_VEC_QUOTIENT == PF_VALUE_QUOTIENT && (int)PF_VEC_SWITCH == PF_VALUE_SWITCH &&
		   (int)PF_VEC_KINDS == PF_VALUE_KINDS,
	       "kinds of values have one number each");
_Static_assert((int)PF_VEC_ONE == PF_VALUE_ONE && (int)PF_VEC_OTHER == PF_VALUE_OTHER &&
		   (int)PF_VEC_LOOKS == PF_VALUE_LOOKS && (int)PF_VEC_SUM == PF_VALUE_SUM &&
		   (int)PF_VEC_PARTS == PF_VALUE_PARTS,
	       "parts of values have one number each");

struct sighting {
	uint32_t record;
	struct pf_value value;
};

struct sightings {
	struct sighting *at;
	size_t count, capacity;
};

static int compare_records(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	return (x->record > y->record) - (x->record < y->record);
}

static size_t first_value(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->values.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->values.at[search.middle].offset < address);
	return search.low;
}

static int collect(const struct pf_building *b, struct sightings *found)
{
	const struct pf_program_module *m = &b->program->modules[b->module];

	for (uint32_t i = 0; i < b->code.insns.count; i++) {
		const struct pf_insn *insn = &b->code.insns.at[i];
		size_t at = first_value(m, insn->address);

		for (; at < m->values.count && m->values.at[at].offset - insn->address < insn->length; at++) {
			const struct pf_traffic_value *value = &m->values.at[at];
			struct sighting *new;

			if (b->record_of[i] == UINT32_MAX)
				continue;
			new = pf_array_push(found);
			if (!new)
				return PF_ENOMEM;
			*new = (struct sighting) { b->record_of[i], value->value };
		}
	}
	return PF_OK;
}

/* Makes what is rare one of the others. */
static void fold_rare(struct pf_record *record)
{
	uint64_t totals[PF_VALUE_KINDS];

	for (unsigned int kind = 1; kind < PF_VALUE_KINDS; kind++)
		totals[kind] = pf_values_of(record, kind).total;
	for (uint32_t i = 0; i < record->value_count; i++) {
		struct pf_value *value = &record->values[i];

		if (value->part == PF_VALUE_ONE && value->count < totals[value->kind] / LEAST_SHARE)
			value->part = PF_VALUE_OTHER;
	}
	record->value_count = pf_values_canonicalise(record->values, record->value_count);
}

static int fill_record(const struct pf_building *b, struct pf_record *record, const struct sighting *first,
		       size_t count)
{
	record->values = pf_profile_reserve(b->profile, count * sizeof *record->values);
	if (!record->values || count > UINT32_MAX)
		return PF_ENOMEM;
	for (size_t i = 0; i < count; i++)
		record->values[i] = first[i].value;
	record->value_count = pf_values_canonicalise(record->values, (uint32_t)count);
	fold_rare(record);
	return PF_OK;
}

int pf_valuing_build(const struct pf_building *b, struct pf_function *function)
{
	struct sightings found = { 0 };
	int status = PF_OK;

	if (b->program->modules[b->module].values.count > 0)
		status = collect(b, &found);
	pf_array_sort(&found, compare_records);
	for (size_t first = 0, end; first < found.count && status == PF_OK; first = end) {
		for (end = first; end < found.count && found.at[end].record == found.at[first].record; end++)
			;
		status = fill_record(b, &function->records[found.at[first].record], &found.at[first], end - first);
	}
	pf_array_fini(&found);
	return status;
}
