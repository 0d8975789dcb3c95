/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See running.h.  Hard case: the order of the end.  The recorder is withdrawn from every process before anything else
 * is done with what it has brought, so that neither a full disk nor a second interrupt can leave it there. */
#include "runtime/running.h"

#include "runtime/attach.h"
#include "runtime/outcome.h"
#include "runtime/procfs.h"
#include "runtime/sampler.h"
#include "runtime/soft.h"
#include "runtime/tracee.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_LOOK_MS 10 /* then less and less often */
#define LAST_LOOK_MS 200

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The first that can be recorded by the software recorder, else the first whose children may be, else the first. */
static pid_t choose_target(const pid_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (pf_selection_fits(list[i], false, NULL) == PF_OK)
			return list[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (pf_procfs_starts_others(list[i]))
			return list[i];
	}
	return list[0];
}

int pf_running_find(struct pf_running *running, struct pf_error *error)
{
	pid_t *list;
	size_t count;
	int status;

	pf_tracee_sweep(); /* what an earlier recording has not let go of yet */
	status = pf_selection_find(&running->selection, &list, &count, error);
	if (status < 0)
		return status;
	running->target.pid = choose_target(list, count);
	pf_selection_program(running->target.pid, running->target.path);
	if (!*running->target.path)
		snprintf(running->target.path, sizeof running->target.path, "process %d", running->target.pid);
	free(list);
	return PF_OK;
}

/* Is the end there, RUNNING having begun at SINCE? */
static bool is_over(const struct pf_running *running, uint64_t since)
{
	return running->bell->stop ||
	       (running->duration_ms && now() - since >= (uint64_t)running->duration_ms * 1000000u);
}

/* Milliseconds to wait: MOST, or less at the end. */
static int wait_for(const struct pf_running *running, uint64_t since, uint64_t most)
{
	uint64_t past = (now() - since) / 1000000u,
		 left = running->duration_ms > past ? running->duration_ms - past : 1;

	return (int)(running->duration_ms && left < most ? left : most);
}

struct end {
	const struct pf_running *running;
	uint64_t since;
};

static bool end_is_there(const void *context)
{
	const struct end *end = context;

	pf_bell_wait(end->running->bell, 0);
	return is_over(end->running, end->since);
}

/* Takes the snapshot that was asked for, in a child: a large one may take longer than the agents wait for a word from
 * the recorder.  *TAKER is the last one's, 0 for none; while that is at work the next waits. */
static void take_snapshot(const struct pf_running *running, const struct pf_soft *soft, pid_t *taker)
{
	if (*taker > 0 && waitpid(*taker, NULL, WNOHANG) == 0)
		return;
	running->bell->snapshot = false;
	*taker = running->snapshot ? fork() : 0;
	if (*taker == 0 && running->snapshot) {
		running->snapshot(running->context, soft->folder);
		_exit(0);
	}
	if (*taker < 0)
		running->snapshot(running->context, soft->folder);
}

static int watch(const struct pf_running *running, struct pf_attach *attach, const struct pf_soft *soft, pid_t *taker,
		 struct pf_error *error)
{
	uint64_t since = now();
	struct end context = { running, since };
	struct pf_attach_end end = { end_is_there, &context };
	uint64_t look = FIRST_LOOK_MS;
	int status = PF_OK;

	while (status == PF_OK && pf_attach_is_alive(attach) && !is_over(running, since)) {
		status = pf_attach_look(attach, &end, error);
		pf_bell_wait(running->bell, wait_for(running, since, look));
		if (running->bell->snapshot)
			take_snapshot(running, soft, taker);
		look = look * 3 / 2 < LAST_LOOK_MS ? look * 3 / 2 : LAST_LOOK_MS;
	}
	return status;
}

static void note_attach(struct pf_session_result *result, const struct pf_attach_counts *counts)
{
	size_t size = 0;

	result->left_out = counts->left_out;
	for (uint64_t i = 0; i < counts->left_out && i < PF_SESSION_REASONS && size < sizeof result->left_out_why; i++)
		size += (size_t)snprintf(result->left_out_why + size, sizeof result->left_out_why - size, "%s%s",
					 i ? "; " : "", counts->why[i]);
	result->stuck = counts->stuck;
	snprintf(result->stuck_why, sizeof result->stuck_why, "%s", counts->stuck_why);
	result->cost_ns += counts->cost_ns;
}

static int harvest(const struct pf_running *running, const struct pf_session_options *options,
		   const struct pf_soft *soft, const struct pf_attach_counts *counts, struct pf_perf_writer *writer,
		   struct pf_session_result *result, struct pf_error *error)
{
	struct pf_harvest h = { .only = options->only };
	int status = pf_harvest_file(&h, soft->file, soft->inner, options->progress, NULL, error);
	bool refused = false;

	for (int i = 0; i < PF_REFUSE_COUNT; i++) {
		refused |= counts->refused_processes[i] > 0;
		h.refusals[i] += counts->refusals[i];
		h.control.refusals[i] += counts->refused_processes[i];
	}
	pf_outcome_note(result, &h, counts->cpu_ns);
	note_attach(result, counts);
	if (status == PF_OK && h.control.starts == 0 && !refused)
		status = pf_fail(error, PF_EEMPTY,
				 "%s: nothing was recorded: no thread of it was seen to use CPU time; give it work, "
				 "or a longer --duration",
				 running->target.path);
	if (status == PF_OK)
		status = pf_outcome_deliver(result, &h, running->target.path, options->raw, writer, error);
	pf_harvest_fini(&h);
	return status;
}

static int record_soft(const struct pf_running *running, const struct pf_session_options *options,
		       const struct pf_session_choice *choice, struct pf_perf_writer *writer,
		       struct pf_session_result *result, struct pf_error *error)
{
	struct pf_soft_options settings = {
		.frequency = pf_session_frequency(options, PF_SESSION_SOFT),
		.branches = options->branches,
		.budget_ppm = options->budget_ppm,
		.limit = options->limit ? options->limit : PF_SESSION_SOFT_LIMIT,
		.fixed = options->fixed,
		.values = options->values,
		.trigger = choice->trigger,
	};
	struct pf_attach *attach = NULL;
	struct pf_soft soft;
	pid_t taker = 0;
	int status = pf_soft_init(&soft, NULL, &settings, error);

	if (status == PF_OK)
		status = pf_attach_alloc(&attach, &running->selection, soft.file, error);
	if (status == PF_OK)
		status = watch(running, attach, &soft, &taker, error);
	if (attach)
		pf_attach_withdraw(attach);
	if (taker > 0)
		waitpid(taker, NULL, 0);
	if (status == PF_OK)
		status = harvest(running, options, &soft, pf_attach_counts(attach), writer, result, error);
	status = pf_outcome_end(writer, status, error);
	result->full = pf_soft_is_full(&soft);
	if (options->keep_folder)
		pf_outcome_keep(result, &soft, status);
	pf_attach_free(attach);
	pf_soft_fini(&soft);
	return status;
}

/* What PID has mapped, and its name. */
static int note_past(struct pf_sampler *sampler, pid_t pid, struct pf_error *error)
{
	struct pf_event event = {
		.misc = PERF_RECORD_MISC_USER, .pid = (uint32_t)pid, .tid = (uint32_t)pid, .time = now()
	};
	char path[64], *line = NULL, name[64];
	size_t room = 0;
	int status = PF_OK;
	FILE *maps;

	if (pf_procfs_read(pid, 0, "comm", name, sizeof name) > 0) {
		name[strcspn(name, "\n")] = 0;
		event.kind = PF_EVENT_COMM;
		event.filename = name;
		status = pf_sampler_add_event(sampler, &event, error);
	}
	event.kind = PF_EVENT_MMAP;
	snprintf(path, sizeof path, "/proc/%d/task/%d/maps", pid, pf_procfs_witness(pid));
	maps = fopen(path, "re");
	while (maps && status == PF_OK && getline(&line, &room, maps) > 0) {
		if (pf_procfs_parse_mapping(line, &event.address, &event.length, &event.page_offset, &event.protection,
					    &event.filename) &&
		    event.protection & PROT_EXEC)
			status = pf_sampler_add_event(sampler, &event, error);
	}
	if (maps)
		fclose(maps);
	free(line);
	return status;
}

/* What it means that THREAD of PID cannot be sampled: nothing if it has ended, as a first thread may before the others,
 * else STATUS or a better reason. */
static int judge_refusal(pid_t pid, pid_t thread, int status, struct pf_error *error)
{
	char path[PATH_MAX];

	if (pf_procfs_is_gone(pid, thread))
		return PF_OK;
	pf_selection_program(thread, path);
	return *path ? status
		     : pf_fail(error, PF_EUNSUPPORTED, "%d: it may not be looked at; be its user, or root", thread);
}

/* All threads of PID; *SAMPLER is made for the first. */
static int open_process(struct pf_sampler **sampler, const struct pf_sampler_options *settings, pid_t pid,
			struct pf_perf_writer *writer, struct pf_error *error)
{
	pid_t *threads;
	size_t count = pf_procfs_threads(pid, &threads);
	int status = PF_OK;

	for (size_t i = 0; status == PF_OK && i < count; i++) {
		status = *sampler ? pf_sampler_add_thread(*sampler, threads[i], error)
				  : pf_sampler_alloc(sampler, settings, threads[i], writer, error);
		if (status < 0)
			status = judge_refusal(pid, threads[i], status, error);
	}
	free(threads);
	return status;
}

static int open_sampler(const struct pf_running *running, const struct pf_session_options *options,
			const struct pf_session_choice *choice, struct pf_perf_writer *writer,
			struct pf_sampler **sampler, struct pf_error *error)
{
	struct pf_sampler_options settings = {
		.attr = choice->attr,
		.limit = options->limit ? options->limit : UINT64_MAX,
		.budget_ppm = options->budget_ppm,
		.fixed = options->fixed,
	};
	pid_t *list;
	size_t count;
	int status = pf_selection_find(&running->selection, &list, &count, error);

	settings.attr.enable_on_exec = 0;
	for (size_t i = 0; status == PF_OK && i < count; i++)
		status = open_process(sampler, &settings, list[i], writer, error);
	for (size_t i = 0; status == PF_OK && *sampler && i < count; i++)
		status = note_past(*sampler, list[i], error);
	free(list);
	if (status == PF_OK && !*sampler)
		status = pf_fail(error, PF_ENOTFOUND, "the process has ended");
	return status;
}

/* CPU time of what is selected. */
static uint64_t used_ns(const struct pf_running *running, bool *alive)
{
	uint64_t used = 0;
	pid_t *list;
	size_t count;

	*alive = pf_selection_find(&running->selection, &list, &count, NULL) == PF_OK;
	for (size_t i = 0; *alive && i < count; i++)
		used += pf_procfs_process_cpu_ns(list[i]);
	free(list);
	return used;
}

static int record_samples(const struct pf_running *running, const struct pf_session_options *options,
			  const struct pf_session_choice *choice, struct pf_perf_writer *writer,
			  struct pf_session_result *result, struct pf_error *error)
{
	struct pf_sampler *sampler = NULL;
	bool alive = true;
	uint64_t since = now(), before = used_ns(running, &alive), used = before;
	int status = open_sampler(running, options, choice, writer, &sampler, error);

	if (status == PF_OK)
		pf_sampler_begin(sampler, running->bell->fd);
	while (status == PF_OK && alive && !is_over(running, since)) {
		uint64_t sum = used_ns(running, &alive);

		used = sum > used ? sum : used;
		status = pf_sampler_step(sampler, error);
		pf_bell_wait(running->bell, 0);
	}
	if (status == PF_OK)
		status = pf_sampler_end(sampler, error);
	if (sampler)
		pf_outcome_note_samples(result, pf_sampler_counts(sampler), used - before);
	if (status == PF_OK)
		status = pf_outcome_finish_samples(result, choice, running->target.path, sampler, error);
	pf_sampler_free(sampler);
	return pf_outcome_end(writer, status, error);
}

int pf_running_record(const struct pf_running *running, const struct pf_session_options *options,
		      const struct pf_session_choice *choice, struct pf_session_result *result, struct pf_error *error)
{
	char *command[] = { (char *)running->target.path, NULL };
	struct pf_session_options named = *options;
	struct pf_perf_writer *writer;
	struct stat st;
	int status;

	memset(result, 0, sizeof *result);
	named.argv = command;
	status = pf_outcome_create(&writer, &named, choice, pf_session_frequency(options, choice->source),
				   result->saved, error);
	if (status < 0)
		return status;
	if (choice->source == PF_SESSION_SOFT)
		status = record_soft(running, &named, choice, writer, result, error);
	else
		status = record_samples(running, &named, choice, writer, result, error);
	if (status == PF_OK && stat(options->output, &st) == 0)
		result->bytes = (uint64_t)st.st_size;
	return status;
}
