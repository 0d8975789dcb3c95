/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See contest.h.  The hard case is an interruption while a variant is in place: its folder bears its name in a file, so
 * that the next run can put it back, or knows that it was never finished. */
#include "analysis/contest.h"
#include "analysis/tree.h"
#include "support/outfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK ".pathfdo-variant"
#define CALLGRIND_FACTOR 60.0 /* a guess, until the first is done; the workload is often a smaller one */
#define SMALL_FACTOR 3.0

/* The build folder of an interrupted run: back to where it belongs, or away. */
static int put_back(struct pf_contest *c, struct pf_error *error)
{
	char place[PATH_MAX], mark[PATH_MAX], home[PATH_MAX], name[32] = "";
	FILE *file;

	pf_plan_path(c->plan, "build", NULL, place);
	pf_plan_path(c->plan, "build", MARK, mark);
	file = fopen(mark, "re");
	if (file) {
		if (!fgets(name, sizeof name, file))
			*name = '\0';
		fclose(file);
	}
	for (unsigned b = 0; b < PF_BUILDS; b++) {
		pf_plan_path(c->plan, "variants", pf_variant_name(b), home);
		if (strcmp(name, pf_variant_name(b)) == 0 && !pf_tree_has(home) && rename(place, home) == 0)
			return PF_OK;
	}
	return pf_tree_remove(place, error);
}

int pf_contest_init(struct pf_contest *c, const struct pf_plan *plan, struct pf_error *error)
{
	static const char *const parts[] = { "variants", "data", "outputs", "logs", "steps", "scratch" };
	char path[PATH_MAX];
	int status = PF_OK;

	*c = (struct pf_contest) { .plan = plan, .in_place = -1 };
	if (strlen(plan->work) + strlen(plan->program) > PATH_MAX - 100)
		return pf_fail(error, PF_EINVAL, "%s: the path is too long", plan->work);
	if (plan->again) {
		pf_plan_path(plan, "steps", NULL, path);
		status = pf_tree_remove(path, error);
	}
	for (size_t i = 0; status == PF_OK && i < sizeof parts / sizeof parts[0]; i++) {
		pf_plan_path(plan, parts[i], NULL, path);
		status = pf_tree_make(path, error);
	}
	snprintf(c->program, sizeof c->program, "%s/build%s/%s", plan->work, pf_plan_output_folder(plan),
		 plan->program);
	c->times = calloc(plan->reference_count + 1, sizeof *c->times);
	for (unsigned b = 0; b < PF_BUILDS; b++)
		c->entries[b].notes = json_array();
	if (!c->times)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	return status == PF_OK ? put_back(c, error) : status;
}

void pf_contest_fini(struct pf_contest *c)
{
	for (unsigned b = 0; b < PF_BUILDS; b++) {
		json_decref(c->entries[b].notes);
		json_decref(c->entries[b].collection);
		json_decref(c->entries[b].tool);
		json_decref(c->entries[b].instructions);
	}
	for (size_t r = 0; c->times && r < c->plan->reference_count; r++)
		json_decref(c->times[r]);
	free(c->times);
	*c = (struct pf_contest) { .in_place = -1 };
}

/* --- progress ---------------------------------------------------------------------------------------------------- */

static double piece(const struct pf_contest *c, enum pf_work work);

/* Seconds of a run under callgrind before there was one: by what the same command takes without.  Where no times are
 * measured, the training run, which can be much shorter or longer, tells nothing of another command. */
static double counted_piece(const struct pf_contest *c)
{
	const struct pf_plan *p = c->plan;

	if (strcmp(p->small, p->train) == 0 && c->done[PF_WORK_TRAIN] > 0)
		return piece(c, PF_WORK_TRAIN) * CALLGRIND_FACTOR;
	if (!p->times)
		return -1;
	return piece(c, PF_WORK_REFERENCE) * (p->small == p->references[0] ? CALLGRIND_FACTOR : SMALL_FACTOR);
}

/* Seconds of one piece; from another kind of work if none is done yet; negative if nothing is known. */
static double piece(const struct pf_contest *c, enum pf_work work)
{
	if (c->done[work] > 0)
		return c->seconds[work] / c->done[work];
	switch (work) {
	case PF_WORK_TRAIN:
		return c->done[PF_WORK_REFERENCE] > 0 ? piece(c, PF_WORK_REFERENCE) : -1;
	case PF_WORK_REFERENCE:
		return c->done[PF_WORK_TRAIN] > 0 ? piece(c, PF_WORK_TRAIN) : -1;
	case PF_WORK_CALLGRIND:
		return counted_piece(c);
	default:
		return -1;
	}
}

double pf_contest_left(const struct pf_contest *c)
{
	double sum = 0;

	for (unsigned w = 0; w < PF_WORKS; w++) {
		double one = piece(c, (enum pf_work)w);

		if (c->left[w] > 0 && one < 0)
			return -1;
		sum += c->left[w] * one * (c->left[w] > 0);
	}
	return sum;
}

void pf_contest_begin(struct pf_contest *c, const char *format, ...)
{
	char text[300];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (c->progress)
		c->progress(c->context, text, pf_contest_left(c));
}

void pf_contest_end(struct pf_contest *c, enum pf_work work, double seconds)
{
	if (c->left[work] > 0)
		c->left[work]--;
	if (seconds >= 0) {
		c->seconds[work] += seconds;
		c->done[work]++;
	}
}

/* --- builds ------------------------------------------------------------------------------------------------------ */

void pf_contest_drop(struct pf_contest *c, unsigned build, const char *format, ...)
{
	struct pf_entry *e = &c->entries[build];
	va_list arguments;

	if (*e->error)
		return;
	va_start(arguments, format);
	vsnprintf(e->error, sizeof e->error, format, arguments);
	va_end(arguments);
	for (unsigned b = pf_build_variant(build); b < PF_BUILDS; b += PF_BUILDS_EACH)
		memmove(c->entries[b].error, e->error, sizeof e->error);
	pf_contest_begin(c, "%s: %s", pf_variant_name(build), e->error);
}

bool pf_contest_has(const struct pf_contest *c, unsigned build)
{
	return c->entries[build].built && !*c->entries[build].error;
}

static int move(const char *from, const char *to, struct pf_error *error)
{
	if (rename(from, to) != 0)
		return pf_fail(error, PF_EIO, "%s: cannot become %s: %s", from, to, strerror(errno));
	return PF_OK;
}

/* What is in place goes back to its home under variants/. */
static int clear_place(struct pf_contest *c, struct pf_error *error)
{
	char place[PATH_MAX], home[PATH_MAX];
	int status;

	if (c->in_place < 0)
		return PF_OK;
	pf_plan_path(c->plan, "build", NULL, place);
	pf_plan_path(c->plan, "variants", pf_variant_name((unsigned)c->in_place), home);
	status = move(place, home, error);
	if (status == PF_OK)
		c->in_place = -1;
	return status;
}

int pf_contest_place(struct pf_contest *c, int build, struct pf_error *error)
{
	char place[PATH_MAX], home[PATH_MAX], mark[PATH_MAX];
	int status;

	if (build == c->in_place)
		return PF_OK;
	status = clear_place(c, error);
	if (status < 0 || build < 0)
		return status;
	pf_plan_path(c->plan, "build", NULL, place);
	pf_plan_path(c->plan, "variants", pf_variant_name((unsigned)build), home);
	snprintf(mark, sizeof mark, "%.*s/" MARK, PATH_MAX - 32, home);
	status =
	    pf_outfile_write(mark, pf_variant_name((unsigned)build), strlen(pf_variant_name((unsigned)build)), error);
	if (status == PF_OK)
		status = pf_tree_remove(place, error); /* a build that failed */
	if (status == PF_OK)
		status = move(home, place, error);
	if (status == PF_OK)
		c->in_place = build;
	return status;
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

int pf_contest_run(struct pf_contest *c, const struct pf_run *run, struct pf_ending *ending, struct pf_error *error)
{
	char scratch[PATH_MAX], output[PATH_MAX], log[PATH_MAX], program[PATH_MAX + 16];
	const char *arguments[] = { run->file ? run->file : "", run->command, NULL };
	const char *environment[8] = { program };
	struct pf_command command = {
		.script = run->wrapper ? run->wrapper : run->command,
		.arguments = run->wrapper ? arguments : NULL,
		.environment = environment,
		.folder = scratch,
		.output = output,
		.log = log,
		.cpu = run->pinned ? c->plan->cpu : -1,
		.timeout = c->plan->timeout,
		.count = run->count,
	};
	int status = pf_contest_place(c, (int)run->build, error);

	snprintf(program, sizeof program, "PROGRAM=%s", c->program);
	for (size_t i = 0; run->environment && run->environment[i] && i < 6; i++)
		environment[i + 1] = run->environment[i];
	pf_plan_path(c->plan, "scratch", NULL, scratch);
	pf_plan_path(c->plan, "outputs", run->output, output);
	pf_plan_path(c->plan, "logs", run->log, log);
	if (status == PF_OK)
		status = pf_tree_renew(scratch, error);
	return status == PF_OK ? pf_command_run(&command, ending, error) : status;
}

/* Whether both files have the same bytes. */
static bool same_bytes(const char *a, const char *b)
{
	FILE *x = fopen(a, "re"), *y = fopen(b, "re");
	bool same = x && y;
	char p[8192], q[8192];

	while (same) {
		size_t got = fread(p, 1, sizeof p, x);

		same = fread(q, 1, sizeof q, y) == got && memcmp(p, q, got) == 0;
		if (got < sizeof p)
			break;
	}
	if (x)
		fclose(x);
	if (y)
		fclose(y);
	return same;
}

int pf_contest_check(struct pf_contest *c, const struct pf_run *run, const char *what, const char *expected,
		     struct pf_ending *ending, struct pf_error *error)
{
	char got[PATH_MAX], want[PATH_MAX], log[PATH_MAX], how[PF_ENDING_TEXT];
	int status = pf_contest_run(c, run, ending, error);

	if (status < 0)
		return status;
	pf_plan_path(c->plan, "outputs", run->output, got);
	pf_plan_path(c->plan, "outputs", expected, want);
	pf_plan_path(c->plan, "logs", run->log, log);
	if (!pf_ending_good(ending)) {
		pf_ending_describe(ending, c->plan->timeout, log, how, sizeof how);
		pf_contest_drop(c, run->blame, "%s %s", what, how);
	} else if (expected && !same_bytes(got, want)) {
		pf_contest_drop(
		    c, run->blame,
		    run->blame == PF_VARIANT_BASE
			? "%s prints not the same in every run; what is compared must be deterministic (%s, %s)"
			: "%s prints something else than the base variant's (%s, %s)",
		    what, got, want);
	}
	return PF_OK;
}
