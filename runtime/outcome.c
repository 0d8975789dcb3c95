/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See outcome.h.  Hard case: a recording with nothing in it, where one of a dozen reasons holds and the user is to be
 * told the right one. */
#include "runtime/outcome.h"

#include "runtime/deliver.h"
#include "runtime/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_TICK_NS 10000000u /* of kernels with a tick of 100 Hz */

const char *pf_session_refusal(enum pf_refusal reason)
{
	static const char *const reasons[PF_REFUSE_COUNT] = {
		[PF_REFUSE_NONE] = "no reason given",
		[PF_REFUSE_GS_USED] = "the program uses the GS segment itself",
		[PF_REFUSE_SHADOW_STACK] = ("they run with a CET shadow stack (start the program with "
					    "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off)"),
		[PF_REFUSE_TIMER] = "no timer could be made (see 'ulimit -i')",
		[PF_REFUSE_TRACED] = "a debugger or strace watches the program",
		[PF_REFUSE_SIGNAL] = "the program leaves the recorder's signal, SIGRTMAX-3 or SIGTRAP, no room",
		[PF_REFUSE_MEMORY] =
		    ("no memory could be mapped for the recorder, or the disk of its folder is full (set "
		     "TMPDIR to another)"),
		[PF_REFUSE_ADDRESS_SPACE] = "the limit on address space is too small (see 'ulimit -v' and 'ulimit -d')",
		[PF_REFUSE_SEGMENTS] = ("the program announces a system-call filter (PR_SET_NO_NEW_PRIVS) where there "
					"is no FSGSBASE, or moves the FS segment itself"),
		[PF_REFUSE_FILTER] = "a system-call filter (seccomp) is in force",
		[PF_REFUSE_FAULTS_IGNORED] = "the program ignores SIGSEGV or SIGBUS",
		[PF_REFUSE_INTERPOSED] = "another preloaded library replaces sigaction",
		[PF_REFUSE_DISPATCH] = "the program catches its own system calls (syscall user dispatch)",
		[PF_REFUSE_FULL] = ("the recorder has no room for more of them (65,536 processes in a recording, "
				    "4,096 threads of a process at a time)"),
		[PF_REFUSE_TIME_STAMP] = "the program forbids itself the processor's time stamp (PR_SET_TSC)",
		[PF_REFUSE_VALGRIND] = "valgrind runs the program",
		[PF_REFUSE_LOCKED] = "the program locks all its memory (mlockall)",
		[PF_REFUSE_AGAIN] = "the program starts itself anew for as long as LD_PRELOAD has what it did not set",
		[PF_REFUSE_ELSEWHERE] = "the recorder library or its private folder cannot be opened in the root "
					"folder or mount namespace, or by the user, that they start with; nor is what "
					"they start",
		[PF_REFUSE_SHOWN] = "the dynamic loader is asked to show what it loads (LD_DEBUG, sotruss)",
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

/* Bursts come with ticks of the kernel, at most one with each; 0: it is not known how often. */
static uint64_t tick_ns(void)
{
	uint32_t hz = pf_machine_tick();

	return hz ? 1000000000ull / hz : 0;
}

/* Would more bursts a second have given one in CPU_NS? */
static bool rate_could_rise(uint64_t period_ns, uint64_t cpu_ns)
{
	return period_ns > tick_ns() && cpu_ns > tick_ns();
}

/* Can the processes that have the library not have used most of CPU_NS?  Each would have had a burst for so much. */
static bool was_elsewhere(const struct pf_harvest *h, uint64_t period_ns, uint64_t cpu_ns)
{
	return cpu_ns / 2 > h->control.starts * (period_ns > MOST_TICK_NS ? period_ns : MOST_TICK_NS);
}

/* How many bursts ended by what ended most of them. */
static uint64_t most_ends(const struct pf_harvest *h, enum pf_burst_end *why)
{
	*why = PF_END_LENGTH;
	for (int i = PF_END_LENGTH + 1; i < PF_END_COUNT; i++) {
		if (h->ends[i] > h->ends[*why])
			*why = i;
	}
	return h->ends[*why];
}

static int nothing_harvested(const struct pf_harvest *h, const char *what, bool started, uint64_t cpu_ns,
			     struct pf_error *error)
{
	uint64_t period_ns = 1000000000ull / (h->control.frequency ? h->control.frequency : 1), ended;
	uint64_t between_ns = period_ns > tick_ns() ? period_ns : tick_ns();
	char refusals[PF_SESSION_WHY];
	enum pf_burst_end why;

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
		    "privileged program); record it with --source=clock",
		    what);
	ended = most_ends(h, &why);
	if (ended > 0 && ended * between_ns >= cpu_ns / 2)
		return pf_fail(error, PF_EEMPTY,
			       "%s: nothing was recorded: no burst met a branch, %" PRIu64
			       " of them because of: %s; record it with --source=clock",
			       what, ended, pf_session_end(why));
	if (started && was_elsewhere(h, period_ns, cpu_ns))
		return pf_fail(error, PF_EEMPTY,
			       "%s: nothing was recorded: most of the %" PRIu64
			       " ms of CPU time were used by what the recorder library was not loaded into, as static "
			       "and privileged programs and those that start in another root folder or mount "
			       "namespace, or by threads too short for a burst; record with --source=clock",
			       what, cpu_ns / 1000000);
	if (cpu_ns > 10 * period_ns)
		return pf_fail(
		    error, PF_EEMPTY,
		    "%s: nothing was recorded: %" PRIu64 " ms of CPU time were used, but not for a period of "
		    "%" PRIu64 " us in any thread of the %" PRIu64
		    " process%s that the recorder library was loaded into; %srecord with --source=clock",
		    what, cpu_ns / 1000000, period_ns / 1000, h->control.starts, h->control.starts == 1 ? "" : "es",
		    rate_could_rise(period_ns, cpu_ns) ? "give a higher -F, or " : "");
	return pf_fail(error, PF_EEMPTY,
		       "%s: nothing was recorded: it used %" PRIu64
		       " ms of CPU time, which is too short for a burst at this rate; "
		       "give it more work%s",
		       what, cpu_ns / 1000000, rate_could_rise(period_ns, cpu_ns) ? " or a higher -F" : "");
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

void pf_outcome_note(struct pf_session_result *result, const struct pf_harvest *h, uint64_t used_ns)
{
	result->vectors = h->vectors.burst_count;
	for (uint64_t i = 0; i < h->vectors.burst_count; i++)
		result->branches += h->vectors.bursts[i].edge_count;
	result->recorded = h->bursts;
	result->counted = h->counted;
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

int pf_outcome_deliver(const struct pf_session_result *result, const struct pf_harvest *h, const char *what, bool raw,
		       struct pf_perf_writer *writer, struct pf_error *error)
{
	if (h->vectors.burst_count == 0)
		return nothing_harvested(h, what, result->ran, result->cpu_ns, error);
	return pf_deliver_harvest(writer, h, raw, error);
}

void pf_outcome_name_event(char event[PF_LBR_NAME_SIZE], const char *name)
{
	snprintf(event, PF_LBR_NAME_SIZE, PF_VECTORS_EVENT "%s%s", *name ? "/" : "", name);
}

void pf_outcome_restore(struct pf_session_choice *choice, const struct pf_control *control)
{
	choice->trigger = (struct pf_trigger) { .type = control->event_type,
						.config = control->event_config,
						.pace = control->event_pace };
	memcpy(choice->trigger.name, control->event_name, sizeof choice->trigger.name);
	pf_outcome_name_event(choice->event, choice->trigger.name);
}

int pf_outcome_end(struct pf_perf_writer *writer, int status, struct pf_error *error)
{
	if (status == PF_OK && writer)
		return pf_perf_commit(writer, error);
	pf_perf_abandon(writer);
	return status;
}

void pf_outcome_keep(struct pf_session_result *result, struct pf_soft *soft, int status)
{
	/* What is in it makes no recording either, where the recording is empty, damaged or too large. */
	if ((status == PF_EIO || status == PF_ENOMEM) && result->vectors && !*result->saved)
		pf_soft_keep(soft, result->folder);
}

int pf_outcome_create(struct pf_perf_writer **writer, const struct pf_session_options *options,
		      const struct pf_session_choice *choice, uint32_t frequency, char saved[PATH_MAX],
		      struct pf_error *error)
{
	struct pf_perf_writer_options output = { .event = choice->event, .command = options->argv, .saved = saved };

	if (choice->source == PF_SESSION_SOFT) {
		output.attr_type = PERF_TYPE_SOFTWARE;
		output.attr_config = PERF_COUNT_SW_TASK_CLOCK;
		output.sample_type = PF_DELIVER_SAMPLE_TYPE;
		output.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
		output.period = 1000000000ull / frequency;
		if (choice->trigger.pace) {
			output.attr_type = choice->trigger.type;
			output.attr_config = choice->trigger.config;
			output.period = choice->trigger.pace * 1000ull / frequency;
		}
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

void pf_outcome_note_samples(struct pf_session_result *result, const struct pf_sampler_counts *counts, uint64_t used_ns)
{
	result->vectors = counts->samples;
	result->branches = counts->branches;
	result->lost = counts->lost;
	result->throttled = counts->throttled;
	result->limited = counts->limited;
	result->slowed = counts->slowed;
	result->cost_ns = counts->cost_ns;
	result->cpu_ns = used_ns;
}

/* Work enough for many samples, and none: the kernel takes a user's events from a program that gets other rights.  Or
 * all of the work is the kernel's, which is not sampled. */
static int nothing_sampled(const struct pf_session_choice *choice, const char *what,
			   const struct pf_session_result *result, struct pf_error *error)
{
	uint64_t period_ns = choice->source == PF_SESSION_CLOCK ? choice->attr.sample_period : 0;

	if (period_ns && result->cpu_ns > 100 * period_ns && geteuid() == 0)
		return pf_fail(error, PF_EEMPTY,
			       "%s: nothing was recorded in %" PRIu64
			       " ms of CPU time: either all of it is the kernel's work, which is not sampled, or it "
			       "changes its user when it starts (set-user-id of another than root), and the kernel "
			       "samples it no more: record it with -p when it runs, or a copy of it without those "
			       "rights",
			       what, result->cpu_ns / 1000000);
	if (period_ns && result->cpu_ns > 100 * period_ns)
		return pf_fail(error, PF_EEMPTY,
			       "%s: nothing was recorded in %" PRIu64
			       " ms of CPU time: either all of it is the kernel's work, which is not sampled, or it "
			       "runs with other rights than yours (set-user-id, file capabilities, sudo), and the "
			       "kernel samples it for root alone: record it as root, or a copy of it without those "
			       "rights",
			       what, result->cpu_ns / 1000000);
	return pf_fail(error, PF_EEMPTY,
		       "%s: nothing was recorded: %s gave no sample in %" PRIu64
		       " ms of CPU time; give the program more work or a higher -F",
		       what, choice->event, result->cpu_ns / 1000000);
}

int pf_outcome_finish_samples(const struct pf_session_result *result, const struct pf_session_choice *choice,
			      const char *what, struct pf_sampler *sampler, struct pf_error *error)
{
	return result->vectors ? pf_sampler_add_build_ids(sampler, error)
			       : nothing_sampled(choice, what, result, error);
}
