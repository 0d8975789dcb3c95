/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See callgrind-text.h.  Lines of a position and costs stand under the object and function named last.  The hard case
 * is the line behind calls=, jump= and jcnd=: it looks like any other, and is the cost of something else; only its
 * position is of use.  A callee's object is that of cob=, or if there is none the caller's. */
#include "analysis/callgrind-text.h"

#include <ctype.h>
#include <inttypes.h>

#define MOST_NAMES (1u << 22)

int pf_callgrind_text_fail(const struct pf_callgrind_text *t, const char *what, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT, "%s:%" PRIu64 ": %s; write it by valgrind --tool=callgrind --dump-instr=yes",
		       t->text.path, t->text.number, what);
}

const char *pf_callgrind_text_name(const struct pf_callgrind_names *names, uint64_t number)
{
	return number < names->list.count && names->list.at[number] ? names->list.at[number] : "";
}

/* Names NUMBER, unless it has a name or this one is none. */
static int keep_name(const struct pf_callgrind_text *t, struct pf_callgrind_names *names, uint64_t number,
		     const char *name, struct pf_error *error)
{
	while (names->list.count <= number) {
		if (!pf_array_push(&names->list))
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", t->text.path);
	}
	if (!*name || names->list.at[number])
		return PF_OK;
	names->list.at[number] = strdup(name);
	return names->list.at[number] ? PF_OK : pf_fail(error, PF_ENOMEM, "%s: out of memory", t->text.path);
}

/* "(12) name" gives number 12 its name, "(12)" refers to it. */
static bool read_number(const char **at, uint64_t *number)
{
	if (!pf_textfile_word(at, "(") || !pf_textfile_number(at, 10, number) || *number >= MOST_NAMES ||
	    !pf_textfile_word(at, ")"))
		return false;
	pf_textfile_word(at, " ");
	return true;
}

/* Objects are few: one without a number has the next that is free. */
static int read_object(struct pf_callgrind_text *t, const char *at, uint64_t *object, struct pf_error *error)
{
	if (*at == '(') {
		if (!read_number(&at, object))
			return pf_callgrind_text_fail(t, "an object has no number", error);
	} else {
		for (*object = 0; *object < t->objects.list.count; ++*object) {
			if (strcmp(pf_callgrind_text_name(&t->objects, *object), at) == 0)
				return PF_OK;
		}
	}
	return keep_name(t, &t->objects, *object, at, error);
}

/* "(below main)" is a name, without a number. */
static int read_function(struct pf_callgrind_text *t, const char *at, uint64_t *function, struct pf_error *error)
{
	*function = PF_CALLGRIND_NONE;
	if (*at != '(' || !isdigit((unsigned char)at[1]))
		return PF_OK;
	if (!read_number(&at, function))
		return pf_callgrind_text_fail(t, "a name has no number", error);
	return keep_name(t, &t->functions, *function, at, error);
}

/* In one column. */
static bool read_position(const struct pf_callgrind_text *t, const char **at, uint64_t *position)
{
	uint64_t value;
	bool up, down;

	*at += strspn(*at, " ");
	*position = t->address;
	if (pf_textfile_word(at, "*"))
		return true;
	up = pf_textfile_word(at, "+");
	down = !up && pf_textfile_word(at, "-");
	if (!pf_textfile_number(at, up || down ? 10 : 16, &value))
		return false;
	*position = up ? t->address + value : down ? t->address - value : value;
	return true;
}

/* "calls=3 0x4010", "jump=3 0x4010", "jcnd=3/9 0x4010". */
static int read_transfer(struct pf_callgrind_text *t, const char *at, int record, struct pf_error *error)
{
	t->executed = 0;
	if (!pf_textfile_number(&at, 10, &t->count) ||
	    (pf_textfile_word(&at, "/") && !pf_textfile_number(&at, 10, &t->executed)) ||
	    !read_position(t, &at, &t->target))
		return pf_callgrind_text_fail(t, "no number of calls or jumps and where they lead", error);
	t->pending = record;
	return 0;
}

/* What is not there is 0. */
static int read_costs(struct pf_callgrind_text *t, const char *at, struct pf_error *error)
{
	int record = t->pending;

	t->pending = 0;
	if (!t->instructions)
		return pf_callgrind_text_fail(t, "costs are not those of instructions", error);
	if (!read_position(t, &at, &t->address))
		return pf_callgrind_text_fail(t, "no address where costs begin", error);
	if (record)
		return record;
	for (uint32_t i = 0; i < t->positions + t->event && *at; i++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	t->count = 0;
	if (at[strspn(at, " ")] && !pf_textfile_number(&at, 10, &t->count))
		return pf_callgrind_text_fail(t, "costs are no number", error);
	return PF_CALLGRIND_COSTS;
}

/* Whether WORD is in the list at AT, behind how many others; if it is not, behind all. */
static bool find_word(const char *at, const char *word, uint32_t *others)
{
	for (*others = 0; *(at += strspn(at, " ")); ++*others) {
		size_t size = strcspn(at, " ");

		if (size == strlen(word) && strncmp(at, word, size) == 0)
			return true;
		at += size;
	}
	return false;
}

/* "positions: instr line", "events: Dr Ir". */
static int read_columns(struct pf_callgrind_text *t, const char *at, struct pf_error *error)
{
	if (pf_textfile_word(&at, "events:") && !find_word(at, "Ir", &t->event))
		return pf_callgrind_text_fail(t, "there is no event Ir", error);
	if (pf_textfile_word(&at, "positions:")) {
		t->instructions = pf_textfile_word(&at, " instr");
		find_word(at, "", &t->positions);
	}
	return 0;
}

/* A record, 0 if the line makes none, or an error. */
static int read_line(struct pf_callgrind_text *t, struct pf_error *error)
{
	const char *at = t->text.line;
	int status;

	if (*at && strchr("0123456789+-*", *at))
		return read_costs(t, at, error);
	if (pf_textfile_word(&at, "fn="))
		return read_function(t, at, &t->function, error);
	if (pf_textfile_word(&at, "cfn="))
		return read_function(t, at, &t->callee, error);
	if (pf_textfile_word(&at, "calls="))
		return read_transfer(t, at, PF_CALLGRIND_CALLS, error);
	if (pf_textfile_word(&at, "jump=") || pf_textfile_word(&at, "jcnd="))
		return read_transfer(t, at, PF_CALLGRIND_JUMPS, error);
	if (pf_textfile_word(&at, "ob=")) {
		status = read_object(t, at, &t->object, error);
		t->callee_object = t->object;
		return status < 0 ? status : PF_CALLGRIND_OBJECT;
	}
	if (pf_textfile_word(&at, "cob="))
		return read_object(t, at, &t->callee_object, error);
	if (pf_textfile_word(&at, "cmd:")) {
		t->command = at;
		return PF_CALLGRIND_COMMAND;
	}
	return read_columns(t, at, error);
}

static void begin(struct pf_callgrind_text *t)
{
	t->object = t->function = t->callee_object = t->callee = PF_CALLGRIND_NONE;
}

int pf_callgrind_text_open(struct pf_callgrind_text *t, const char *path, struct pf_error *error)
{
	*t = (struct pf_callgrind_text) { 0 };
	begin(t);
	return pf_textfile_open(&t->text, path, error);
}

void pf_callgrind_text_over(struct pf_callgrind_text *t, const void *bytes, size_t size, const char *path)
{
	*t = (struct pf_callgrind_text) { 0 };
	begin(t);
	pf_textfile_over(&t->text, bytes, size, path);
}

static void forget_names(struct pf_callgrind_names *names)
{
	for (size_t i = 0; i < names->list.count; i++)
		free(names->list.at[i]);
	pf_array_fini(&names->list);
}

void pf_callgrind_text_close(struct pf_callgrind_text *t)
{
	forget_names(&t->objects);
	forget_names(&t->functions);
	pf_textfile_close(&t->text);
}

int pf_callgrind_text_next(struct pf_callgrind_text *t, struct pf_error *error)
{
	int status, last = t->record;

	t->record = 0;
	if (last == PF_CALLGRIND_CALLS)
		t->callee_object = t->object;
	while ((status = pf_textfile_next(&t->text, error)) > 0) {
		t->record = read_line(t, error);
		if (t->record != 0)
			return t->record;
	}
	return status;
}
