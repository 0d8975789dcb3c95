/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact counts of one object from a callgrind output file (--dump-instr=yes --collect-jumps=yes); header-only, as each
 * tool is one file.
 *
 * The format (valgrind manual, "Callgrind Format Specification"): lines of positions and costs, under the
 * object and function named last.  Positions are hexadecimal, or relative to the line before (+N, -N, *).  The hard
 * case is the line after calls=, jump= and jcnd=: it repeats the position and holds costs of something else. */
#ifndef PF_TEST_CALLGRIND_FILE_H
#define PF_TEST_CALLGRIND_FILE_H

#include <inttypes.h>
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

struct reader {
	const char *name;
	struct cg_object *object;
	uint64_t address;
	bool wanted;   /* lines are about the object asked for */
	bool attached; /* this line belongs to the jump or call before it */
	char **names;  /* object names by their number */
	size_t name_count;
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

/* "(12) /lib/libc.so.6" names number 12; "(12)" refers to it. */
static const char *object_name(struct reader *r, const char *text)
{
	char *rest;
	size_t number = *text == '(' ? strtoul(text + 1, &rest, 10) : 0;

	if (*text != '(')
		return text;
	while (number >= r->name_count && number < 100000) {
		r->names = realloc(r->names, (r->name_count + 1) * sizeof(*r->names));
		r->names[r->name_count++] = NULL;
	}
	if (number >= r->name_count)
		return "";
	rest += *rest == ')';
	rest += strspn(rest, " ");
	if (*rest && !r->names[number])
		r->names[number] = strdup(rest);
	return r->names[number] ? r->names[number] : "";
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0 &&
	       (length == tail || text[length - tail - 1] == '/');
}

/* Reads a position at *TEXT, relative to the current one, and moves past it. */
static uint64_t read_position(const struct reader *r, const char **text)
{
	const char *at = *text + strspn(*text, " ");
	char sign = *at, *end;

	if (sign == '*') {
		*text = at + 1;
		return r->address;
	}
	uint64_t value = strtoull(at + (sign == '+' || sign == '-'), &end, 0);
	*text = end;
	return sign == '+' ? r->address + value : sign == '-' ? r->address - value : value;
}

static void add_jump(struct reader *r, const char *text, bool conditional)
{
	struct cg_object *o = r->object;
	struct cg_jump jump = { .from = r->address };
	char *end;

	jump.count = strtoull(text, &end, 10);
	if (conditional && *end == '/')
		jump.executed = strtoull(end + 1, &end, 10);
	const char *rest = end;
	jump.to = read_position(r, &rest);
	if (!r->wanted)
		return;
	o->jumps = grow(o->jumps, o->jump_count, &o->jump_capacity, sizeof(*o->jumps));
	o->jumps[o->jump_count++] = jump;
}

/* A line of costs: address, source line, instructions executed. */
static void add_costs(struct reader *r, const char *text)
{
	struct cg_object *o = r->object;

	r->address = read_position(r, &text);
	text += strspn(text, " ");
	text += strcspn(text, " ");
	uint64_t count = strtoull(text, NULL, 10);
	if (r->attached || !r->wanted || count == 0)
		return;
	o->instructions =
	    grow(o->instructions, o->instruction_count, &o->instruction_capacity, sizeof(*o->instructions));
	o->instructions[o->instruction_count++] = (struct cg_instruction) { r->address, count };
}

static void read_line(struct reader *r, const char *line)
{
	if (strncmp(line, "ob=", 3) == 0) {
		r->wanted = ends_in(object_name(r, line + 3), r->name);
	} else if (strncmp(line, "cob=", 4) == 0) {
		object_name(r, line + 4);
	} else if (strncmp(line, "jump=", 5) == 0 || strncmp(line, "jcnd=", 5) == 0) {
		add_jump(r, line + 5, line[1] == 'c');
		r->attached = true;
	} else if (strncmp(line, "calls=", 6) == 0) {
		r->attached = true;
	} else if (*line && strchr("0123456789+-*", *line)) {
		add_costs(r, line);
		r->attached = false;
	}
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

/* One address may stand under several callers or inlined files: its counts add up. */
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
	struct reader r = { .name = name, .object = object };
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		perror(path);
		return -1;
	}
	for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
		line[strcspn(line, "\n")] = 0;
		read_line(&r, line);
	}
	free(line);
	fclose(file);
	for (size_t i = 0; i < r.name_count; i++)
		free(r.names[i]);
	free(r.names);
	merge(object);
	if (object->instruction_count)
		return 0;
	fprintf(stderr, "%s: holds no instruction of an object named %s; was --dump-instr=yes given?\n", path, name);
	return -1;
}

static void cg_free(struct cg_object *object)
{
	free(object->instructions);
	free(object->jumps);
	*object = (struct cg_object) { 0 };
}

#endif
