/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See collect.h.  The hard case is a training run that goes well and teaches nothing: no counts, no samples, or samples
 * of something else (a shell, an interpreter) only.  Each step asks what it got before the next relies on it. */
#include "analysis/collect.h"
#include "analysis/gcda.h"
#include "analysis/journal.h"
#include "analysis/measure.h"
#include "analysis/recording.h"
#include "analysis/tree.h"
#include "analysis/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TRAIN "the training run"
#define MOST_ROUNDS 5

/* What -fprofile-use and pathfdo's plugin imply besides the profile itself (-Q --help=optimizers tells), without what
 * -funroll-loops brings with it on a command line only.  The variants with a profile are not told it: what is implied
 * may be taken back of functions that the profile does not know, what was asked for may not. */
#define PROFILE_FLAGS                                                                                                  \
	"-fipa-cp-clone -fgcse-after-reload -floop-interchange -floop-unroll-and-jam -fpeel-loops "                    \
	"-fpredictive-commoning -fsplit-loops -ftracer -ftree-loop-distribution -funroll-loops -funswitch-loops "      \
	"-fvect-cost-model=dynamic -fversion-loops-for-strides -fno-web -fno-rename-registers"

int pf_collect_base(struct pf_contest *c, struct pf_error *error)
{
	int status = pf_variant_build(c, PF_VARIANT_BASE, "", "", 0, error);

	if (status == PF_OK && !*c->entries[PF_VARIANT_BASE].error)
		status = pf_measure_expect(c, c->plan->train, "train", TRAIN, PF_WORK_TRAIN, error);
	return status;
}

/* --- instr ------------------------------------------------------------------------------------------------------- */

/* The instrumented program, trained: counts/.  What is wrong with it is wrong with instr. */
static int train_instrumented(struct pf_contest *c, struct pf_error *error)
{
	uint64_t key = pf_digest_string(c->entries[PF_GENERATE].key, c->plan->train);
	struct pf_run run = pf_measure_run(PF_GENERATE, c->plan->train, "run");
	char folder[PATH_MAX];
	struct pf_ending ending;
	json_t *kept = pf_journal_read(c->plan->work, "steps/counts", key);
	int status;

	pf_gcda_folder(c, folder);
	if (kept && pf_tree_has(folder)) {
		json_decref(kept);
		pf_contest_end(c, PF_WORK_TRAIN, -1);
		return PF_OK;
	}
	json_decref(kept);
	pf_journal_forget(c->plan->work, "steps/counts");
	status = pf_tree_renew(folder, error);
	if (status < 0)
		return status;
	run.blame = PF_VARIANT_INSTR;
	pf_contest_begin(c, TRAIN ", instrumented");
	status = pf_contest_check(c, &run, "the instrumented training run", "train", &ending, error);
	if (status < 0 || *c->entries[PF_VARIANT_INSTR].error)
		return status;
	pf_contest_end(c, PF_WORK_TRAIN, ending.wall);
	kept = json_real(ending.wall);
	status = pf_journal_write(c->plan->work, "steps/counts", key, kept, error);
	json_decref(kept);
	return status;
}

static int make_instr(struct pf_contest *c, struct pf_error *error)
{
	char folder[PATH_MAX], flags[PATH_MAX + 80];
	struct pf_error why;
	uint64_t counts;
	int status;

	pf_gcda_folder(c, folder);
	snprintf(flags, sizeof flags, "-fprofile-generate=%s", folder);
	status = pf_variant_build(c, PF_GENERATE, flags, flags, 0, error);
	if (status == PF_OK && *c->entries[PF_GENERATE].error)
		pf_contest_drop(c, PF_VARIANT_INSTR, "with -fprofile-generate in CFLAGS and LDFLAGS, %s",
				c->entries[PF_GENERATE].error);
	else if (status == PF_OK)
		status = train_instrumented(c, error);
	if (status < 0 || *c->entries[PF_VARIANT_INSTR].error)
		return status;
	status = pf_gcda_prepare(c, &counts, &why);
	if (status == PF_EEMPTY)
		pf_contest_drop(c, PF_VARIANT_INSTR, "%s", why.text);
	if (status < 0)
		return status == PF_EEMPTY ? PF_OK : pf_fail(error, status, "%s", why.text);
	snprintf(flags, sizeof flags, "-fprofile-use=%s -Wmissing-profile -Wno-error=missing-profile", folder);
	return pf_variant_build(c, PF_VARIANT_INSTR, flags, "", counts, error);
}

/* --- by recordings ----------------------------------------------------------------------------------------------- */

static int make_recorded(struct pf_contest *c, unsigned build, struct pf_error *error)
{
	bool o3 = pf_build_variant(build) == PF_VARIANT_O3_SOFT;
	char own[PATH_MAX * 4], flags[sizeof own + 10];
	uint64_t digest;
	int status = o3 ? pf_recording_share(c, build, error) : pf_recording_make(c, build, error);

	if (status == PF_OK && !*c->entries[build].error)
		status = pf_recording_flags(c, build, own, sizeof own, &digest, error);
	if (status < 0 || *c->entries[build].error)
		return status;
	snprintf(flags, sizeof flags, "%s%s", o3 ? "-O3 " : "", own);
	return pf_variant_build(c, build, flags, "", digest, error);
}

static int make_afdo(struct pf_contest *c, unsigned build, struct pf_error *error)
{
	char flags[PATH_MAX + 40];
	uint64_t digest;
	int status = pf_recording_export(c, build, &digest, error);

	if (status < 0 || *c->entries[build].error)
		return status;
	snprintf(flags, sizeof flags, "-fauto-profile=%s", c->entries[build].profile);
	return pf_variant_build(c, build, flags, "", digest, error);
}

static int make(struct pf_contest *c, unsigned build, struct pf_error *error)
{
	switch (pf_build_variant(build)) {
	case PF_VARIANT_FLAGS:
		return pf_variant_build(c, build, PROFILE_FLAGS, "", 0, error);
	case PF_VARIANT_O3:
		return pf_variant_build(c, build, "-O3", "", 0, error);
	case PF_VARIANT_INSTR:
		return make_instr(c, error);
	case PF_VARIANT_AFDO:
		return make_afdo(c, build, error);
	default:
		return make_recorded(c, build, error);
	}
}

int pf_collect_variants(struct pf_contest *c, struct pf_error *error)
{
	int status = PF_OK;

	for (unsigned b = PF_VARIANT_BASE + 1; status == PF_OK && b < PF_BUILDS; b++) {
		if (pf_plan_has(c->plan, b) && !*c->entries[b].error)
			status = make(c, b, error);
	}
	return status;
}

/* --- what it costs ----------------------------------------------------------------------------------------------- */

unsigned pf_collect_rounds(const struct pf_plan *plan)
{
	return plan->pairs < MOST_ROUNDS ? plan->pairs : MOST_ROUNDS;
}

/* From rounds to the schema's pairs. */
static void fill_collection(struct pf_contest *c, const struct pf_series *s, const json_t *rounds)
{
	for (size_t i = 1; i < s->count; i++) {
		const struct pf_contestant *one = &s->contestants[i];
		json_t *with = json_array(), *plain = json_array();
		const json_t *round;
		size_t r;

		json_array_foreach(rounds, r, round)
		{
			json_t *own = pf_series_taken(round, one->name, "seconds");
			json_t *base = pf_series_taken(round, s->contestants[0].name, "seconds");

			if (own && base) {
				json_array_append(with, own);
				json_array_append(plain, base);
			}
		}
		c->entries[one->run.blame].collection =
		    json_pack("{s:o, s:o}", "seconds", with, "plain_seconds", plain);
	}
}

static void add_contestants(struct pf_contest *c, struct pf_series *s, const char *file, const char *prefix[2],
			    char *wrappers[PF_VARIANTS])
{
	struct pf_run run = pf_measure_run(PF_VARIANT_BASE, c->plan->train, "run");

	pf_series_add(s, c, "plain", &run);
	for (unsigned v = 0; v < PF_VARIANTS; v++) {
		run = pf_measure_run(v == PF_VARIANT_INSTR ? PF_GENERATE : PF_VARIANT_BASE, c->plan->train, "run");
		run.blame = v;
		if (!c->plan->wanted[v] || *c->entries[v].error)
			continue;
		if (v == PF_VARIANT_INSTR)
			run.environment = prefix;
		else if (pf_variant_is_recorded(v))
			run.wrapper = wrappers[v] = pf_recording_wrapper(c, v);
		else
			continue;
		run.file = file;
		pf_series_add(s, c, pf_variant_name(v), &run);
	}
}

int pf_collect_overhead(struct pf_contest *c, struct pf_error *error)
{
	struct pf_series s = { .step = "steps/overhead",
			       .what = TRAIN,
			       .expected = "train",
			       .rounds = pf_collect_rounds(c->plan),
			       .work = PF_WORK_TRAIN,
			       .with_system = true };
	char file[PATH_MAX], folder[PATH_MAX], gcov[PATH_MAX + 20], *wrappers[PF_VARIANTS] = { NULL };
	const char *prefix[2] = { gcov, NULL };
	json_t *rounds = NULL;
	int status;

	pf_plan_path(c->plan, "data", "overhead.data", file);
	pf_plan_path(c->plan, "overhead", NULL, folder);
	/* The counts that instr is built with stay as they are. */
	snprintf(gcov, sizeof gcov, "GCOV_PREFIX=%s", folder);
	s.key = pf_digest_string(c->tool_key, c->plan->train);
	add_contestants(c, &s, file, prefix, wrappers);
	status = s.count > 1 ? pf_series_run(&s, c, &rounds, error) : PF_OK;
	if (status == PF_OK)
		fill_collection(c, &s, rounds);
	json_decref(rounds);
	for (unsigned v = 0; v < PF_VARIANTS; v++)
		free(wrappers[v]);
	unlink(file);
	return status == PF_OK ? pf_tree_remove(folder, error) : status;
}
