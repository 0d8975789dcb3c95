/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See executed.h.  The hard case is what has no file, in which nothing can be seen to repeat: the kernel's vdso, code
 * written at run time.  Callgrind writes object after object, so that one of their files at a time is open. */
#include "analysis/executed.h"
#include "analysis/callgrind-text.h"
#include "analysis/journal.h"
#include "converter/code.h"
#include "support/filename.h"

#include <limits.h>
#include <stdio.h>

struct function {
	uint64_t object, calls, cost;
	bool calls_others;
};

struct reading {
	struct pf_callgrind_text text;
	PF_ARRAY(struct function) functions; /* by number */
	struct pf_elf elf;                   /* of the object */
	bool has_elf, ours;
};

/* Nothing tells where the name of what was run ends, if it is not the program's own: it may have blanks. */
static bool is_program(const char *command, const char *program)
{
	const char *at = command + strspn(command, " ");
	char name[PATH_MAX];

	if (pf_textfile_word(&at, program) && (!*at || *at == ' '))
		return true;
	return sscanf(command, "%4095s", name) == 1 && strcmp(pf_filename_base(name), pf_filename_base(program)) == 0;
}

static void leave_object(struct reading *r)
{
	if (r->has_elf)
		pf_elf_close(&r->elf);
	r->has_elf = false;
}

static void enter_object(struct reading *r)
{
	const char *path = pf_callgrind_text_name(&r->text.objects, r->text.object);
	struct pf_error ignored;

	leave_object(r);
	r->has_elf = *path == '/' && pf_elf_open(path, &r->elf, &ignored) == PF_OK;
}

/* The function with NUMBER, which is one of OBJECT; NULL if there is no memory. */
static struct function *find_function(struct reading *r, uint64_t number, uint64_t object)
{
	while (r->functions.count <= number) {
		if (!pf_array_push(&r->functions))
			return NULL;
	}
	r->functions.at[number].object = object;
	return &r->functions.at[number];
}

static int add_record(struct reading *r, int record, struct pf_error *error)
{
	const struct pf_callgrind_text *t = &r->text;
	struct function *f;
	bool calls = record == PF_CALLGRIND_CALLS;

	if (t->function == PF_CALLGRIND_NONE || (calls && t->callee == PF_CALLGRIND_NONE))
		return pf_callgrind_text_fail(t, calls ? "calls without a function" : "costs without a function",
					      error);
	f = find_function(r, t->function, t->object);
	if (f && calls) {
		f->calls_others = true;
		f = find_function(r, t->callee, t->callee_object);
	}
	if (!f)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", t->text.path);
	if (calls)
		f->calls += t->count;
	else if (!r->has_elf || !pf_code_step(&r->elf, t->address).repeats)
		f->cost += t->count;
	return PF_OK;
}

static int read_records(struct reading *r, const char *program, struct pf_error *error)
{
	int status;

	while ((status = pf_callgrind_text_next(&r->text, error)) > 0) {
		if (status == PF_CALLGRIND_COMMAND) {
			r->ours = is_program(r->text.command, program);
			if (!r->ours)
				return PF_OK;
		} else if (status == PF_CALLGRIND_OBJECT) {
			enter_object(r);
		} else if (status != PF_CALLGRIND_JUMPS) {
			status = add_record(r, status, error);
			if (status < 0)
				return status;
		}
	}
	return status;
}

/* Whether the function with NUMBER belongs among the libraries; its KEY there. */
static bool key_of(const struct reading *r, uint64_t number, const char *own, char key[4096])
{
	const struct function *f = &r->functions.at[number];
	const char *name = pf_callgrind_text_name(&r->text.functions, number);
	const char *object = pf_callgrind_text_name(&r->text.objects, f->object);

	if (!*name || f->calls_others || f->calls == 0 || !*object || strncmp(object, own, strlen(own)) == 0)
		return false;
	return (size_t)snprintf(key, 4096, "%s %s", object, name) < 4096;
}

static json_int_t sum(const json_t *entry, size_t which, uint64_t more)
{
	return (json_int_t)((uint64_t)json_integer_value(json_array_get(entry, which)) + more);
}

static int add_function(const struct reading *r, uint64_t number, struct pf_executed *executed)
{
	const struct function *f = &r->functions.at[number];
	char key[4096];
	json_t *text, *old;
	int status;

	executed->instructions += f->cost;
	if (!key_of(r, number, executed->own, key))
		return 0;
	text = pf_journal_text(key);
	old = json_object_get(executed->libraries, json_string_value(text));
	status = json_object_set_new(executed->libraries, json_string_value(text),
				     json_pack("[I, I]", sum(old, 0, f->calls), sum(old, 1, f->cost)));
	json_decref(text);
	return status;
}

static int add_process(struct reading *r, struct pf_executed *executed, struct pf_error *error)
{
	int status = read_records(r, executed->program, error);

	executed->processes += r->ours && status == PF_OK;
	for (size_t i = 0; status == PF_OK && r->ours && i < r->functions.count; i++) {
		if (add_function(r, i, executed) < 0)
			status = pf_fail(error, PF_ENOMEM, "%s: out of memory", r->text.text.path);
	}
	leave_object(r);
	pf_array_fini(&r->functions);
	return status;
}

int pf_executed_parse(const void *bytes, size_t size, const char *path, struct pf_executed *executed,
		      struct pf_error *error)
{
	struct reading r = { 0 };
	int status;

	pf_callgrind_text_over(&r.text, bytes, size, path);
	status = add_process(&r, executed, error);
	pf_callgrind_text_close(&r.text);
	return status;
}

int pf_executed_read(const char *path, struct pf_executed *executed, struct pf_error *error)
{
	struct reading r = { 0 };
	int status = pf_callgrind_text_open(&r.text, path, error);

	if (status == PF_OK)
		status = add_process(&r, executed, error);
	pf_callgrind_text_close(&r.text);
	return status;
}
