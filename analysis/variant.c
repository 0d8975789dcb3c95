/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See variant.h.  The hard case is a build that succeeds and is not what it claims to be: flags that no compiler has
 * seen, counts that none was found for, a profile of something else.  So the result is asked, not the build. */
#include "analysis/variant.h"
#include "analysis/gcda.h"
#include "analysis/inspect.h"
#include "analysis/journal.h"
#include "analysis/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLES 13

const char *pf_variant_compiler(const char *variable)
{
	const char *value = getenv(variable);

	if (value && *value)
		return value;
	return strcmp(variable, "CC") == 0 ? "gcc" : strcmp(variable, "CXX") == 0 ? "g++" : "gfortran";
}

/* A build's environment; ended by NULL.  Without '=' a variable is taken away: another make's job server. */
struct environment {
	char *at[VARIABLES + 1];
	size_t count;
};

static void set(struct environment *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set(struct environment *e, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&e->at[e->count], format, arguments) >= 0)
		e->count++;
	e->at[e->count] = NULL;
	va_end(arguments);
}

static int fill_environment(struct environment *e, const struct pf_plan *plan, const char *flags,
			    const char *link_flags, struct pf_error *error)
{
	static const char *const compilers[] = { "CC", "CXX", "FC" };
	static const char *const all_flags[] = { "CFLAGS", "CXXFLAGS", "FFLAGS", "FCFLAGS" };
	static const char *const gone[] = { "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES" };
	const char *own = getenv("LDFLAGS");

	*e = (struct environment) { 0 };
	/* Few Makefiles link with CFLAGS, and many with no LDFLAGS from outside; all link with CC. */
	for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++)
		set(e, plan->system == PF_BUILD_MAKE && *link_flags ? "%s=%s %s" : "%s=%s", compilers[i],
		    pf_variant_compiler(compilers[i]), link_flags);
	for (size_t i = 0; i < sizeof all_flags / sizeof all_flags[0]; i++)
		set(e, *flags ? "%s=%s %s" : "%s=%s", all_flags[i], plan->cflags, flags);
	for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
		set(e, "%s", gone[i]);
	set(e, *link_flags ? "LDFLAGS=%s %s" : "LDFLAGS=%s", own ? own : "", link_flags);
	set(e, "LC_ALL=C");
	return e->count == VARIABLES ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory");
}

static void release_environment(struct environment *e)
{
	for (size_t i = 0; i < e->count; i++)
		free(e->at[i]);
}

/* A shell script in the build folder; its log is logs/build-NAME. */
static int run_in_place(struct pf_contest *c, unsigned build, const char *script, const struct environment *e,
			struct pf_ending *ending, struct pf_error *error)
{
	char place[PATH_MAX], log[PATH_MAX], name[32];
	const char *arguments[] = { c->plan->source, NULL };
	struct pf_command command = { .script = script,
				      .arguments = arguments,
				      .environment = e ? (const char *const *)e->at : NULL,
				      .folder = place,
				      .log = log,
				      .cpu = -1,
				      .timeout = c->plan->timeout };

	snprintf(name, sizeof name, "build-%s", pf_variant_name(build));
	pf_plan_path(c->plan, "build", NULL, place);
	pf_plan_path(c->plan, "logs", name, log);
	if (pf_command_run(&command, ending, error) < 0)
		return PF_EIO;
	if (!pf_ending_good(ending)) {
		char how[PF_ENDING_TEXT];

		pf_ending_describe(ending, c->plan->timeout, log, how, sizeof how);
		pf_contest_drop(c, build, "the build %s (%s)", how, log);
	}
	return PF_OK;
}

static void report_path(const struct pf_contest *c, unsigned build, char path[PATH_MAX])
{
	char name[40];

	snprintf(name, sizeof name, "%s.report", pf_variant_name(build));
	pf_plan_path(c->plan, "data", name, path);
}

static int compile(struct pf_contest *c, unsigned build, const char *flags, const char *link_flags,
		   struct pf_error *error)
{
	struct pf_entry *entry = &c->entries[build];
	struct environment e;
	struct pf_ending ending;
	char place[PATH_MAX], report[PATH_MAX];
	int status = pf_contest_place(c, -1, error);

	pf_plan_path(c->plan, "build", NULL, place);
	report_path(c, build, report);
	unlink(report); /* compiles append */
	if (status == PF_OK)
		status = pf_tree_renew(place, error);
	if (status == PF_OK)
		status = run_in_place(c, build, "cp -a -- \"$1/.\" .", NULL, &ending, error);
	if (status < 0 || *entry->error)
		return status;
	status = fill_environment(&e, c->plan, flags, link_flags, error);
	if (status == PF_OK)
		status = run_in_place(c, build, pf_plan_build_command(c->plan), &e, &ending, error);
	release_environment(&e);
	entry->build_seconds = ending.user + ending.system;
	if (status == PF_OK && !*entry->error && access(c->program, X_OK) != 0)
		pf_contest_drop(c, build, "the build left no executable %s (--program)", c->program);
	pf_contest_end(c, PF_WORK_BUILD, ending.wall);
	return status;
}

/* All, or all but a few, of the units must have the flags; the few are said. */
static void check_flags(struct pf_contest *c, unsigned build, const struct pf_inspection *in, const char *flags)
{
	struct pf_entry *e = &c->entries[build];
	struct pf_unlike example;
	size_t total, with = pf_inspect_flags(in, flags, &total, &example);
	char note[400];

	if (total == 0) {
		pf_contest_drop(c, build,
				"the program has no debug information of GCC: the build ignores CFLAGS (or strips the "
				"program, or found it in the sources, built already)");
	} else if (with < total - total / 2) {
		pf_contest_drop(c, build,
				"the build ignores CFLAGS: %zu of %zu compile units (%s, for example) were compiled "
				"without '%s'; see that the build command passes $CFLAGS, $CXXFLAGS and $FFLAGS on and "
				"that nothing is built already in the sources",
				total - with, total, example.unit, example.flag);
	} else if (with < total) {
		snprintf(note, sizeof note, "%zu of %zu compile units (%s, for example) were compiled without '%s'",
			 total - with, total, example.unit, example.flag);
		json_array_append_new(e->notes, pf_journal_text(note));
	}
}

/* The plugin's report: has any function got counts? */
static void check_report(struct pf_contest *c, unsigned build)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	json_int_t matched = 0, others = 0;
	FILE *file;

	report_path(c, build, path);
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		json_t *record = json_loads(line, 0, NULL);

		if (json_object_get(record, "unit")) {
			matched += json_integer_value(json_object_get(record, "matched"));
			others += json_integer_value(json_object_get(record, "unmatched"));
			others += json_integer_value(json_object_get(record, "stale"));
		}
		json_decref(record);
	}
	free(line);
	if (file)
		fclose(file);
	if (matched == 0)
		pf_contest_drop(c, build, "the profile matched none of the %lld functions that were compiled (%s)",
				(long long)others, path);
}

/* Of the user's own FLAGS only -O and -g are sure to be written down as they were given; others (-march=native) are
 * written as what they stand for. */
static void keep_levels(const char *flags, char levels[200])
{
	size_t at = 0;

	*levels = '\0';
	while (*(flags += strspn(flags, " \t\n"))) {
		int length = (int)strcspn(flags, " \t\n");

		if (at < 160 && length < 20 && (strncmp(flags, "-O", 2) == 0 || strncmp(flags, "-g", 2) == 0))
			at += (size_t)snprintf(levels + at, 200 - at, "%.*s ", length, flags);
		flags += length;
	}
}

static int check(struct pf_contest *c, unsigned build, const char *flags, struct pf_error *error)
{
	struct pf_entry *e = &c->entries[build];
	struct pf_inspection in;
	struct pf_error why;
	char levels[200];
	char place[PATH_MAX];
	int status;

	pf_plan_path(c->plan, "build", NULL, place);
	status = pf_inspect_program(c->program, place, &in, &why);

	if (status < 0) {
		pf_contest_drop(c, build, "%s", why.text);
		return status == PF_ENOMEM ? pf_fail(error, status, "%s", why.text) : PF_OK;
	}
	e->text_bytes = in.text_bytes;
	e->hot_bytes = in.hot_bytes;
	snprintf(c->language, sizeof c->language, "%s", pf_inspect_language(&in));
	keep_levels(c->plan->cflags, levels);
	check_flags(c, build, &in, *flags ? flags : levels);
	if (build == PF_VARIANT_INSTR && !*e->error)
		pf_gcda_check(c, &in);
	pf_inspection_fini(&in);
	if ((pf_variant_is_recorded(build) || pf_build_variant(build) == PF_VARIANT_O3_SOFT) && !*e->error)
		check_report(c, build);
	return PF_OK;
}

static bool restore(struct pf_contest *c, unsigned build, const char *step)
{
	struct pf_entry *e = &c->entries[build];
	json_t *kept = pf_journal_read(c->plan->work, step, e->key), *notes;
	char home[PATH_MAX];
	const char *language;
	json_int_t text, hot;

	pf_plan_path(c->plan, "variants", pf_variant_name(build), home);
	if (kept && pf_tree_has(home) &&
	    json_unpack(kept, "{s:F, s:I, s:I, s:s, s:o}", "seconds", &e->build_seconds, "text", &text, "hot", &hot,
			"language", &language, "notes", &notes) == 0) {
		snprintf(c->language, sizeof c->language, "%s", language);
		e->text_bytes = (uint64_t)text;
		e->hot_bytes = (uint64_t)hot;
		json_array_clear(e->notes); /* the recording's are among these */
		json_array_extend(e->notes, notes);
		e->built = true;
	}
	json_decref(kept);
	return e->built;
}

static int keep(struct pf_contest *c, unsigned build, const char *step, struct pf_error *error)
{
	struct pf_entry *e = &c->entries[build];
	char place[PATH_MAX], home[PATH_MAX];
	json_t *result;
	int status;

	pf_plan_path(c->plan, "build", NULL, place);
	pf_plan_path(c->plan, "variants", pf_variant_name(build), home);
	status = pf_tree_remove(home, error);
	if (status == PF_OK && rename(place, home) != 0)
		status = pf_fail(error, PF_EIO, "%s: cannot become %s", place, home);
	if (status < 0)
		return status;
	result = json_pack("{s:f, s:I, s:I, s:s, s:O}", "seconds", e->build_seconds, "text", (json_int_t)e->text_bytes,
			   "hot", (json_int_t)e->hot_bytes, "language", c->language, "notes", e->notes);
	status = pf_journal_write(c->plan->work, step, e->key, result, error);
	json_decref(result);
	e->built = status == PF_OK;
	return status;
}

int pf_variant_build(struct pf_contest *c, unsigned build, const char *flags, const char *link_flags, uint64_t input,
		     struct pf_error *error)
{
	struct pf_entry *e = &c->entries[build];
	char step[48];
	int status;

	snprintf(step, sizeof step, "steps/build-%s", pf_variant_name(build));
	e->key = pf_digest_string(pf_digest_bytes(c->source_key, &input, sizeof input), flags);
	e->key = pf_digest_string(e->key, link_flags);
	status = c->in_place == (int)build ? pf_contest_place(c, -1, error) : PF_OK;
	if (status < 0)
		return status;
	if (restore(c, build, step)) {
		pf_contest_end(c, PF_WORK_BUILD, -1);
		return PF_OK;
	}
	pf_contest_begin(c, "building %s", pf_variant_name(build));
	pf_journal_forget(c->plan->work, step);
	status = compile(c, build, flags, link_flags, error);
	if (status == PF_OK && !*e->error)
		status = check(c, build, flags, error);
	return status == PF_OK && !*e->error ? keep(c, build, step, error) : status;
}
