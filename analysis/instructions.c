/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See instructions.h.  The hard case is what base is compared with: a variant that was counted in an earlier run is
 * compared with the base of that run, so what is kept of a count is all that the comparison needs. */
#include "analysis/instructions.h"
#include "analysis/executed.h"
#include "analysis/journal.h"
#include "analysis/measure.h"
#include "analysis/results.h"
#include "analysis/same-calls.h"
#include "analysis/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of what is kept of a count. */
#define INSTRUCTIONS "instructions"
#define LIBRARIES "libraries"

/* How it was counted: to be changed with that. */
#define RULE "lines without repetitions"

struct sum {
	struct pf_executed executed;
	struct pf_error *error;
};

static int add_file(void *context, const char *path)
{
	struct sum *s = context;

	return pf_executed_read(path, &s->executed, s->error);
}

/* Tools of the system that start nothing else need not run under valgrind, where each takes a second to begin. */
static const char counting_wrapper[] =
    "exec valgrind -q --tool=callgrind --dump-instr=yes --trace-children=yes --callgrind-out-file=\"$1/%p\" "
    "--trace-children-skip="
    "/usr/bin/basename,/usr/bin/cat,/usr/bin/cksum,/usr/bin/cmp,/usr/bin/cp,/usr/bin/cut,/usr/bin/date,"
    "/usr/bin/dd,/usr/bin/diff,/usr/bin/dirname,/usr/bin/echo,/usr/bin/expr,/usr/bin/grep,/usr/bin/head,"
    "/usr/bin/ln,/usr/bin/ls,/usr/bin/md5sum,/usr/bin/mkdir,/usr/bin/mktemp,/usr/bin/mv,/usr/bin/nproc,"
    "/usr/bin/od,/usr/bin/printf,/usr/bin/readlink,/usr/bin/rm,/usr/bin/seq,/usr/bin/sha1sum,"
    "/usr/bin/sha256sum,/usr/bin/sleep,/usr/bin/sort,/usr/bin/tail,/usr/bin/tee,/usr/bin/test,"
    "/usr/bin/touch,/usr/bin/tr,/usr/bin/true,/usr/bin/uname,/usr/bin/uniq,/usr/bin/wc "
    "/bin/sh -c \"$2\"";

/* A run of BUILD under callgrind, which leaves its files in FOLDER.  Valgrind's arithmetic is not quite the
 * processor's, so the output is compared with that of base under valgrind.  A base that valgrind cannot run is no fault
 * of the program: then, unless instructions are all that is asked for, there are none. */
static int run_counted(struct pf_contest *c, unsigned build, const char *folder, struct pf_ending *ending,
		       struct pf_error *error)
{
	struct pf_run run = pf_measure_run(build, c->plan->small, build == PF_VARIANT_BASE ? "callgrind" : "run");
	const char *what = "the run under callgrind";
	char log[PATH_MAX], how[PF_ENDING_TEXT], note[PF_ENDING_TEXT + 100];
	int status;

	run.wrapper = counting_wrapper;
	run.file = folder;
	run.log = "callgrind";
	if (build != PF_VARIANT_BASE)
		return pf_contest_check(c, &run, what, "callgrind", ending, error);
	if (!c->plan->times)
		return pf_contest_check(c, &run, what, NULL, ending, error);
	status = pf_contest_run(c, &run, ending, error);
	if (status < 0 || pf_ending_good(ending))
		return status;
	pf_plan_path(c->plan, "logs", run.log, log);
	pf_ending_describe(ending, c->plan->timeout, log, how, sizeof how);
	snprintf(note, sizeof note, "no instructions were counted: %s %s", what, how);
	json_array_append_new(c->entries[build].notes, pf_journal_text(note));
	return PF_OK;
}

/* Counts those of BUILD: *COUNTED is then an object of their number and of what libraries took; NULL if BUILD was
 * dropped or cannot be counted. */
static int count(struct pf_contest *c, unsigned build, const char *folder, json_t **counted, struct pf_error *error)
{
	struct sum sum = { { .program = c->program, .own = c->plan->work }, error };
	struct pf_ending ending;
	int status = pf_tree_renew(folder, error);

	*counted = NULL;
	pf_contest_begin(c, "counting the instructions of %s", pf_variant_name(build));
	if (status == PF_OK)
		status = run_counted(c, build, folder, &ending, error);
	if (status < 0 || *c->entries[build].error || !pf_ending_good(&ending))
		return status;
	pf_contest_end(c, PF_WORK_CALLGRIND, ending.wall);
	sum.executed.libraries = json_object();
	status = pf_tree_walk(folder, add_file, &sum, error);
	if (status == PF_OK && sum.executed.processes == 0)
		pf_contest_drop(c, build, "callgrind saw no process of %s; does the command run \"$PROGRAM\"?",
				c->program);
	else if (status == PF_OK)
		*counted = json_pack("{s:I, s:O}", INSTRUCTIONS, (json_int_t)sum.executed.instructions, LIBRARIES,
				     sum.executed.libraries);
	json_decref(sum.executed.libraries);
	return status;
}

/* As count, or what an earlier run has counted of the same build. */
static int count_if_new(struct pf_contest *c, unsigned build, const char *folder, json_t **counted,
			struct pf_error *error)
{
	uint64_t key = pf_digest_string(pf_digest_string(c->entries[build].key, counting_wrapper), c->plan->small);
	char step[60], base[PATH_MAX];
	int status;

	snprintf(step, sizeof step, "steps/instructions-%s", pf_variant_name(build));
	pf_plan_path(c->plan, "outputs", "callgrind", base);
	key = pf_digest_bytes(pf_digest_string(key, RULE), &c->valgrind_key, sizeof c->valgrind_key);
	key = pf_digest_bytes(key, &c->entries[0].key, sizeof c->entries[0].key);
	*counted = pf_tree_has(base) ? pf_journal_read(c->plan->work, step, key) : NULL;
	if (*counted) {
		pf_contest_end(c, PF_WORK_CALLGRIND, -1);
		return PF_OK;
	}
	pf_journal_forget(c->plan->work, step);
	status = count(c, build, folder, counted, error);
	if (status < 0 || !*counted)
		return status;
	return pf_journal_write(c->plan->work, step, key, *counted, error);
}

/* What libraries take more for the same calls than in base is not the build's. */
static void settle(struct pf_contest *c, unsigned build, const json_t *base, const json_t *counted)
{
	json_int_t instructions = json_integer_value(json_object_get(counted, INSTRUCTIONS));
	struct pf_same_calls_gap gap =
	    pf_same_calls_compare(json_object_get(base, LIBRARIES), json_object_get(counted, LIBRARIES));
	char note[PATH_MAX];

	if (!counted)
		return;
	instructions -= gap.instructions;
	c->entries[build].instructions = json_integer(instructions);
	if (llabs(gap.instructions) < PF_RESULTS_INSTRUCTION_NOISE * (double)instructions)
		return;
	snprintf(note, sizeof note,
		 "libraries took %+.1f million instructions for the same calls as base's, by where their data lie, and "
		 "that is not counted; %+.1f in %s, %" PRIu64 " calls",
		 (double)gap.instructions / 1e6, (double)gap.of_largest / 1e6, gap.largest, gap.calls);
	json_array_append_new(c->entries[build].notes, pf_journal_text(note));
}

int pf_instructions_measure(struct pf_contest *c, struct pf_error *error)
{
	char folder[PATH_MAX];
	json_t *base, *other;
	int status;

	pf_plan_path(c->plan, "callgrind", NULL, folder);
	status = count_if_new(c, PF_VARIANT_BASE, folder, &base, error);
	settle(c, PF_VARIANT_BASE, base, base);
	for (unsigned b = PF_VARIANT_BASE + 1; status == PF_OK && base && b < PF_BUILDS; b++) {
		if (!pf_plan_has(c->plan, b) || !pf_contest_has(c, b))
			continue;
		status = count_if_new(c, b, folder, &other, error);
		settle(c, b, base, other);
		json_decref(other);
	}
	json_decref(base);
	return status == PF_OK ? pf_tree_remove(folder, error) : status;
}
