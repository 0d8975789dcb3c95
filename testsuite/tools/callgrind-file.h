/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact counts of one object from a callgrind output file (--dump-instr=yes --collect-jumps=yes); header-only, as each
 * tool is one file.  The hard case is an address that stands under several callers or inlined files: its counts add up.
 */
#ifndef PF_TEST_CALLGRIND_FILE_H
#define PF_TEST_CALLGRIND_FILE_H

#include "analysis/callgrind-text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cg_instruction {
	uint64_t address, count;
};

/* A jump and its count; a conditional one also says how often it was executed at all. */
struct cg_jump {
	uint64_t from, to, count, executed; /* executed: 0 for an unconditional jump */
};

struct cg_object {
	struct cg_instruction *instructions; /* by address, each once */
	struct cg_jump *jumps;               /* by from, to */
	size_t instruction_count, jump_count, instruction_capacity, jump_capacity;
};

static void *grow(void *list, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return list;
	*capacity = *capacity ? 2 * *capacity : 1024;
	list = realloc(list, *capacity * size);
	if (!list)
		abort();
	return list;
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0 &&
	       (length == tail || text[length - tail - 1] == '/');
}

static void add_jump(struct cg_object *o, const struct pf_callgrind_text *t)
{
	o->jumps = grow(o->jumps, o->jump_count, &o->jump_capacity, sizeof(*o->jumps));
	o->jumps[o->jump_count++] = (struct cg_jump) { t->address, t->target, t->count, t->executed };
}

static void add_costs(struct cg_object *o, const struct pf_callgrind_text *t)
{
	o->instructions =
	    grow(o->instructions, o->instruction_count, &o->instruction_capacity, sizeof(*o->instructions));
	o->instructions[o->instruction_count++] = (struct cg_instruction) { t->address, t->count };
}

static int by_address(const void *a, const void *b)
{
	const struct cg_instruction *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int by_jump(const void *a, const void *b)
{
	const struct cg_jump *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void merge(struct cg_object *o)
{
	size_t kept = 0;

	qsort(o->instructions, o->instruction_count, sizeof(*o->instructions), by_address);
	for (size_t i = 0; i < o->instruction_count; i++) {
		if (kept && o->instructions[kept - 1].address == o->instructions[i].address)
			o->instructions[kept - 1].count += o->instructions[i].count;
		else
			o->instructions[kept++] = o->instructions[i];
	}
	o->instruction_count = kept;
	kept = 0;
	qsort(o->jumps, o->jump_count, sizeof(*o->jumps), by_jump);
	for (size_t i = 0; i < o->jump_count; i++) {
		if (kept && by_jump(&o->jumps[kept - 1], &o->jumps[i]) == 0) {
			o->jumps[kept - 1].count += o->jumps[i].count;
			o->jumps[kept - 1].executed += o->jumps[i].executed;
		} else {
			o->jumps[kept++] = o->jumps[i];
		}
	}
	o->jump_count = kept;
}

/* Adds what PATH says about the object of file name NAME to OBJECT (zeroed before the first file), so that the runs of
 * several processes add up.  0, or -1 with a message on stderr. */
static int cg_read(const char *path, const char *name, struct cg_object *object)
{
	struct pf_callgrind_text text;
	struct pf_error error;
	bool wanted = false;
	int record, status = pf_callgrind_text_open(&text, path, &error);

	while (status == PF_OK && (record = pf_callgrind_text_next(&text, &error)) != 0) {
		if (record < 0)
			status = record;
		else if (record == PF_CALLGRIND_OBJECT)
			wanted = ends_in(pf_callgrind_text_name(&text.objects, text.object), name);
		else if (wanted && record == PF_CALLGRIND_JUMPS)
			add_jump(object, &text);
		else if (wanted && record == PF_CALLGRIND_COSTS && text.count > 0)
			add_costs(object, &text);
	}
	pf_callgrind_text_close(&text);
	merge(object);
	if (status < 0)
		fprintf(stderr, "%s\n", error.text);
	else if (object->instruction_count == 0)
		fprintf(stderr, "%s: holds no instruction of an object named %s; was --dump-instr=yes given?\n", path,
			name);
	return status < 0 || object->instruction_count == 0 ? -1 : 0;
}

static void cg_free(struct cg_object *object)
{
	free(object->instructions);
	free(object->jumps);
	*object = (struct cg_object) { 0 };
}

#endif
