/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See session.h.  Hard case: everything that can fail without the program is tried before it runs (the output file, the
 * event, the private folder), for a program cannot be run again; what fails afterwards still tells how it ended, and
 * the private folder is there until the recording is. */
#include "runtime/session.h"

#include "perfdata/perfdata.h"
#include "runtime/deliver.h"
#include "runtime/keeper.h"
#include "runtime/launch.h"
#include "runtime/living.h"
#include "runtime/outcome.h"
#include "runtime/procfs.h"
#include "runtime/sampler.h"
#include "runtime/selection.h"
#include "runtime/soft.h"
#include "runtime/tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SOFT_FREQUENCY 100
#define SAMPLE_FREQUENCY 1000
/* Of a whole run: the limit gives the number of distinct edges; and ticks in a second, which only find again what was
 * lost. */
#define WHOLE_LIMIT ((uint64_t)64 << 20)
#define WHOLE_FREQUENCY 1000
#define BEAT_MS 1000
#define EXIT_MS 100   /* in which processes that are ending have ended */
#define START_MS 1000 /* ...and those that have executed a program have loaded the library */
#define LOOK_MS 10
/* From so many processes on the time to load the library into them is worth being measured. */
#define MANY_IMAGES 10

const char *pf_session_source_name(enum pf_session_source source)
{
	static const char *const names[] = { "auto", "lbr", "soft", "clock" };

	return names[source];
}

uint32_t pf_session_frequency(const struct pf_session_options *options, enum pf_session_source source)
{
	if (options->frequency)
		return options->frequency;
	return source == PF_SESSION_SOFT ? SOFT_FREQUENCY : SAMPLE_FREQUENCY;
}

/* What forbids it here is handed on to the programs that are run. */
static bool may_make_code(void)
{
	void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return errno != EACCES && errno != EPERM;
	munmap(page, 1);
	return true;
}

/* What runs already and cannot be recorded may have children that can be, who are recorded in its place; where the
 * source is free, another is better. */
static int check_running(const struct pf_session_options *options, pid_t pid, struct pf_error *error)
{
	int status = pf_selection_fits(pid, false, error);

	return status == PF_EUNSUPPORTED && options->source == PF_SESSION_SOFT && pf_procfs_starts_others(pid) ? PF_OK
													       : status;
}

static int choose_soft(struct pf_session_choice *choice, const struct pf_session_options *options,
		       const struct pf_target *target, struct pf_error *error)
{
	int status = target->pid ? check_running(options, target->pid, error)
				 : pf_target_preloadable(target, options->argv, error);

	if (status == PF_OK && !target->pid && !may_make_code())
		status = pf_fail(error, PF_EUNSUPPORTED,
				 "the software recorder runs the program's code from memory of its own, and no program "
				 "here may make memory executable (MemoryDenyWriteExecute= of systemd, SELinux); use "
				 "--source=clock");
	if (status == PF_OK && !target->pid)
		status = pf_soft_find_agent(choice->agent, error);
	if (status == PF_OK)
		status = pf_trigger_choose(&choice->trigger, options->whole || target->pid ? "timer" : options->begin,
					   error);
	if (status == PF_OK) {
		choice->source = PF_SESSION_SOFT;
		pf_outcome_name_event(choice->event, choice->trigger.name);
	}
	return status;
}

static int choose_lbr(struct pf_session_choice *choice, const struct pf_session_options *options,
		      struct pf_error *error)
{
	int status = pf_lbr_choose(&choice->attr, choice->event, options->event,
				   pf_session_frequency(options, PF_SESSION_LBR), error);

	if (status == PF_OK)
		choice->source = PF_SESSION_LBR;
	return status;
}

static void choose_clock(struct pf_session_choice *choice, const struct pf_session_options *options)
{
	pf_sampler_attr_clock(&choice->attr, pf_session_frequency(options, PF_SESSION_LBR));
	strcpy(choice->event, "cpu-clock:u");
	choice->source = PF_SESSION_CLOCK;
}

/* The first clause of a refusal, up to one of STOPS: the cure behind it is the doctor's to tell. */
static void because(char why[PF_SESSION_WHY], const char *source, const char *text, const char *stops)
{
	size_t length = strcspn(text, stops);

	snprintf(why, PF_SESSION_WHY, "%s does not work: %.*s", source, (int)length, text);
}

static void choose_best(struct pf_session_choice *choice, const struct pf_session_options *options,
			const struct pf_target *target)
{
	struct pf_error no_lbr, no_soft;

	if (choose_lbr(choice, options, &no_lbr) == PF_OK) {
		strcpy(choice->why, "the processor records branch stacks");
	} else if (choose_soft(choice, options, target, &no_soft) == PF_OK) {
		because(choice->why, "lbr", no_lbr.text, ":;");
	} else {
		choose_clock(choice, options);
		because(choice->why, "soft", no_soft.text, ";");
	}
}

int pf_session_choose(struct pf_session_choice *choice, const struct pf_session_options *options,
		      const struct pf_target *target, struct pf_error *error)
{
	memset(choice, 0, sizeof *choice);
	switch (options->source) {
	case PF_SESSION_LBR:
		return choose_lbr(choice, options, error);
	case PF_SESSION_SOFT:
		return choose_soft(choice, options, target, error);
	case PF_SESSION_CLOCK:
		choose_clock(choice, options);
		return PF_OK;
	default:
		choose_best(choice, options, target);
		return PF_OK;
	}
}

/* CPU time of all children that were waited for, and of those that they waited for. */
static uint64_t children_cpu_ns(void)
{
	struct rusage use;

	if (getrusage(RUSAGE_CHILDREN, &use) != 0)
		return 0;
	return ((uint64_t)use.ru_utime.tv_sec + (uint64_t)use.ru_stime.tv_sec) * 1000000000ull +
	       ((uint64_t)use.ru_utime.tv_usec + (uint64_t)use.ru_stime.tv_usec) * 1000ull;
}

static int release(struct pf_launch *launch, const struct pf_target *target, struct pf_session_result *result,
		   struct pf_error *error)
{
	struct pf_error why;
	int status = pf_launch_release(launch, &why);

	if (status == PF_OK)
		return PF_OK;
	result->not_run = true;
	result->not_found = status == PF_ENOTFOUND;
	return pf_fail(error, status, "%s: %s", target->path, why.text);
}

static void note_end(struct pf_session_result *result, const struct pf_launch *launch)
{
	result->ran = launch->ended;
	result->wait_status = launch->wait_status;
}

/* Is there nothing to be collected in the end, as bursts are handed on as they come? */
static bool streams(const struct pf_session_options *options)
{
	return options->whole || options->memory;
}

/* Collects what the agents left in SOFT's file into WRITER; TALLY has the counts of a whole run. */
static int harvest(const struct pf_session_options *options, const struct pf_target *target, struct pf_soft *soft,
		   struct pf_perf_writer *writer, uint64_t used_ns, const struct pf_tally *tally,
		   struct pf_session_result *result, struct pf_error *error)
{
	struct pf_harvest h = { .only = options->only };
	int status = pf_harvest_file(&h, soft->file, soft->inner, options->progress, NULL, error);

	pf_outcome_note(result, &h, used_ns);
	if (status == PF_OK && result->images >= MANY_IMAGES)
		result->cost_ns += result->images * pf_soft_load_cost(soft);
	if (streams(options)) {
		result->vectors = h.bursts;
		result->branches = h.branches;
	}
	if (status == PF_OK && options->whole)
		status = pf_tally_give(tally, &h, error);
	if (status == PF_OK && (!streams(options) || h.bursts == 0))
		status = pf_outcome_deliver(result, &h, target->path, options->raw, writer, error);
	else if (status == PF_OK && writer)
		status = pf_deliver_harvest(writer, &h, false, error);
	pf_harvest_fini(&h);
	return status;
}

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* How many processes of the recording still run.  One that has just executed a program is waited for to show itself. */
static size_t count_living(struct pf_launch *launch, const struct pf_soft *soft, pid_t *pid, bool *asked)
{
	int64_t end = now_ms() + START_MS;
	size_t count;

	while ((count = pf_living_count(soft->inner, pid)) == 0 && !*asked && now_ms() < end &&
	       pf_living_may_come(soft->inner))
		*asked = pf_launch_linger(launch, LOOK_MS);
	return count;
}

/* Waits for what the program has left running, if that is asked for, until somebody ends the recording; notes what
 * still runs then. */
static void see_off(const struct pf_session_options *options, struct pf_launch *launch, const struct pf_soft *soft,
		    struct pf_session_result *result)
{
	pid_t pid;
	bool asked = false;
	size_t count = count_living(launch, soft, &pid, &asked);

	if (count && !asked) {
		asked = pf_launch_linger(launch, EXIT_MS);
		count = count_living(launch, soft, &pid, &asked);
	}
	while (count && options->follow && !asked) {
		pf_keeper_beat(soft->file);
		asked = pf_launch_linger(launch, BEAT_MS);
		count = count_living(launch, soft, &pid, &asked);
	}
	result->living = count;
	result->living_pid = (uint32_t)pid;
}

/* Hands the stream on until the program has ended and nothing is left of it. */
static int hand_on(struct pf_launch *launch, struct pf_soft *soft, const struct pf_drain_sink *sink,
		   struct pf_error *error)
{
	struct pf_drain drain;
	bool moved = false;
	int64_t beat = 0;
	int status = pf_drain_init(&drain, soft->file, soft->inner, sink, error);

	while (status == PF_OK && !pf_launch_wait(launch, moved ? 0 : 1)) {
		if (now_ms() - beat >= BEAT_MS) {
			pf_keeper_beat(soft->file);
			beat = now_ms();
		}
		status = pf_drain_poll(&drain, &moved, error);
	}
	pf_soft_end(soft);
	for (moved = true; status == PF_OK && moved;)
		status = pf_drain_poll(&drain, &moved, error);
	pf_drain_fini(&drain);
	return status;
}

/* Stays with the program until it has ended. */
static int stay(const struct pf_session_options *options, struct pf_launch *launch, struct pf_soft *soft,
		struct pf_tally *tally, struct pf_session_result *result, struct pf_error *error)
{
	struct pf_drain_sink sink = pf_tally_sink(tally);

	if (streams(options))
		return hand_on(launch, soft, options->sink ? options->sink : &sink, error);
	while (!pf_launch_wait(launch, BEAT_MS))
		pf_keeper_beat(soft->file);
	see_off(options, launch, soft, result);
	pf_soft_end(soft);
	return PF_OK;
}

static struct pf_soft_options soft_options(const struct pf_session_options *options,
					   const struct pf_session_choice *choice)
{
	struct pf_soft_options settings = {
		.frequency = pf_session_frequency(options, PF_SESSION_SOFT),
		.branches = options->branches,
		.budget_ppm = options->budget_ppm,
		.limit = options->limit ? options->limit : PF_SESSION_SOFT_LIMIT,
		.memory = options->memory,
		.fixed = options->fixed,
		.values = options->values,
		.trigger = choice->trigger,
	};

	if (options->whole)
		settings = (struct pf_soft_options) {
			.frequency = WHOLE_FREQUENCY,
			.branches = PF_WIRE_MAX_BRANCHES,
			.budget_ppm = 1000000,
			.limit = options->limit ? options->limit : WHOLE_LIMIT,
			.whole = true,
			.memory = options->memory,
			.values = options->values,
		};
	return settings;
}

static int run_soft(const struct pf_session_options *options, const struct pf_session_choice *choice,
		    const struct pf_target *target, struct pf_launch *launch, struct pf_perf_writer *writer,
		    struct pf_session_result *result, struct pf_error *error)
{
	struct pf_soft_options settings = soft_options(options, choice);
	uint64_t before = children_cpu_ns();
	struct pf_tally tally = { 0 };
	struct pf_soft soft;
	int status = pf_soft_init(&soft, choice->agent, &settings, error);

	snprintf(result->note, sizeof result->note, "%.*s", PF_SESSION_WHY - 1, soft.note);
	if (status == PF_OK)
		status = pf_launch_start(launch, target->path, options->argv, soft.environment, error);
	if (status == PF_OK)
		status = release(launch, target, result, error);
	if (status == PF_OK) {
		status = stay(options, launch, &soft, &tally, result, error);
		pf_launch_wait(launch, -1);
		note_end(result, launch);
		result->full = pf_soft_is_full(&soft);
	}
	if (status == PF_OK)
		status = harvest(options, target, &soft, writer, children_cpu_ns() - before, &tally, result, error);
	status = pf_outcome_end(writer, status, error);
	if (options->keep_folder && !streams(options))
		pf_outcome_keep(result, &soft, status);
	pf_tally_fini(&tally);
	pf_soft_fini(&soft);
	return status;
}

static int sample(const struct pf_session_choice *choice, const struct pf_target *target, struct pf_launch *launch,
		  struct pf_sampler *sampler, struct pf_session_result *result, struct pf_error *error)
{
	uint64_t before = children_cpu_ns();
	int status = release(launch, target, result, error);

	if (status < 0)
		return status;
	status = pf_sampler_run(sampler, launch, error);
	/* A damaged ring or a full disk does not end the program. */
	pf_launch_wait(launch, -1);
	note_end(result, launch);
	pf_outcome_note_samples(result, pf_sampler_counts(sampler), children_cpu_ns() - before);
	return status == PF_OK ? pf_outcome_finish_samples(result, choice, target->path, sampler, error) : status;
}

static int run_sampler(const struct pf_session_options *options, const struct pf_session_choice *choice,
		       const struct pf_target *target, struct pf_launch *launch, struct pf_perf_writer *writer,
		       struct pf_session_result *result, struct pf_error *error)
{
	struct pf_sampler_options settings = {
		.attr = choice->attr,
		.limit = options->limit ? options->limit : UINT64_MAX,
		.budget_ppm = options->budget_ppm,
		.fixed = options->fixed,
	};
	struct pf_sampler *sampler = NULL;
	int status = pf_launch_start(launch, target->path, options->argv, environ, error);

	if (status == PF_OK)
		status = pf_sampler_alloc(&sampler, &settings, launch->pid, writer, error);
	if (status == PF_OK)
		status = sample(choice, target, launch, sampler, result, error);
	pf_sampler_free(sampler);
	return pf_outcome_end(writer, status, error);
}

static int record(const struct pf_session_options *options, const struct pf_session_choice *choice,
		  const struct pf_target *target, struct pf_launch *launch, struct pf_session_result *result,
		  struct pf_error *error)
{
	struct pf_perf_writer *writer = NULL;
	int status = PF_OK;

	if (options->output)
		status = pf_outcome_create(&writer, options, choice, pf_session_frequency(options, PF_SESSION_SOFT),
					   result->saved, error);
	if (status < 0)
		return status;
	if (choice->source == PF_SESSION_SOFT)
		return run_soft(options, choice, target, launch, writer, result, error);
	return run_sampler(options, choice, target, launch, writer, result, error);
}

int pf_session_run(const struct pf_session_options *options, const struct pf_session_choice *choice,
		   const struct pf_target *target, struct pf_session_result *result, struct pf_error *error)
{
	struct pf_launch launch;
	struct stat st;
	int status;

	memset(result, 0, sizeof *result);
	/* Signals are held until the recording is whole or gone. */
	status = pf_launch_init(&launch, error);
	if (status < 0)
		return status;
	status = record(options, choice, target, &launch, result, error);
	pf_launch_fini(&launch);
	if (status == PF_OK && options->output && stat(options->output, &st) == 0)
		result->bytes = (uint64_t)st.st_size;
	return status;
}

int pf_session_collect(const struct pf_session_options *options, const char *folder, struct pf_session_result *result,
		       struct pf_error *error)
{
	struct pf_session_choice choice = { .source = PF_SESSION_SOFT };
	struct pf_perf_writer *writer = NULL;
	struct pf_harvest h = { .only = options->only };
	struct stat st;
	int status = pf_harvest_folder(&h, folder, options->progress, NULL, error);

	memset(result, 0, sizeof *result);
	pf_outcome_note(result, &h, 0);
	pf_outcome_restore(&choice, &h.control);
	if (status == PF_OK)
		status = pf_outcome_create(&writer, options, &choice, h.control.frequency, result->saved, error);
	if (status == PF_OK)
		status = pf_outcome_deliver(result, &h, folder, options->raw, writer, error);
	status = pf_outcome_end(writer, status, error);
	pf_harvest_fini(&h);
	if (status == PF_OK && stat(options->output, &st) == 0)
		result->bytes = (uint64_t)st.st_size;
	return status;
}
