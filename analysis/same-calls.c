/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See same-calls.h.  Functions and objects have numbers in callgrind's text, and a name where they come first.  The
 * hard case is a function that is first named as a callee: its object is that of cob=, or if there is none the
 * caller's. */
#include "analysis/same-calls.h"
#include "analysis/journal.h"
#include "analysis/textfile.h"
#include "support/array.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_NAMES (1u << 22)

struct function {
	char *name; /* NULL: not named yet */
	uint64_t object, calls, cost;
	bool calls_others;
};

struct reading {
	struct pf_textfile text;
	PF_ARRAY(char *) objects;
	PF_ARRAY(struct function) functions;
	uint64_t object, callee_object; /* numbers */
	uint64_t function, callee;
	bool attached; /* the next line is the cost of a call */
};

static int fail_line(const struct reading *r, const char *what, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT, "%s:%" PRIu64 ": %s; write it by valgrind --tool=callgrind", r->text.path,
		       r->text.number, what);
}

/* "(12) name" or "(12)": *NUMBER, and *NAME, which is "" where there is none. */
static int read_number(const struct reading *r, const char *at, uint64_t *number, const char **name,
		       struct pf_error *error)
{
	if (!pf_textfile_word(&at, "(") || !pf_textfile_number(&at, 10, number) || !pf_textfile_word(&at, ")") ||
	    *number >= MOST_NAMES)
		return fail_line(r, "a name has no number", error);
	pf_textfile_word(&at, " ");
	*name = at;
	return PF_OK;
}

static int keep_name(const struct reading *r, char **kept, const char *name, struct pf_error *error)
{
	if (!*name || *kept)
		return PF_OK;
	*kept = strdup(name);
	return *kept ? PF_OK : pf_fail(error, PF_ENOMEM, "%s: out of memory", r->text.path);
}

static int read_object(struct reading *r, const char *at, uint64_t *object, struct pf_error *error)
{
	const char *name;
	int status = read_number(r, at, object, &name, error);

	while (status == PF_OK && r->objects.count <= *object) {
		if (!pf_array_push(&r->objects))
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", r->text.path);
	}
	return status == PF_OK ? keep_name(r, &r->objects.at[*object], name, error) : status;
}

static int read_function(struct reading *r, const char *at, uint64_t object, uint64_t *function, struct pf_error *error)
{
	const char *name;
	int status = read_number(r, at, function, &name, error);
	struct function *f;

	while (status == PF_OK && r->functions.count <= *function) {
		if (!pf_array_push(&r->functions))
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", r->text.path);
	}
	if (status < 0)
		return status;
	f = &r->functions.at[*function];
	if (!f->name)
		f->object = object;
	return keep_name(r, &f->name, name, error);
}

/* "calls=3 0x4010": of the function named by cfn=. */
static int read_calls(struct reading *r, const char *at, struct pf_error *error)
{
	uint64_t count;

	if (!pf_textfile_number(&at, 10, &count) || r->callee >= r->functions.count ||
	    r->function >= r->functions.count)
		return fail_line(r, "calls without a function", error);
	r->functions.at[r->callee].calls += count;
	r->functions.at[r->function].calls_others = true;
	r->attached = true;
	r->callee_object = r->object;
	return PF_OK;
}

/* The last column is the only event. */
static int read_costs(struct reading *r, struct pf_error *error)
{
	const char *last = strrchr(r->text.line, ' ');
	bool attached = r->attached;
	uint64_t cost;

	r->attached = false;
	if (attached)
		return PF_OK;
	if (!last || r->function >= r->functions.count || !pf_textfile_number(&last, 10, &cost))
		return fail_line(r, "costs without a function", error);
	r->functions.at[r->function].cost += cost;
	return PF_OK;
}

static int read_line(struct reading *r, struct pf_error *error)
{
	const char *at = r->text.line;
	int status;

	if (pf_textfile_word(&at, "ob=")) {
		status = read_object(r, at, &r->object, error);
		r->callee_object = r->object;
		return status;
	}
	if (pf_textfile_word(&at, "cob="))
		return read_object(r, at, &r->callee_object, error);
	if (pf_textfile_word(&at, "fn="))
		return read_function(r, at, r->object, &r->function, error);
	if (pf_textfile_word(&at, "cfn="))
		return read_function(r, at, r->callee_object, &r->callee, error);
	if (pf_textfile_word(&at, "calls="))
		return read_calls(r, at, error);
	return *at && strchr("0123456789+-*", *at) ? read_costs(r, error) : PF_OK;
}

/* Whether F belongs among the libraries; its KEY there. */
static bool key_of(const struct reading *r, const struct function *f, const char *own, char key[4096])
{
	const char *object = f->object < r->objects.count ? r->objects.at[f->object] : NULL;

	if (!f->name || f->calls_others || f->calls == 0 || !object || strncmp(object, own, strlen(own)) == 0)
		return false;
	return (size_t)snprintf(key, 4096, "%s %s", object, f->name) < 4096;
}

static uint64_t taken(const json_t *entry, size_t which)
{
	return (uint64_t)json_integer_value(json_array_get(entry, which));
}

static int add_functions(const struct reading *r, const char *own, json_t *libraries, struct pf_error *error)
{
	char name[4096];

	for (size_t i = 0; i < r->functions.count; i++) {
		const struct function *f = &r->functions.at[i];
		json_t *text = key_of(r, f, own, name) ? pf_journal_text(name) : NULL;
		const char *key = json_string_value(text);
		const json_t *old = key ? json_object_get(libraries, key) : NULL;
		int status = !key ? 0
				  : json_object_set_new(libraries, key,
							json_pack("[I, I]", (json_int_t)(taken(old, 0) + f->calls),
								  (json_int_t)(taken(old, 1) + f->cost)));

		json_decref(text);
		if (status < 0)
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", r->text.path);
	}
	return PF_OK;
}

static int read_all(struct reading *r, const char *own, json_t *libraries, struct pf_error *error)
{
	int status;

	r->function = r->callee = UINT64_MAX;
	while ((status = pf_textfile_next(&r->text, error)) > 0) {
		status = read_line(r, error);
		if (status < 0)
			break;
	}
	if (status == PF_OK)
		status = add_functions(r, own, libraries, error);
	for (size_t i = 0; i < r->objects.count; i++)
		free(r->objects.at[i]);
	for (size_t i = 0; i < r->functions.count; i++)
		free(r->functions.at[i].name);
	pf_array_fini(&r->objects);
	pf_array_fini(&r->functions);
	return status;
}

int pf_same_calls_parse(const void *bytes, size_t size, const char *path, const char *own, json_t *libraries,
			struct pf_error *error)
{
	struct reading r = { 0 };
	int status;

	pf_textfile_over(&r.text, bytes, size, path);
	status = read_all(&r, own, libraries, error);
	pf_textfile_close(&r.text);
	return status;
}

int pf_same_calls_read(const char *path, const char *own, json_t *libraries, struct pf_error *error)
{
	struct reading r = { 0 };
	int status = pf_textfile_open(&r.text, path, error);

	if (status == PF_OK)
		status = read_all(&r, own, libraries, error);
	pf_textfile_close(&r.text);
	return status;
}

struct pf_same_calls_gap pf_same_calls_compare(const json_t *base, json_t *other)
{
	struct pf_same_calls_gap gap = { 0 };
	const char *key;
	json_t *entry;

	json_object_foreach(other, key, entry)
	{
		const json_t *same = json_object_get(base, key);
		int64_t more = (int64_t)(taken(entry, 1) - taken(same, 1));

		if (!same || taken(same, 0) != taken(entry, 0) || more == 0)
			continue;
		gap.instructions += more;
		if (!gap.largest || llabs(more) > llabs(gap.of_largest))
			gap = (struct pf_same_calls_gap) { gap.instructions, key, more, taken(entry, 0) };
	}
	return gap;
}
