/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions of a co-processor program, as operations on a stack.  Hard case: the stack has a fixed size, so its depth
 * is reckoned here, and what would need more is refused. */
#include "analysis/copro-parse.h"

static const char *const part_names[PF_COPRO_PARTS] = {
	[PF_COPRO_PC] = "pc",         [PF_COPRO_ADDRESS] = "address", [PF_COPRO_VALUE] = "value",
	[PF_COPRO_TARGET] = "target", [PF_COPRO_TAKEN] = "taken",     [PF_COPRO_SIZE] = "size",
	[PF_COPRO_THREAD] = "thread",
};

static const struct {
	const char *name;
	uint8_t code, strength; /* what is stronger binds first; equals from the left */
} operators[] = {
	{ "or", PF_COPRO_OR, 1 },      { "and", PF_COPRO_AND, 2 },    { "==", PF_COPRO_EQUAL, 3 },
	{ "!=", PF_COPRO_UNEQUAL, 3 }, { "<", PF_COPRO_LESS, 3 },     { "<=", PF_COPRO_NO_MORE, 3 },
	{ ">", PF_COPRO_MORE, 3 },     { ">=", PF_COPRO_NO_LESS, 3 }, { "|", PF_COPRO_BITS_OR, 4 },
	{ "^", PF_COPRO_BITS_XOR, 4 }, { "&", PF_COPRO_BITS_AND, 5 }, { "<<", PF_COPRO_LEFT, 6 },
	{ ">>", PF_COPRO_RIGHT, 6 },   { "+", PF_COPRO_PLUS, 7 },     { "-", PF_COPRO_MINUS, 7 },
	{ "*", PF_COPRO_PRODUCT, 8 },
};

bool pf_copro_reserved(const char *name)
{
	static const char words[][10] = { "or", "and", "not", "full", "random", "times", "seen", "slots", "found" };

	for (size_t i = 0; i < PF_COPRO_PARTS; i++)
		if (strcmp(name, part_names[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return false;
}

bool pf_copro_emit(struct pf_copro_parser *p, struct pf_copro_operation operation, int pushed)
{
	struct pf_copro_operation *new;

	if (p->status != PF_OK)
		return false;
	p->depth = (unsigned int)((int)p->depth + pushed);
	if (p->depth > PF_COPRO_STACK)
		return pf_copro_wrong(p, PF_ELIMIT, "more than %d values are under way here; put some in counters",
				      PF_COPRO_STACK);
	if (p->program->operations.count == PF_COPRO_OPERATIONS)
		return pf_copro_wrong(p, PF_ELIMIT, "the program has more than %d operations", PF_COPRO_OPERATIONS);
	new = pf_array_push(&p->program->operations);
	if (!new)
		return pf_copro_wrong(p, PF_ENOMEM, "out of memory");
	*new = operation;
	return true;
}

bool pf_copro_nest(struct pf_copro_parser *p)
{
	return ++p->nesting <= PF_COPRO_NESTING ||
	       pf_copro_wrong(p, PF_ELIMIT, "more than %d blocks or parentheses are open", PF_COPRO_NESTING);
}

uint8_t pf_copro_array_named(struct pf_copro_parser *p)
{
	for (uint8_t i = 0; p->token == PF_TOKEN_WORD && i < p->program->array_count; i++) {
		if (pf_copro_accept(p, p->program->arrays[i].name))
			return i;
	}
	pf_copro_wrong(p, PF_EFORMAT, "the name of an array is wanted here, as one was declared above");
	return PF_COPRO_ARRAYS;
}

/* "NAME" behind an array's point; PF_NO_FIELD if that is none. */
static uint8_t field_named(struct pf_copro_parser *p, const struct pf_copro_array *array)
{
	for (uint8_t i = 0; i < array->field_count; i++) {
		if (pf_copro_accept(p, array->fields[i].name))
			return i;
	}
	pf_copro_wrong(p, PF_EFORMAT, "array %s has no such field", array->name);
	return PF_NO_FIELD;
}

bool pf_copro_place_named(struct pf_copro_parser *p, struct pf_copro_operation *operation, bool *is_field)
{
	*is_field = false;
	for (uint32_t i = 0; p->token == PF_TOKEN_WORD && i < p->program->counter_count; i++) {
		operation->number = i;
		if (pf_copro_accept(p, p->program->counters[i].name))
			return true;
	}
	*is_field = true;
	operation->array = pf_copro_array_named(p);
	if (operation->array == PF_COPRO_ARRAYS || !pf_copro_expect(p, "."))
		return false;
	operation->field = field_named(p, &p->program->arrays[operation->array]);
	return operation->field != PF_NO_FIELD;
}

static uint64_t largest(uint8_t bits)
{
	return UINT64_MAX >> (64 - bits);
}

/* "full NAME": it has its largest value. */
static bool full(struct pf_copro_parser *p)
{
	struct pf_copro_operation operation = { 0 };
	uint8_t bits;
	bool is_field;

	if (!pf_copro_place_named(p, &operation, &is_field))
		return false;
	operation.code = is_field ? PF_COPRO_FIELD : PF_COPRO_COUNTER;
	bits = is_field ? p->program->arrays[operation.array].fields[operation.field].bits
			: p->program->counters[operation.number].bits;
	return pf_copro_emit(p, operation, 1) &&
	       pf_copro_emit(p, (struct pf_copro_operation) { .code = PF_COPRO_NUMBER, .number = largest(bits) }, 1) &&
	       pf_copro_emit(p, (struct pf_copro_operation) { .code = PF_COPRO_EQUAL }, -1);
}

static bool name(struct pf_copro_parser *p)
{
	struct pf_copro_operation operation = { 0 };
	bool is_field;

	if (pf_copro_place_named(p, &operation, &is_field)) {
		operation.code = is_field ? PF_COPRO_FIELD : PF_COPRO_COUNTER;
		return pf_copro_emit(p, operation, 1);
	}
	return false;
}

/* "found ARRAY", "slots ARRAY". */
static bool of_array(struct pf_copro_parser *p, uint8_t code)
{
	uint8_t array = pf_copro_array_named(p);

	return array != PF_COPRO_ARRAYS &&
	       pf_copro_emit(p,
			     (struct pf_copro_operation) {
				 .code = code, .array = array, .number = p->program->arrays[array].slots },
			     1);
}

static bool sample_part(struct pf_copro_parser *p, bool *is)
{
	*is = false;
	for (size_t i = 0; i < PF_COPRO_PARTS; i++) {
		*is = pf_copro_is(p, part_names[i]);
		if (!*is)
			continue;
		if (p->place != PF_COPRO_IN_CLASS)
			return pf_copro_wrong(p, PF_EFORMAT, "there is no sample in this handler that could have '%s'",
					      part_names[i]);
		pf_copro_advance(p);
		return pf_copro_emit(p, (struct pf_copro_operation) { .code = PF_COPRO_PART, .number = i }, 1);
	}
	return true;
}

static bool primary(struct pf_copro_parser *p)
{
	struct pf_copro_operation operation = { 0 };
	bool is_part;

	if (p->token == PF_TOKEN_NUMBER) {
		operation.number = p->number;
		pf_copro_advance(p);
		return pf_copro_emit(p, operation, 1);
	}
	if (pf_copro_accept(p, "("))
		return pf_copro_nest(p) && pf_copro_expression(p) && pf_copro_expect(p, ")") && p->nesting-- > 0;
	if (pf_copro_accept(p, "full"))
		return full(p);
	if (pf_copro_accept(p, "found"))
		return of_array(p, PF_COPRO_FOUND);
	if (pf_copro_accept(p, "slots"))
		return of_array(p, PF_COPRO_NUMBER);
	operation.code = PF_COPRO_RANDOM;
	if (pf_copro_accept(p, "random"))
		return pf_copro_number(p, 1, UINT32_MAX, "random", &operation.number) && pf_copro_emit(p, operation, 1);
	operation.code = PF_COPRO_SEEN;
	if (pf_copro_accept(p, "seen"))
		return pf_copro_emit(p, operation, 1);
	operation.code = PF_COPRO_TIMES;
	if (pf_copro_is(p, "times") && p->place != PF_COPRO_IN_SAVE)
		return pf_copro_wrong(p, PF_EFORMAT, "'times' is known in 'on save' only");
	if (pf_copro_accept(p, "times"))
		return pf_copro_emit(p, operation, 1);
	return sample_part(p, &is_part) && (is_part || name(p));
}

static bool unary(struct pf_copro_parser *p)
{
	size_t nots = 0;

	while (pf_copro_accept(p, "not"))
		nots++;
	if (!primary(p))
		return false;
	while (nots--) {
		if (!pf_copro_emit(p, (struct pf_copro_operation) { .code = PF_COPRO_NOT }, 0))
			return false;
	}
	return true;
}

/* Operators that bind at least as strong as STRENGTH. */
static bool binary(struct pf_copro_parser *p, uint8_t strength)
{
	size_t i = 0;

	if (!unary(p))
		return false;
	while (i < sizeof operators / sizeof *operators) {
		if (operators[i].strength < strength || !pf_copro_accept(p, operators[i].name)) {
			i++;
			continue;
		}
		if (!binary(p, (uint8_t)(operators[i].strength + 1)) ||
		    !pf_copro_emit(p, (struct pf_copro_operation) { .code = operators[i].code }, -1))
			return false;
		i = 0;
	}
	return true;
}

bool pf_copro_expression(struct pf_copro_parser *p)
{
	return binary(p, 1);
}
