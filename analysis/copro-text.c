/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a co-processor program from its text form (doc/engine.md): declarations, and handlers of statements.  What is
 * accepted cannot go wrong when it runs: names are resolved, branches lead forward only, and each limit is checked
 * here. Hard case: a statement that makes sense in one kind of handler alone. */
#include "analysis/copro-parse.h"
#include "analysis/textfile.h"

const char *const pf_copro_class_names[PF_COPRO_CLASSES] = {
	[PF_COPRO_LOAD] = "load",           [PF_COPRO_STORE] = "store",       [PF_COPRO_COND] = "cond",
	[PF_COPRO_JUMP] = "jump",           [PF_COPRO_INDIRECT] = "indirect", [PF_COPRO_CALL] = "call",
	[PF_COPRO_INDIRECT_CALL] = "icall", [PF_COPRO_RETURN] = "return",
};

/* --- statements --------------------------------------------------------------------------------------------------- */

static bool block(struct pf_copro_parser *p);

/* "EXPRESSION, EXPRESSION": one for each key of ARRAY, which OPERATION takes. */
static bool keys(struct pf_copro_parser *p, struct pf_copro_operation operation)
{
	const struct pf_copro_array *array = &p->program->arrays[operation.array];

	if (!array->key_count)
		return pf_copro_wrong(p, PF_EFORMAT, "array %s has no keys; 'at' picks a slot by its number",
				      array->name);
	for (uint8_t i = 0; i < array->key_count; i++) {
		if ((i && !pf_copro_expect(p, ",")) || !pf_copro_expression(p))
			return false;
	}
	return pf_copro_emit(p, operation, -array->key_count);
}

/* A statement about the slots of an array, whose name is at hand. */
static bool of_slots(struct pf_copro_parser *p, uint8_t code)
{
	struct pf_copro_operation operation = { .code = code };

	operation.array = pf_copro_array_named(p);
	if (operation.array == PF_COPRO_ARRAYS)
		return false;
	if (code == PF_COPRO_FIND || code == PF_COPRO_TAKE)
		return keys(p, operation);
	if (code == PF_COPRO_AT)
		return pf_copro_expression(p) && pf_copro_emit(p, operation, -1);
	return pf_copro_emit(p, operation, 0);
}

static bool change(struct pf_copro_parser *p, uint8_t code)
{
	struct pf_copro_operation operation = { 0 };
	bool is_field;

	if (!pf_copro_place_named(p, &operation, &is_field))
		return false;
	if (is_field && p->program->arrays[operation.array].fields[operation.field].key)
		return pf_copro_wrong(p, PF_EFORMAT, "a key is written by 'take' alone");
	operation.code = (uint8_t)(code + (is_field ? PF_COPRO_SET_FIELD - PF_COPRO_SET_COUNTER : 0));
	return pf_copro_expression(p) && pf_copro_emit(p, operation, -1);
}

static bool conditional(struct pf_copro_parser *p)
{
	struct pf_copro_operation to_else = { .code = PF_COPRO_BRANCH_ZERO }, to_end = { .code = PF_COPRO_BRANCH };
	size_t from, end;
	bool fine;

	if (!pf_copro_nest(p) || !pf_copro_expression(p) || !pf_copro_emit(p, to_else, -1))
		return false;
	from = p->program->operations.count - 1;
	if (!block(p))
		return false;
	p->program->operations.at[from].number = p->program->operations.count;
	p->nesting--;
	if (!pf_copro_accept(p, "else"))
		return true;
	if (!pf_copro_emit(p, to_end, 0))
		return false;
	end = p->program->operations.count - 1;
	p->program->operations.at[from].number = end + 1;
	fine = pf_copro_accept(p, "if") ? pf_copro_nest(p) && conditional(p) && p->nesting-- > 0 : block(p);
	p->program->operations.at[end].number = p->program->operations.count;
	return fine;
}

static bool interrupt(struct pf_copro_parser *p, uint8_t code)
{
	(void)code;
	if (pf_copro_accept(p, "drop"))
		return pf_copro_emit(p, (struct pf_copro_operation) { .code = PF_COPRO_DROP }, 0);
	return pf_copro_expect(p, "save") && pf_copro_emit(p, (struct pf_copro_operation) { .code = PF_COPRO_SAVE }, 0);
}

static bool divide(struct pf_copro_parser *p, uint8_t code)
{
	struct pf_copro_operation operation = { .code = code };

	if (!pf_copro_number(p, 2, 4, "divide", &operation.number))
		return false;
	if (operation.number == 3)
		return pf_copro_wrong(p, PF_EFORMAT, "parts are divided by 2 or by 4");
	return pf_copro_emit(p, operation, 0);
}

static bool mask(struct pf_copro_parser *p, uint8_t code)
{
	if (!p->program->mask_bits)
		return pf_copro_wrong(p, PF_EFORMAT, "there is nothing to mask in; declare it above: filter 4096");
	return pf_copro_expression(p) && pf_copro_emit(p, (struct pf_copro_operation) { .code = code }, -1);
}

static bool plain(struct pf_copro_parser *p, uint8_t code)
{
	return pf_copro_emit(p, (struct pf_copro_operation) { .code = code }, 0);
}

static bool condition(struct pf_copro_parser *p, uint8_t code)
{
	(void)code;
	return conditional(p);
}

enum {
	CLASS = 1 << PF_COPRO_IN_CLASS,
	EVERY = 1 << PF_COPRO_IN_EVERY,
	CUT = 1 << PF_COPRO_IN_CUT,
	SAVE = 1 << PF_COPRO_IN_SAVE,
};

static const struct {
	const char *name;
	bool (*read)(struct pf_copro_parser *p, uint8_t code);
	uint8_t code, places;
} statements[] = {
	{ "find", of_slots, PF_COPRO_FIND, CLASS },
	{ "next", of_slots, PF_COPRO_NEXT, CLASS },
	{ "at", of_slots, PF_COPRO_AT, CLASS | CUT },
	{ "take", of_slots, PF_COPRO_TAKE, CLASS },
	{ "off", of_slots, PF_COPRO_OFF, CLASS },
	{ "clear", of_slots, PF_COPRO_CLEAR, CLASS | EVERY | CUT },
	{ "set", change, PF_COPRO_SET_COUNTER, CLASS | EVERY | CUT | SAVE },
	{ "add", change, PF_COPRO_ADD_COUNTER, CLASS | EVERY | CUT | SAVE },
	{ "sub", change, PF_COPRO_SUB_COUNTER, CLASS | EVERY | CUT | SAVE },
	{ "if", condition, 0, CLASS | EVERY | CUT | SAVE },
	{ "mask", mask, PF_COPRO_MASK, CLASS | SAVE },
	{ "divide", divide, PF_COPRO_DIVIDE, CLASS | EVERY },
	{ "rotate", plain, PF_COPRO_ROTATE, CLASS | EVERY },
	{ "join", plain, PF_COPRO_JOIN, CLASS | EVERY },
	{ "interrupt", interrupt, 0, CLASS | EVERY },
	{ "done", plain, PF_COPRO_DONE, CLASS | EVERY | CUT | SAVE },
};

static bool statement(struct pf_copro_parser *p)
{
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
		if (!pf_copro_is(p, statements[i].name))
			continue;
		if (!(statements[i].places >> p->place & 1))
			return pf_copro_wrong(p, PF_EFORMAT, "'%s' has no place in this handler", statements[i].name);
		pf_copro_advance(p);
		return statements[i].read(p, statements[i].code);
	}
	return pf_copro_wrong(p, PF_EFORMAT, "a statement or '}' is wanted here");
}

static bool block(struct pf_copro_parser *p)
{
	if (!pf_copro_expect(p, "{"))
		return false;
	while (!pf_copro_is(p, "}")) {
		if (!statement(p))
			return false;
	}
	return pf_copro_expect(p, "}");
}

/* The handler at hand; its first operation goes to *ENTRY, which has none yet. */
static bool handler(struct pf_copro_parser *p, enum pf_copro_place place, uint32_t *entry)
{
	p->place = place;
	*entry = (uint32_t)p->program->operations.count;
	return block(p) && pf_copro_emit(p, (struct pf_copro_operation) { .code = PF_COPRO_DONE }, 0);
}

/* --- declarations ------------------------------------------------------------------------------------------------- */

/* A name that means nothing yet. */
static bool new_name(struct pf_copro_parser *p, char name[PF_COPRO_NAME + 1])
{
	bool taken = pf_copro_reserved(p->text);

	if (p->token != PF_TOKEN_WORD)
		return pf_copro_wrong(p, PF_EFORMAT, "a name is wanted here");
	for (uint32_t i = 0; i < p->program->array_count; i++)
		taken |= strcmp(p->program->arrays[i].name, p->text) == 0;
	for (uint32_t i = 0; i < p->program->counter_count; i++)
		taken |= strcmp(p->program->counters[i].name, p->text) == 0;
	if (taken)
		return pf_copro_wrong(p, PF_EFORMAT, "'%s' has a meaning already; choose another name", p->text);
	memcpy(name, p->text, sizeof p->text);
	pf_copro_advance(p);
	return true;
}

static bool counter(struct pf_copro_parser *p)
{
	struct pf_copro_program *program = p->program;
	uint32_t i = program->counter_count;
	uint64_t bits;

	if (i == PF_COPRO_COUNTERS)
		return pf_copro_wrong(p, PF_ELIMIT, "there are at most %u counters", PF_COPRO_COUNTERS);
	if (!new_name(p, program->counters[i].name) || !pf_copro_number(p, 1, 64, "its bits", &bits))
		return false;
	program->counters[i].bits = (uint8_t)bits;
	program->counter_count++;
	return true;
}

/* "NAME BITS [key] [label] [sum] [code]" */
static bool field(struct pf_copro_parser *p, struct pf_copro_array *array)
{
	struct pf_copro_field *new = &array->fields[array->field_count];
	uint64_t bits;

	if (array->field_count == PF_COPRO_FIELDS)
		return pf_copro_wrong(p, PF_ELIMIT, "an array has at most %u fields", PF_COPRO_FIELDS);
	for (uint8_t i = 0; i < array->field_count; i++) {
		if (pf_copro_is(p, array->fields[i].name))
			return pf_copro_wrong(p, PF_EFORMAT, "field '%s' is there already", p->text);
	}
	if (p->token != PF_TOKEN_WORD)
		return pf_copro_wrong(p, PF_EFORMAT, "a field's name or '}' is wanted here");
	memcpy(new->name, p->text, sizeof p->text);
	pf_copro_advance(p);
	if (!pf_copro_number(p, 1, 64, "its bits", &bits))
		return false;
	new->bits = (uint8_t)bits;
	if (pf_copro_is(p, "key") && array->field_count > array->key_count)
		return pf_copro_wrong(p, PF_EFORMAT, "keys are the first fields of an array");
	new->key = pf_copro_accept(p, "key");
	new->label = !new->key &&pf_copro_accept(p, "label");
	new->sum = !new->key && !new->label &&pf_copro_accept(p, "sum");
	new->code = pf_copro_accept(p, "code");
	array->key_count = (uint8_t)(array->key_count + new->key);
	array->saved |= new->sum;
	array->field_count++;
	return true;
}

/* "array NAME SLOTS { fields }" */
static bool array(struct pf_copro_parser *p)
{
	struct pf_copro_program *program = p->program;
	struct pf_copro_array *new = &program->arrays[program->array_count];
	uint64_t slots;

	if (program->array_count == PF_COPRO_ARRAYS)
		return pf_copro_wrong(p, PF_ELIMIT, "there are at most %u arrays", PF_COPRO_ARRAYS);
	*new = (struct pf_copro_array) { .on_save = PF_NO_HANDLER, .value = PF_NO_FIELD };
	if (!new_name(p, new->name) || !pf_copro_number(p, 1, PF_COPRO_SLOTS, "slots", &slots) ||
	    !pf_copro_expect(p, "{"))
		return false;
	new->slots = (uint32_t)slots;
	while (!pf_copro_is(p, "}")) {
		if (!field(p, new))
			return false;
	}
	if (!new->field_count)
		return pf_copro_wrong(p, PF_EFORMAT, "array %s has no fields", new->name);
	program->array_count++;
	return pf_copro_expect(p, "}");
}

/* A field of ARRAY that is a sum (LABEL false) or a label. */
static bool estimated(struct pf_copro_parser *p, struct pf_copro_array *array, bool label, uint8_t *which)
{
	for (uint8_t i = 0; i < array->field_count; i++) {
		const struct pf_copro_field *f = &array->fields[i];

		*which = i;
		if ((label ? f->label : f->sum) && pf_copro_accept(p, f->name))
			return true;
	}
	return pf_copro_wrong(p, PF_EFORMAT, "a %s of array %s is wanted here", label ? "label" : "sum", array->name);
}

/* "estimate ARRAY VALUE HIT MISS TOTAL" */
static bool estimate(struct pf_copro_parser *p)
{
	uint8_t which = pf_copro_array_named(p), value = 0;
	struct pf_copro_array *array;

	if (which == PF_COPRO_ARRAYS)
		return false;
	array = &p->program->arrays[which];
	if (!estimated(p, array, true, &value) || !estimated(p, array, false, &array->hit) ||
	    !estimated(p, array, false, &array->miss) || !estimated(p, array, false, &array->total))
		return false;
	array->value = value;
	return true;
}

/* "filter BITS [HASHES]" */
static bool filter(struct pf_copro_parser *p)
{
	uint64_t bits, hashes = 1;

	if (!pf_copro_number(p, 64, 1 << 24, "its bits", &bits))
		return false;
	if (bits & (bits - 1))
		return pf_copro_wrong(p, PF_EFORMAT, "the filter has a power of two of bits");
	if (p->token == PF_TOKEN_NUMBER && !pf_copro_number(p, 1, 4, "its hash functions", &hashes))
		return false;
	p->program->mask_bits = (uint32_t)bits;
	p->program->mask_hashes = (uint32_t)hashes;
	return true;
}

static bool second_handler(struct pf_copro_parser *p)
{
	return pf_copro_wrong(p, PF_EFORMAT, "there is a handler for that already");
}

/* "on CLASS [CLASS]... { }" */
static bool on_classes(struct pf_copro_parser *p)
{
	uint32_t entry = (uint32_t)p->program->operations.count;

	for (bool any = false; !any || !pf_copro_is(p, "{"); any = true) {
		unsigned int class = 0;

		while (class < PF_COPRO_CLASSES && !pf_copro_is(p, pf_copro_class_names[class]))
			class ++;
		if (class == PF_COPRO_CLASSES)
			return pf_copro_wrong(p, PF_EFORMAT,
					      "a class is wanted here: load, store, cond, jump, indirect, call, icall "
					      "or return; or 'save', or 'cut'");
		if (p->program->on_class[class] != PF_NO_HANDLER)
			return second_handler(p);
		p->program->on_class[class] = entry;
		pf_copro_advance(p);
	}
	return handler(p, PF_COPRO_IN_CLASS, &entry);
}

static bool on(struct pf_copro_parser *p)
{
	uint8_t which;

	if (pf_copro_accept(p, "cut"))
		return p->program->on_cut == PF_NO_HANDLER ? handler(p, PF_COPRO_IN_CUT, &p->program->on_cut)
							   : second_handler(p);
	if (!pf_copro_accept(p, "save"))
		return on_classes(p);
	which = pf_copro_array_named(p);
	if (which == PF_COPRO_ARRAYS)
		return false;
	if (!p->program->arrays[which].saved)
		return pf_copro_wrong(p, PF_EFORMAT, "array %s is never saved: it has no field that is a sum",
				      p->program->arrays[which].name);
	if (p->program->arrays[which].on_save != PF_NO_HANDLER)
		return second_handler(p);
	return handler(p, PF_COPRO_IN_SAVE, &p->program->arrays[which].on_save);
}

/* "every SAMPLES { }" */
static bool every(struct pf_copro_parser *p)
{
	if (p->program->every)
		return second_handler(p);
	return pf_copro_number(p, 1, UINT32_MAX, "every", &p->program->every) &&
	       handler(p, PF_COPRO_IN_EVERY, &p->program->on_every);
}

static bool declaration(struct pf_copro_parser *p)
{
	static const struct {
		const char *name;
		bool (*read)(struct pf_copro_parser *p);
	} kinds[] = { { "array", array },       { "counter", counter }, { "filter", filter },
		      { "estimate", estimate }, { "on", on },           { "every", every } };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (pf_copro_accept(p, kinds[i].name))
			return kinds[i].read(p);
	}
	return pf_copro_wrong(p, PF_EFORMAT, "array, counter, filter, estimate, on or every is wanted here");
}

static bool whole(struct pf_copro_parser *p)
{
	const struct pf_copro_program *program = p->program;
	bool any = false, saved = false;

	for (pf_copro_advance(p); p->token != PF_TOKEN_END;) {
		if (!declaration(p))
			return false;
	}
	for (unsigned int class = 0; class < PF_COPRO_CLASSES; class ++)
		any |= program->on_class[class] != PF_NO_HANDLER;
	for (uint32_t i = 0; i < program->array_count; i++)
		saved |= program->arrays[i].saved;
	if (p->status == PF_OK && !any)
		return pf_copro_wrong(p, PF_EFORMAT, "the program has no handler for any class: on load { }");
	if (p->status == PF_OK && !saved)
		return pf_copro_wrong(p, PF_EFORMAT, "no array has a sum, so nothing would ever be told");
	return p->status == PF_OK;
}

int pf_copro_parse(const char *name, const char *text, size_t size, struct pf_copro_program **program,
		   struct pf_error *error)
{
	struct pf_copro_parser p = { .cursor = pf_cursor_over(text, size, 0), .line = 1, .column = 1, .error = error };

	*program = NULL;
	if (size > PF_COPRO_TEXT)
		return pf_fail(error, PF_ELIMIT, "%s: larger than a program may be, which is 1 MB", name);
	p.program = calloc(1, sizeof *p.program);
	if (p.program)
		p.program->name = strdup(name);
	if (!p.program || !p.program->name) {
		free(p.program);
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", name);
	}
	for (unsigned int class = 0; class < PF_COPRO_CLASSES; class ++)
		p.program->on_class[class] = PF_NO_HANDLER;
	p.program->on_cut = p.program->on_every = PF_NO_HANDLER;
	if (whole(&p)) {
		*program = p.program;
		return PF_OK;
	}
	pf_copro_program_free(p.program);
	return p.status;
}

int pf_copro_read(const char *path, struct pf_copro_program **program, struct pf_error *error)
{
	struct pf_textfile text;
	int status = pf_textfile_open(&text, path, error);

	*program = NULL;
	if (status == PF_OK)
		status = pf_copro_parse(path, (const char *)text.bytes.data, text.bytes.size, program, error);
	pf_textfile_close(&text);
	return status;
}

void pf_copro_program_free(struct pf_copro_program *program)
{
	if (!program)
		return;
	free(program->name);
	pf_array_fini(&program->operations);
	free(program);
}
