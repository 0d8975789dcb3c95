/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See valuing.h.  Numbers of several instructions of one position (copies of a loop's body, say) are all given to its
 * record, which adds up what has one key.  Hard case: a value that was seen but once or twice among many is no news,
 * and a fleet's profiles would pile such values up for ever: it is counted with the others that are not listed, unless
 * it is one in sixteen. */
#include "converter/valuing.h"
#include "profile/value-list.h"
#include "support/search.h"

#include <string.h>

#define LEAST_SHARE 16

_Static_assert((int)PF_VEC_SIZE == PF_VALUE_SIZE && (int)PF_VEC_ALIGN == PF_VALUE_ALIGN &&
		   (int)PF_VEC_DIVISOR == PF_VALUE_DIVISOR && (int)PF_VEC_POWER == PF_VALUE_POWER &&
		   (int)PF_VEC_QUOTIENT == PF_VALUE_QUOTIENT && (int)PF_VEC_SWITCH == PF_VALUE_SWITCH &&
		   (int)PF_VEC_LOAD_VALUE == PF_VALUE_LOAD && (int)PF_VEC_STORE_VALUE == PF_VALUE_STORE &&
		   (int)PF_VEC_ARGUMENT == PF_VALUE_ARGUMENT && (int)PF_VEC_KINDS == PF_VALUE_KINDS,
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

/* What the function that INSN calls has as its argument NUMBER: bytes, as a source has them; 0: that is not known.
 * Copies of functions that the compiler has made for a purpose (f.isra.0) may have others. */
static int8_t argument_of(const struct pf_building *b, const struct pf_insn *insn, unsigned int number)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	const struct pf_elf_symbol *symbol = insn->target ? pf_elf_symbol_at(&m->binary.elf, insn->target) : NULL;
	uint32_t function = symbol ? pf_program_function(m, insn->target) : UINT32_MAX;

	if (function == UINT32_MAX || strchr(symbol->name, '.'))
		return 0;
	return m->source.functions.at[function].arguments[number];
}

/* Makes VALUE, of a register, that of the argument in it: behind fewer than 8 bytes the register has anything. */
static void cut(struct pf_value *value, int8_t bytes)
{
	unsigned int unused = 64 - 8 * (unsigned int)(bytes < 0 ? -bytes : bytes),
		     aspect = pf_value_aspect(value->kind);

	if (value->part != PF_VALUE_ONE || aspect == PF_VALUE_NEXT || unused >= 64)
		return;
	value->value = (int64_t)((uint64_t)value->value << unused);
	if (aspect == PF_VALUE_ITSELF && bytes < 0)
		value->value >>= unused;
	else
		value->value = (int64_t)((uint64_t)value->value >> unused);
}

/* Is VALUE of what INSN worked on?  The registers that no argument is in were noted with the others. */
static bool settle(const struct pf_building *b, const struct pf_insn *insn, struct pf_value *value)
{
	int8_t bytes;

	if (value->kind < PF_VALUE_ARGUMENT)
		return true;
	bytes = argument_of(b, insn, (unsigned int)(value->kind - PF_VALUE_ARGUMENT) / PF_VALUE_ASPECTS);
	cut(value, bytes);
	return bytes != 0;
}

static int collect(const struct pf_building *b, struct sightings *found)
{
	const struct pf_program_module *m = &b->program->modules[b->module];

	for (uint32_t i = 0; i < b->code.insns.count; i++) {
		const struct pf_insn *insn = &b->code.insns.at[i];
		size_t at = first_value(m, insn->address);

		for (; at < m->values.count && m->values.at[at].offset - insn->address < insn->length; at++) {
			struct pf_value value = m->values.at[at].value;
			struct sighting *new;

			if (b->record_of[i] == UINT32_MAX || !settle(b, insn, &value))
				continue;
			new = pf_array_push(found);
			if (!new)
				return PF_ENOMEM;
			*new = (struct sighting) { b->record_of[i], value };
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

		if (value->part == PF_VALUE_ONE && pf_value_aspect(value->kind) == PF_VALUE_ITSELF &&
		    value->count < totals[value->kind] / LEAST_SHARE)
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
