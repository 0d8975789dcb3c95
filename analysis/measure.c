/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See measure.h.  The hard case is a shared machine whose speed drifts: only runs of one round are compared, every
 * other round goes backwards, and base runs twice in each, for the noise.  Each round is written down when it is
 * complete. */
#include "analysis/measure.h"
#include "analysis/busy.h"
#include "analysis/journal.h"
#include "analysis/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARE "share"  /* key of a round: pf_counter_sums.share, where it is below 1 */
#define BUSY_LEAST 0.2 /* processors; a tenth is what an idle system's own daemons take now and then */

void pf_series_add(struct pf_series *s, const struct pf_contest *c, const char *name, const struct pf_run *run)
{
	s->key = pf_digest_string(s->key, name);
	s->key = pf_digest_bytes(s->key, &c->entries[run->build].key, sizeof c->entries[run->build].key);
	s->contestants[s->count++] = (struct pf_contestant) { name, *run };
}

json_t *pf_series_taken(const json_t *round, const char *name, const char *key)
{
	return json_object_get(json_object_get(round, name), key);
}

/* What a run cost, as it stands in a round. */
static json_t *result_of(const struct pf_series *s, const struct pf_ending *ending)
{
	json_t *result = json_pack("{s:f}", "seconds", ending->user + (s->with_system ? ending->system : 0));

	for (int i = 0; i < PF_COUNTERS; i++) {
		if (ending->counted.events[i] >= 0)
			json_object_set_new(result, pf_counter_names[i], json_real(ending->counted.events[i]));
	}
	if (ending->counted.share < 1)
		json_object_set_new(result, SHARE, json_real(ending->counted.share));
	return result;
}

/* One round; NULL in *ROUND when base was dropped. */
static int run_round(const struct pf_series *s, struct pf_contest *c, size_t number, json_t **round,
		     struct pf_error *error)
{
	*round = json_object();
	for (size_t i = 0; i < s->count; i++) {
		const struct pf_contestant *one = &s->contestants[number % 2 ? s->count - 1 - i : i];
		struct pf_ending ending;
		int status;

		if (*c->entries[one->run.blame].error)
			continue;
		pf_contest_begin(c, "%s, round %zu of %u: %s", s->what, number + 1, s->rounds, one->name);
		status = pf_contest_check(c, &one->run, s->what, s->expected, &ending, error);
		if (status < 0) {
			json_decref(*round);
			return status;
		}
		pf_contest_end(c, s->work, ending.wall);
		if (!*c->entries[one->run.blame].error)
			json_object_set_new(*round, one->name, result_of(s, &ending));
	}
	return PF_OK;
}

/* Other work on the machine, where times are measured: told when it is seen, and a note of base's. */
static void note_busy(const struct pf_series *s, struct pf_contest *c)
{
	double busy = pf_busy_processors();
	char note[200];

	if (busy < BUSY_LEAST)
		return;
	snprintf(note, sizeof note,
		 "other work kept %.1f processors busy when the rounds of %s began: the times mean little", busy,
		 s->what);
	pf_contest_begin(c, "%s", note);
	json_array_append_new(c->entries[PF_VARIANT_BASE].notes, pf_journal_text(note));
}

int pf_series_run(const struct pf_series *s, struct pf_contest *c, json_t **rounds, struct pf_error *error)
{
	json_t *kept = pf_journal_read(c->plan->work, s->step, s->key);
	int status = PF_OK;

	*rounds = json_is_array(kept) ? kept : json_array();
	if (*rounds != kept)
		json_decref(kept);
	while (json_array_size(*rounds) > s->rounds)
		json_array_remove(*rounds, s->rounds);
	for (size_t i = 0; i < json_array_size(*rounds) * s->count; i++)
		pf_contest_end(c, s->work, -1);
	if (json_array_size(*rounds) < s->rounds)
		note_busy(s, c);
	for (size_t r = json_array_size(*rounds); status == PF_OK && r < s->rounds; r++) {
		json_t *round;

		if (*c->entries[PF_VARIANT_BASE].error)
			return PF_OK;
		status = run_round(s, c, r, &round, error);
		if (status < 0)
			break;
		json_array_append_new(*rounds, round);
		/* What a round dropped must be found again by the next run. */
		if (json_object_size(round) == s->count)
			status = pf_journal_write(c->plan->work, s->step, s->key, *rounds, error);
	}
	return status;
}

struct pf_run pf_measure_run(unsigned build, const char *command, const char *output)
{
	return (struct pf_run) {
		.build = build, .blame = build, .command = command, .output = output, .log = "run", .pinned = true
	};
}

int pf_measure_expect(struct pf_contest *c, const char *command, const char *name, const char *what, enum pf_work work,
		      struct pf_error *error)
{
	struct pf_run run = pf_measure_run(PF_VARIANT_BASE, command, name);
	uint64_t key = pf_digest_string(c->entries[PF_VARIANT_BASE].key, command);
	char step[80], path[PATH_MAX];
	struct pf_ending ending;
	json_t *kept;
	int status;

	snprintf(step, sizeof step, "steps/output-%s", name);
	pf_plan_path(c->plan, "outputs", name, path);
	kept = pf_journal_read(c->plan->work, step, key);
	if (kept && pf_tree_has(path)) {
		json_decref(kept);
		pf_contest_end(c, work, -1);
		return PF_OK;
	}
	json_decref(kept);
	pf_contest_begin(c, "%s of base, for its output", what);
	pf_journal_forget(c->plan->work, step);
	status = pf_contest_check(c, &run, what, NULL, &ending, error);
	if (status < 0 || *c->entries[PF_VARIANT_BASE].error)
		return status;
	pf_contest_end(c, work, ending.wall);
	kept = json_real(ending.wall);
	status = pf_journal_write(c->plan->work, step, key, kept, error);
	json_decref(kept);
	return status;
}

static int check_output(struct pf_contest *c, unsigned build, const char *command, const char *expected,
			const char *what, struct pf_error *error)
{
	struct pf_run run = pf_measure_run(build, command, "run");
	uint64_t key = pf_digest_bytes(c->entries[build].key, &c->entries[0].key, sizeof c->entries[0].key);
	char step[80];
	struct pf_ending ending;
	json_t *kept;
	int status;

	key = pf_digest_string(key, command);
	snprintf(step, sizeof step, "steps/check-%s-%s", expected, pf_variant_name(build));
	kept = pf_journal_read(c->plan->work, step, key);
	if (kept) {
		json_decref(kept);
		pf_contest_end(c, PF_WORK_TRAIN, -1);
		return PF_OK;
	}
	pf_contest_begin(c, "%s of %s, for its output", what, pf_variant_name(build));
	status = pf_contest_check(c, &run, what, expected, &ending, error);
	if (status < 0)
		return status;
	pf_contest_end(c, PF_WORK_TRAIN, ending.wall);
	if (*c->entries[build].error)
		return PF_OK;
	kept = json_real(ending.wall);
	status = pf_journal_write(c->plan->work, step, key, kept, error);
	json_decref(kept);
	return status;
}

int pf_measure_outputs(struct pf_contest *c, const char *command, const char *expected, const char *what,
		       struct pf_error *error)
{
	int status = PF_OK;

	for (unsigned b = 0; status == PF_OK && b < PF_BUILDS; b++) {
		if (*c->entries[PF_VARIANT_BASE].error)
			break;
		/* Without timed runs those under callgrind are compared. */
		if (pf_plan_has(c->plan, b) && pf_contest_has(c, b) && (b == PF_VARIANT_BASE || c->plan->times))
			status = check_output(c, b, command, expected, what, error);
	}
	return status;
}

static struct pf_run reference_run(const struct pf_contest *c, unsigned build, const char *command)
{
	struct pf_run run = pf_measure_run(build, command, "run");

	run.count = c->counters != 0;
	return run;
}

/* Where counters took turns, the numbers are estimates. */
static void note_turns(struct pf_contest *c, const char *what, const json_t *rounds)
{
	double least = 1;
	const json_t *round;
	char note[200];
	size_t i;

	json_array_foreach(rounds, i, round)
	{
		const char *name;
		const json_t *result;

		json_object_foreach((json_t *)round, name, result)
		{
			const json_t *share = json_object_get(result, SHARE);

			if (share && json_number_value(share) < least)
				least = json_number_value(share);
		}
	}
	if (least == 1)
		return;
	snprintf(note, sizeof note,
		 "the processor's counters took turns in %s: an event was counted in as little as %.0f%% of the time, "
		 "and is scaled up",
		 what, 100 * least);
	json_array_append_new(c->entries[PF_VARIANT_BASE].notes, pf_journal_text(note));
}

static int measure_reference(struct pf_contest *c, size_t number, struct pf_error *error)
{
	const char *command = c->plan->references[number];
	char step[40], what[60], expected[40];
	struct pf_series s = { .step = step, .what = what, .expected = expected, .rounds = c->plan->pairs };
	struct pf_run run;
	int status;

	s.work = PF_WORK_REFERENCE;
	s.key = pf_digest_bytes(pf_digest_string(PF_DIGEST_START, command), &c->plan->cpu, sizeof c->plan->cpu);
	s.key = pf_digest_bytes(s.key, &c->counters, sizeof c->counters);
	snprintf(step, sizeof step, "steps/times-%zu", number + 1);
	snprintf(what, sizeof what, "reference run %zu", number + 1);
	snprintf(expected, sizeof expected, "reference-%zu", number + 1);
	status = pf_measure_expect(c, command, expected, what, PF_WORK_REFERENCE, error);
	if (status < 0 || *c->entries[PF_VARIANT_BASE].error)
		return status;
	for (unsigned b = 0; b < PF_BUILDS; b++) {
		run = reference_run(c, b, command);
		if (pf_plan_has(c->plan, b) && pf_contest_has(c, b))
			pf_series_add(&s, c, pf_variant_name(b), &run);
	}
	run = reference_run(c, PF_VARIANT_BASE, command);
	pf_series_add(&s, c, "again", &run);
	status = pf_series_run(&s, c, &c->times[number], error);
	note_turns(c, what, c->times[number]);
	return status;
}

/* Finds out what the machine counts: a command that does nothing tells. */
static int probe_counters(struct pf_contest *c, struct pf_error *error)
{
	char log[PATH_MAX];
	struct pf_command command = {
		.script = ":", .folder = c->plan->work, .log = log, .cpu = c->plan->cpu, .timeout = 60, .count = true
	};
	struct pf_ending ending;
	int status;

	pf_plan_path(c->plan, "logs", "counters", log);
	status = pf_command_run(&command, &ending, error);
	c->counters = 0;
	for (int i = 0; i < PF_COUNTERS && ending.counted.events[PF_COUNTER_CYCLES] > 0; i++)
		c->counters |= (unsigned)(ending.counted.events[i] >= 0) << i;
	if (status == PF_OK && c->counters == 0)
		pf_counters_explain(c->uncounted, sizeof c->uncounted);
	return status;
}

int pf_measure_times(struct pf_contest *c, struct pf_error *error)
{
	int status = probe_counters(c, error);

	for (size_t r = 0; status == PF_OK && r < c->plan->reference_count; r++) {
		if (!*c->entries[PF_VARIANT_BASE].error)
			status = measure_reference(c, r, error);
	}
	return status;
}
