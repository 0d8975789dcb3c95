/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `pathfdo record` says.  Hard case: a recording that is there, but of less than the user thinks; each way in
 * which that can be is counted by somebody, and told here with its cure. */
#include "cli/commands.h"
#include "cli/recordline.h"
#include "runtime/agent/wire.h"
#include "runtime/machine.h"

#include <inttypes.h>
#include <stdio.h>

#define LEAST_UNSEEN_NS 1000000000u /* of CPU time: of less little can be said */
#define LEAST_MADE 10               /* one in so many bursts: of fewer in code without a file nothing is said */

int pf_record_fail(const struct pf_error *error)
{
	fprintf(stderr, "pathfdo record: %s\n", error->text);
	return PF_EXIT_FAILURE;
}

void pf_record_print_full(const struct pf_session_result *result)
{
	if (result->full)
		fputs("pathfdo record: the disk of the recorder's folder is full: what was to be recorded since then "
		      "may be "
		      "missing; set TMPDIR to another\n",
		      stderr);
}

void pf_record_print_saved(const struct pf_session_result *result)
{
	if (*result->saved)
		fprintf(stderr,
			"pathfdo record: the recording is whole, and is kept as %s; move it where you want it\n",
			result->saved);
	if (*result->folder)
		fprintf(stderr,
			"pathfdo record: what was recorded is kept in %s; `pathfdo record --collect=%s -o FILE` writes "
			"it to another place, then remove the folder\n",
			result->folder, result->folder);
}

/* 1234567 as "1.2 M", 831000 as "831 k". */
static const char *scaled(uint64_t value, char text[32])
{
	if (value < 10000)
		snprintf(text, 32, "%" PRIu64, value);
	else if (value < 1000000)
		snprintf(text, 32, "%" PRIu64 " k", value / 1000);
	else
		snprintf(text, 32, "%.1f M", (double)value / 1e6);
	return text;
}

static const char *size_text(uint64_t bytes, char text[32])
{
	if (bytes < 100000)
		snprintf(text, 32, "%.1f kB", (double)bytes / 1e3);
	else
		snprintf(text, 32, "%.1f MB", (double)bytes / 1e6);
	return text;
}

static void print_refused(uint64_t count, const char *one, const char *many, enum pf_refusal reason)
{
	if (count)
		fprintf(stderr, "pathfdo record: %" PRIu64 " %s not recorded: %s\n", count, count == 1 ? one : many,
			pf_session_refusal(reason));
}

static void print_refusals(const struct pf_session_result *result)
{
	for (int i = 0; i < PF_REFUSE_COUNT; i++) {
		print_refused(result->refused_processes[i], "process", "processes", i);
		print_refused(result->refusals[i], "thread", "threads", i);
	}
	if (result->left)
		fprintf(stderr, "pathfdo record: %" PRIu64 " processes stopped to record when the recorder was gone\n",
			result->left);
}

static void print_thinned(const struct pf_session_result *result)
{
	if (result->thinned)
		fprintf(
		    stderr,
		    "pathfdo record: %" PRIu64 " of %" PRIu64
		    " commands were run without the recorder, as they had been short each time before; the like that "
		    "were recorded count for them\n",
		    result->thinned, result->thinned + result->images);
}

bool pf_record_is_mostly_unseen(const struct pf_session_result *result)
{
	return result->cpu_ns >= LEAST_UNSEEN_NS && result->unseen_ns > result->cpu_ns / 2;
}

/* A higher rate is no cure where the kernel's tick is the limit already. */
static void print_unseen(const struct pf_record_line *line, const struct pf_session_result *result)
{
	uint32_t tick = pf_machine_tick();

	if (pf_record_is_mostly_unseen(result) && !line->session.only)
		fprintf(stderr,
			"pathfdo record: %.0f%% of the CPU time was used by threads that gave no vectors: those of "
			"static or "
			"privileged processes, ones too short for a burst at this rate%s, or those refused\n",
			100.0 * (double)result->unseen_ns / (double)result->cpu_ns,
			tick && line->session.frequency >= tick ? "" : " (raise -F)");
}

/* What the kernel gave us it may have refused to the program, whose filter of system calls or limits are its own. */
static void print_uncounted(const struct pf_session_choice *choice, const struct pf_session_result *result)
{
	if (choice->trigger.pace && result->counted < result->recorded)
		fprintf(stderr,
			"pathfdo record: %" PRIu64 " of %" PRIu64
			" bursts were begun by the CPU timer, as the kernel gave their threads no counter of %s\n",
			result->recorded - result->counted, result->recorded, choice->trigger.name);
}

static void print_ends(const struct pf_session_result *result)
{
	for (int i = PF_END_LENGTH + 1; i < PF_END_COUNT; i++) {
		if (result->ends[i])
			fprintf(stderr, "pathfdo record: %" PRIu64 " bursts ended early: %s\n", result->ends[i],
				pf_session_end(i));
	}
}

/* Bursts that began in such code have no branches and are not among the recorded. */
static void print_made(const struct pf_session_result *result)
{
	uint64_t made = result->ends[PF_END_ANONYMOUS], all = 0;

	for (int i = 0; i < PF_END_COUNT; i++)
		all += result->ends[i];
	if (made * LEAST_MADE > all)
		fprintf(stderr,
			"pathfdo record: %.0f%% of the bursts came to %s, of which nothing is recorded, as no build "
			"makes it\n",
			100.0 * (double)made / (double)all, pf_session_end(PF_END_ANONYMOUS));
}

static void print_living(const struct pf_record_line *line, const struct pf_session_result *result)
{
	bool one = result->living == 1;

	fprintf(stderr, "pathfdo record: %" PRIu64 " process%s still run%s (%" PRIu32 "%s), no longer recorded%s%s\n",
		result->living, one ? "" : "es", one ? "s" : "", result->living_pid, one ? "" : " and others",
		line->session.follow ? "" : "; --follow-daemons waits for ",
		line->session.follow ? ""
		: one                ? "it"
				     : "them");
}

static void print_soft(const struct pf_record_line *line, const struct pf_session_result *result)
{
	print_refusals(result);
	print_thinned(result);
	if (!line->session.whole)
		print_unseen(line, result);
	if (result->living)
		print_living(line, result);
	if (line->verbose)
		print_ends(result);
	else if (!line->session.whole)
		print_made(result);
	if (result->damaged)
		fprintf(stderr,
			"pathfdo record: %" PRIu32 " section%s damaged, the rest of the recording is kept: %s\n",
			result->damaged, result->damaged == 1 ? " is" : "s are", result->damage);
	if (result->lost_bursts)
		fprintf(stderr, "pathfdo record: %" PRIu64 " bursts had no place in --limit\n", result->lost_bursts);
	if (!line->session.whole && result->recorded > result->vectors && !result->damaged)
		fprintf(stderr,
			"pathfdo record: of %" PRIu64 " bursts a fair sample of %" PRIu64 " fits into --limit\n",
			result->recorded, result->vectors);
}

static void print_warnings(const struct pf_record_line *line, const struct pf_session_choice *choice,
			   const struct pf_session_result *result)
{
	if (choice->source == PF_SESSION_SOFT)
		print_soft(line, result);
	print_uncounted(choice, result);
	if (result->lost)
		fprintf(stderr, "pathfdo record: %" PRIu64 " %s lost; lower -F%s\n", result->lost,
			choice->source == PF_SESSION_SOFT ? "branches were" : "events were",
			choice->source == PF_SESSION_SOFT ? " or give the recorder more room with --limit" : "");
	if (result->throttled)
		fprintf(stderr,
			"pathfdo record: the kernel throttled the event %" PRIu64
			" times; lower -F or raise kernel.perf_event_max_sample_rate\n",
			result->throttled);
	if (result->limited)
		fprintf(stderr, "pathfdo record: --limit was reached, the rest of the run is not in the recording\n");
	if (result->slowed && line->verbose)
		fprintf(stderr, "pathfdo record: the rate was lowered to keep --max-overhead\n");
}

static void print_summary(const struct pf_record_line *line, const struct pf_session_choice *choice,
			  const struct pf_session_result *result)
{
	char vectors[32], branches[32], size[32];
	double seconds = (double)result->cpu_ns / 1e9;

	fprintf(stderr, "[ pathfdo record: %s %s, ", scaled(result->vectors, vectors),
		choice->source == PF_SESSION_SOFT ? "bursts" : "samples");
	if (choice->source != PF_SESSION_CLOCK)
		fprintf(stderr, "%s branches, ", scaled(result->branches, branches));
	if (line->session.whole) {
		fprintf(stderr,
			"%s -> %s; %" PRIu64
			" instructions between them were the processor's; it ran on unseen %" PRIu64 " times ]\n",
			size_text(result->bytes, size), line->session.output, result->steps, result->unseen);
		return;
	}
	fprintf(stderr, "%s -> %s; recorder cost %.2f%% of %.*f s CPU ]\n", size_text(result->bytes, size),
		line->session.output, result->cpu_ns ? 100.0 * (double)result->cost_ns / (double)result->cpu_ns : 0.0,
		seconds < 1 ? 3 : 1, seconds);
}

static void print_choice(const struct pf_record_line *line, const struct pf_session_choice *choice)
{
	/* Soft is as good where it works; clock is not. */
	if (*choice->why && (line->verbose || (choice->source == PF_SESSION_CLOCK && !line->quiet)))
		fprintf(stderr, "pathfdo record: source %s: %s\n", pf_session_source_name(choice->source), choice->why);
	if (line->verbose && choice->source == PF_SESSION_SOFT && *choice->agent)
		fprintf(stderr, "pathfdo record: recorder library %s\n", choice->agent);
	if (line->verbose && choice->source == PF_SESSION_SOFT && !line->session.whole)
		fprintf(stderr, "pathfdo record: bursts begun by: %s%s%s\n", choice->trigger.text,
			*choice->trigger.why ? "; taken branches cannot be counted: " : "", choice->trigger.why);
	if (line->verbose && choice->source != PF_SESSION_SOFT)
		fprintf(stderr, "pathfdo record: event %s\n", choice->event);
}

/* What the kernel's tick makes of the rate. */
static void print_tick(const struct pf_record_line *line, const struct pf_session_choice *choice)
{
	uint32_t tick = pf_machine_tick();

	if (choice->source == PF_SESSION_SOFT && !choice->trigger.pace && tick && !line->quiet &&
	    !line->session.whole && (line->verbose || line->session.frequency > tick))
		fprintf(stderr,
			"pathfdo record: the kernel's tick of %" PRIu32 " Hz allows at most %" PRIu32
			" bursts in a second of each thread\n",
			tick, tick);
}

void pf_record_print_choice(const struct pf_record_line *line, const struct pf_session_choice *choice)
{
	print_choice(line, choice);
	print_tick(line, choice);
}

void pf_record_print_result(const struct pf_record_line *line, const struct pf_session_choice *choice,
			    const struct pf_session_result *result)
{
	print_warnings(line, choice, result);
	if (!line->quiet)
		print_summary(line, choice, result);
}
