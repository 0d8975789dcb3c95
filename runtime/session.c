/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See session.h.  Hard case: everything that can fail without the program is tried before it runs (the output file, the
 * event, the private folder), for a program cannot be run again; and what fails afterwards still tells how it ended. */
#include "runtime/session.h"

#include "perfdata/perfdata.h"
#include "runtime/deliver.h"
#include "runtime/keeper.h"
#include "runtime/launch.h"
#include "runtime/living.h"
#include "runtime/sampler.h"
#include "runtime/soft.h"
#include "runtime/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SOFT_FREQUENCY 100
#define SAMPLE_FREQUENCY 1000
#define SOFT_LIMIT ((uint64_t)32 << 20)
/* Of a whole run: the limit gives the number of distinct edges; and ticks in a second, which only find again what was
 * lost. */
#define WHOLE_LIMIT ((uint64_t)64 << 20)
#define WHOLE_FREQUENCY 1000
#define SOFT_EVENT "pathfdo-soft"
#define BEAT_MS 1000
#define EXIT_MS 100 /* in which processes that are ending have ended */
/* From so many processes on the time to load the library into them is worth being measured. */
#define MANY_IMAGES 10

const char *pf_session_source_name(enum pf_session_source source)
{
	static const char *const names[] = { "auto", "lbr", "soft", "clock" };

	return names[source];
}

const char *pf_session_refusal(enum pf_refusal reason)
{
	static const char *const reasons[PF_REFUSE_COUNT] = {
		[PF_REFUSE_NONE] = "no reason given",
		[PF_REFUSE_GS_USED] = "the program uses the GS segment itself",
		[PF_REFUSE_SHADOW_STACK] = "they run with a CET shadow stack (start the program with "
					   "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off)",
		[PF_REFUSE_TIMER] = "no timer could be made (see 'ulimit -i')",
		[PF_REFUSE_TRACED] = "a debugger or strace watches the program",
		[PF_REFUSE_SIGNAL] = "the program leaves the recorder's signal, SIGRTMAX-3, no room",
		[PF_REFUSE_MEMORY] = "no memory could be mapped for the recorder",
		[PF_REFUSE_ADDRESS_SPACE] = "the limit on address space is too small (see 'ulimit -v' and 'ulimit -d')",
		[PF_REFUSE_NO_FSGSBASE] = "the processor or kernel has no FSGSBASE",
		[PF_REFUSE_FILTER] = "a system-call filter (seccomp) is in force",
		[PF_REFUSE_FAULTS_IGNORED] = "the program ignores SIGSEGV or SIGBUS",
		[PF_REFUSE_INTERPOSED] = "another preloaded library replaces sigaction",
		[PF_REFUSE_DISPATCH] = "the program catches its own system calls (syscall user dispatch)",
		[PF_REFUSE_FULL] = "the recording has no room for more processes",
	};

	return reasons[reason];
}

const char *pf_session_end(enum pf_burst_end reason)
{
	static const char *const reasons[PF_END_COUNT] = {
		[PF_END_LENGTH] = "none",
		[PF_END_SYSCALL] = "a system call",
		[PF_END_UNHANDLED] = "an instruction that is left to the processor",
		[PF_END_FAULT] = "a fault of the program",
		[PF_END_ANONYMOUS] = "code without a file (JIT)",
		[PF_END_OWN_TEXT] = "the recorder's own code",
		[PF_END_RSEQ] = "a restartable sequence",
		[PF_END_CACHE_FULL] = "the code cache was full",
	};

	return reasons[reason];
}

static uint32_t frequency_of(const struct pf_session_options *options, uint32_t usual)
{
	return options->frequency ? options->frequency : usual;
}

static int choose_soft(struct pf_session_choice *choice, const struct pf_target *target, struct pf_error *error)
{
	int status = pf_target_preloadable(target, error);

	if (status == PF_OK && !pf_soft_has_fsgsbase())
		status =
		    pf_fail(error, PF_EUNSUPPORTED,
			    "the software recorder needs the FSGSBASE instructions, which this processor or kernel "
			    "lacks (Linux 5.9 or later on a CPU of 2013 or later has them); use --source=clock");
	if (status == PF_OK)
		status = pf_soft_find_agent(choice->agent, error);
	if (status == PF_OK) {
		choice->source = PF_SESSION_SOFT;
		strcpy(choice->event, SOFT_EVENT);
	}
	return status;
}

static int choose_lbr(struct pf_session_choice *choice, const struct pf_session_options *options,
		      struct pf_error *error)
{
	int status =
	    pf_lbr_choose(&choice->attr, choice->event, options->event, frequency_of(options, SAMPLE_FREQUENCY), error);

	if (status == PF_OK)
		choice->source = PF_SESSION_LBR;
	return status;
}

static void choose_clock(struct pf_session_choice *choice, const struct pf_session_options *options)
{
	pf_sampler_attr_clock(&choice->attr, frequency_of(options, SAMPLE_FREQUENCY));
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
	} else if (choose_soft(choice, target, &no_soft) == PF_OK) {
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
		return choose_soft(choice, target, error);
	case PF_SESSION_CLOCK:
		choose_clock(choice, options);
		return PF_OK;
	default:
		choose_best(choice, options, target);
		return PF_OK;
	}
}

static int create_output(struct pf_perf_writer **writer, const struct pf_session_options *options,
			 const struct pf_session_choice *choice, uint32_t frequency, struct pf_error *error)
{
	struct pf_perf_writer_options output = { .event = choice->event, .command = options->argv };

	if (choice->source == PF_SESSION_SOFT) {
		output.attr_type = PERF_TYPE_SOFTWARE;
		output.attr_config = PERF_COUNT_SW_TASK_CLOCK;
		output.sample_type = PF_DELIVER_SAMPLE_TYPE;
		output.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
		output.period = 1000000000ull / frequency;
	} else {
		output.attr_type = choice->attr.type;
		output.attr_config = choice->attr.config;
		output.sample_type = choice->attr.sample_type;
		output.branch_sample_type = choice->attr.branch_sample_type;
		output.period = choice->attr.freq ? choice->attr.sample_freq : choice->attr.sample_period;
		output.frequency = choice->attr.freq;
	}
	return pf_perf_create(options->output, &output, writer, error);
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

/* All refusals in one phrase: "3 processes: reason; 1 thread: another". */
static void list_refusals(const struct pf_harvest *h, char text[PF_SESSION_WHY])
{
	size_t size = 0;

	text[0] = 0;
	for (int i = 2; i < 2 * PF_REFUSE_COUNT && size < PF_SESSION_WHY; i++) {
		bool threads = i % 2;
		uint64_t count = threads ? h->refusals[i / 2] : h->control.refusals[i / 2];

		if (count)
			size += (size_t)snprintf(text + size, PF_SESSION_WHY - size, "%s%" PRIu64 " %s%s: %s",
						 size ? "; " : "", count, threads ? "thread" : "process",
						 count == 1 ? ""
						 : threads  ? "s"
							    : "es",
						 pf_session_refusal(i / 2));
	}
}

static int nothing_harvested(const struct pf_harvest *h, const char *what, uint64_t cpu_ns, struct pf_error *error)
{
	uint64_t period_ns = 1000000000ull / (h->control.frequency ? h->control.frequency : 1);
	char refusals[PF_SESSION_WHY];

	if (h->other_bursts)
		return pf_fail(error, PF_EEMPTY,
			       "%s: nothing was recorded of %s, but %" PRIu64
			       " bursts of other programs; --only takes the name or the path of an executable, as "
			       "/proc/PID/exe has it",
			       what, h->only, h->other_bursts);
	list_refusals(h, refusals);
	if (h->damaged)
		return pf_fail(error, PF_EFORMAT, "%s: nothing could be read of the recording: %s; record again", what,
			       h->damages[0]);
	if (*refusals)
		return pf_fail(error, PF_EEMPTY,
			       "%s: nothing was recorded; not recorded were %s; record it with --source=clock", what,
			       refusals);
	if (h->control.starts == 0 && h->vectors.process_count == 0)
		return pf_fail(
		    error, PF_EEMPTY,
		    "%s: nothing was recorded: the recorder library was not loaded into it (it may start a static or "
		    "privileged program, or clear its environment); record it with --source=clock",
		    what);
	if (cpu_ns > 10 * period_ns)
		return pf_fail(error, PF_EEMPTY,
			       "%s: nothing was recorded: %" PRIu64
			       " ms of CPU time were used, but not for a period of "
			       "%" PRIu64 " us in any of the %" PRIu64
			       " processes that the recorder library was loaded into; give a higher -F, or record with "
			       "--source=clock",
			       what, cpu_ns / 1000000, period_ns / 1000, h->control.starts);
	return pf_fail(error, PF_EEMPTY,
		       "%s: nothing was recorded: it used %" PRIu64
		       " ms of CPU time, which is too short for a burst at this rate; "
		       "give it more work or a higher -F",
		       what, cpu_ns / 1000000);
}

static void note_damage(struct pf_session_result *result, const struct pf_harvest *h)
{
	size_t size = 0;

	result->damaged = h->damaged;
	for (uint32_t i = 0; i < h->damaged && i < PF_HARVEST_DAMAGES; i++)
		size += (size_t)snprintf(result->damage + size, sizeof result->damage - size, "%s%s", i ? "; " : "",
					 h->damages[i]);
	if (h->damaged > PF_HARVEST_DAMAGES)
		snprintf(result->damage + size, sizeof result->damage - size, "; and %u more",
			 h->damaged - PF_HARVEST_DAMAGES);
}

/* USED_NS is the program's CPU time as the kernel has it.  The agent sees less: not the time before it is loaded, nor
 * that of processes that it was kept out of. */
static void note_harvest(struct pf_session_result *result, const struct pf_harvest *h, uint64_t used_ns)
{
	result->vectors = h->vectors.burst_count;
	for (uint64_t i = 0; i < h->vectors.burst_count; i++)
		result->branches += h->vectors.bursts[i].edge_count;
	result->recorded = h->bursts;
	result->lost_bursts = h->lost_bursts;
	result->images = (uint32_t)h->control.starts;
	result->cpu_ns = h->vectors.cpu_ns > used_ns ? h->vectors.cpu_ns : used_ns;
	result->unseen_ns = used_ns > h->vector_cpu_ns ? used_ns - h->vector_cpu_ns : 0;
	result->cost_ns = h->vectors.cost_ns + h->control.start_ns;
	result->lost = h->lost_branches;
	result->left = h->left;
	result->thinned = h->control.thinned;
	for (uint32_t i = 0; i < h->vectors.process_count; i++) {
		result->steps += h->images[i].steps;
		result->unseen += h->images[i].unseen;
	}
	memcpy(result->refusals, h->refusals, sizeof result->refusals);
	memcpy(result->refused_processes, h->control.refusals, sizeof result->refused_processes);
	memcpy(result->ends, h->ends, sizeof result->ends);
	note_damage(result, h);
}

static int deliver(const struct pf_session_options *options, const char *what, const struct pf_harvest *h,
		   struct pf_perf_writer *writer, const struct pf_session_result *result, struct pf_error *error)
{
	if (h->vectors.burst_count == 0)
		return nothing_harvested(h, what, result->cpu_ns, error);
	return pf_deliver_harvest(writer, h, options->raw, error);
}

/* Collects what the agents left in SOFT's file into WRITER; TALLY has the counts of a whole run. */
static int harvest(const struct pf_session_options *options, const struct pf_target *target, struct pf_soft *soft,
		   struct pf_perf_writer *writer, uint64_t used_ns, const struct pf_tally *tally,
		   struct pf_session_result *result, struct pf_error *error)
{
	struct pf_harvest h = { .only = options->only };
	int status = pf_harvest_file(&h, soft->file, soft->inner, options->progress, NULL, error);

	note_harvest(result, &h, used_ns);
	if (status == PF_OK && result->images >= MANY_IMAGES)
		result->cost_ns += result->images * pf_soft_load_cost(soft);
	if (options->whole) {
		result->vectors = h.bursts;
		result->branches = h.branches;
	}
	if (status == PF_OK && options->whole)
		status = pf_tally_give(tally, &h, error);
	if (status == PF_OK && options->whole && h.bursts == 0)
		status = nothing_harvested(&h, target->path, result->cpu_ns, error);
	else if (status == PF_OK && options->whole && writer)
		status = pf_deliver_harvest(writer, &h, false, error);
	else if (status == PF_OK && !options->whole)
		status = deliver(options, target->path, &h, writer, result, error);
	pf_harvest_fini(&h);
	return status;
}

/* Waits for what the program has left running, if that is asked for, until somebody ends the recording; notes what
 * still runs then. */
static void see_off(const struct pf_session_options *options, struct pf_launch *launch, const struct pf_soft *soft,
		    struct pf_session_result *result)
{
	pid_t pid;
	size_t count = pf_living_count(soft->inner, &pid);
	bool asked = count && pf_launch_linger(launch, EXIT_MS);

	if (count)
		count = pf_living_count(soft->inner, &pid);
	while (count && options->follow && !asked) {
		pf_keeper_beat(soft->file);
		asked = pf_launch_linger(launch, BEAT_MS);
		count = pf_living_count(soft->inner, &pid);
	}
	result->living = count;
	result->living_pid = (uint32_t)pid;
}

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Hands the stream of a whole run on until the program has ended and nothing is left of it. */
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

	if (options->whole)
		return hand_on(launch, soft, options->sink ? options->sink : &sink, error);
	while (!pf_launch_wait(launch, BEAT_MS))
		pf_keeper_beat(soft->file);
	see_off(options, launch, soft, result);
	pf_soft_end(soft);
	return PF_OK;
}

static struct pf_soft_options soft_options(const struct pf_session_options *options)
{
	struct pf_soft_options settings = {
		.frequency = frequency_of(options, SOFT_FREQUENCY),
		.branches = options->branches,
		.budget_ppm = options->budget_ppm,
		.limit = options->limit ? options->limit : SOFT_LIMIT,
	};

	if (options->whole)
		settings = (struct pf_soft_options) {
			.frequency = WHOLE_FREQUENCY,
			.branches = PF_WIRE_MAX_BRANCHES,
			.budget_ppm = 1000000,
			.limit = options->limit ? options->limit : WHOLE_LIMIT,
			.whole = true,
		};
	return settings;
}

static int run_soft(const struct pf_session_options *options, const struct pf_session_choice *choice,
		    const struct pf_target *target, struct pf_launch *launch, struct pf_perf_writer *writer,
		    struct pf_session_result *result, struct pf_error *error)
{
	struct pf_soft_options settings = soft_options(options);
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
	}
	if (status == PF_OK)
		status = harvest(options, target, &soft, writer, children_cpu_ns() - before, &tally, result, error);
	pf_tally_fini(&tally);
	pf_soft_fini(&soft);
	return status;
}

static int nothing_sampled(const struct pf_session_choice *choice, const struct pf_target *target,
			   const struct pf_session_result *result, struct pf_error *error)
{
	return pf_fail(error, PF_EEMPTY,
		       "%s: nothing was recorded: %s gave no sample in %" PRIu64
		       " ms of CPU time; give the program more work or a higher -F",
		       target->path, choice->event, result->cpu_ns / 1000000);
}

static void note_samples(struct pf_session_result *result, const struct pf_sampler_counts *counts)
{
	result->vectors = counts->samples;
	result->branches = counts->branches;
	result->lost = counts->lost;
	result->throttled = counts->throttled;
	result->limited = counts->limited;
	result->slowed = counts->slowed;
	result->cost_ns = counts->cost_ns;
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
	note_samples(result, pf_sampler_counts(sampler));
	result->cpu_ns = children_cpu_ns() - before;
	if (status == PF_OK && result->vectors == 0)
		status = nothing_sampled(choice, target, result, error);
	if (status == PF_OK)
		status = pf_sampler_add_build_ids(sampler, error);
	return status;
}

static int run_sampler(const struct pf_session_options *options, const struct pf_session_choice *choice,
		       const struct pf_target *target, struct pf_launch *launch, struct pf_perf_writer *writer,
		       struct pf_session_result *result, struct pf_error *error)
{
	struct pf_sampler_options settings = {
		.attr = choice->attr,
		.limit = options->limit ? options->limit : UINT64_MAX,
		.budget_ppm = options->budget_ppm,
	};
	struct pf_sampler *sampler = NULL;
	int status = pf_launch_start(launch, target->path, options->argv, environ, error);

	if (status == PF_OK)
		status = pf_sampler_alloc(&sampler, &settings, launch->pid, writer, error);
	if (status == PF_OK)
		status = sample(choice, target, launch, sampler, result, error);
	pf_sampler_free(sampler);
	return status;
}

static int record(const struct pf_session_options *options, const struct pf_session_choice *choice,
		  const struct pf_target *target, struct pf_launch *launch, struct pf_session_result *result,
		  struct pf_error *error)
{
	struct pf_perf_writer *writer = NULL;
	int status = PF_OK;

	if (options->output)
		status = create_output(&writer, options, choice, frequency_of(options, SOFT_FREQUENCY), error);
	if (status < 0)
		return status;
	if (choice->source == PF_SESSION_SOFT)
		status = run_soft(options, choice, target, launch, writer, result, error);
	else
		status = run_sampler(options, choice, target, launch, writer, result, error);
	if (status == PF_OK && writer)
		return pf_perf_commit(writer, error);
	if (writer)
		pf_perf_abandon(writer);
	return status;
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
	static const struct pf_session_choice choice = { .source = PF_SESSION_SOFT, .event = SOFT_EVENT };
	struct pf_perf_writer *writer = NULL;
	struct pf_harvest h = { .only = options->only };
	struct stat st;
	int status = pf_harvest_folder(&h, folder, options->progress, NULL, error);

	memset(result, 0, sizeof *result);
	note_harvest(result, &h, 0);
	if (status == PF_OK)
		status = create_output(&writer, options, &choice, h.control.frequency, error);
	if (status == PF_OK)
		status = deliver(options, folder, &h, writer, result, error);
	if (status == PF_OK)
		status = pf_perf_commit(writer, error);
	else if (writer)
		pf_perf_abandon(writer);
	pf_harvest_fini(&h);
	if (status == PF_OK && stat(options->output, &st) == 0)
		result->bytes = (uint64_t)st.st_size;
	return status;
}
