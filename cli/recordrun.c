/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo record` with programs that run already: once, or again and again for months.  Hard case: the months.  A disk
 * that is full, a program that is started anew or has nothing to do are no end of it: what could not be recorded is
 * told, and the next turn comes.  Only what was wrong from the beginning ends it. */
#include "cli/commands.h"
#include "cli/recordline.h"
#include "cli/recordname.h"
#include "runtime/companion.h"
#include "runtime/procfs.h"
#include "runtime/tracee.h"
#include "support/array.h"
#include "support/buffer.h"
#include "support/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RETRY_MS 1000 /* until what may heal is tried again */
#define SWEEP_MS 20   /* between two looks for what is still to be let go */
#define SECOND_MS 50  /* between two looks whether the next second has come */

/* The recordings that were written, oldest first. */
struct written {
	PF_ARRAY(char *) names;
	uint64_t count; /* ever */
	char *saved;    /* the last that could not be written to its place, elsewhere; or NULL */
	bool begun;     /* there was something to record at least once, whatever came of it */
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static void print_running(const struct pf_session_result *result)
{
	if (result->left_out)
		fprintf(stderr, "pathfdo record: %" PRIu64 " process%s not recorded: %s%s\n", result->left_out,
			result->left_out == 1 ? "" : "es", result->left_out_why,
			result->left_out > PF_SESSION_REASONS ? "; and so on" : "");
	if (result->stuck)
		fprintf(stderr, "pathfdo record: %" PRIu64 " process%s not left as they were: %s\n", result->stuck,
			result->stuck == 1 ? "" : "es", result->stuck_why);
	pf_record_print_full(result);
}

/* Keeps NAME, which is taken over and whose place is reserved, and removes those that are too many.  A name that is
 * there already is the same file, written anew (the clock was set back): it is the newest now. */
static void note_written(const struct pf_record_line *line, struct written *written, char *name)
{
	written->count++;
	for (size_t i = 0; i < written->names.count; i++) {
		if (strcmp(written->names.at[i], name) != 0)
			continue;
		free(written->names.at[i]);
		memmove(written->names.at + i, written->names.at + i + 1,
			(--written->names.count - i) * sizeof *written->names.at);
		break;
	}
	written->names.at[written->names.count++] = name;
	while (line->keep && written->names.count > line->keep) {
		unlink(written->names.at[0]);
		free(written->names.at[0]);
		memmove(written->names.at, written->names.at + 1, --written->names.count * sizeof *written->names.at);
	}
}

/* A disk that is full stays so for many turns: of what is saved elsewhere meanwhile the last is kept, lest that becomes
 * full as well. */
static void note_saved(struct written *written, const char *name)
{
	if (!*name)
		return;
	if (written->saved)
		unlink(written->saved);
	free(written->saved);
	written->saved = strdup(name);
}

/* What there is so far, in a file of its own. */
static void take_snapshot(void *context, const char *folder)
{
	static const struct pf_session_choice choice = { .source = PF_SESSION_SOFT };
	struct pf_record_line line = *(const struct pf_record_line *)context;
	struct pf_session_result result;
	struct pf_error error;
	char *output;

	if (pf_record_snapshot_name(line.pattern, &line.running.target, &output, &error) < 0) {
		pf_record_fail(&error);
		return;
	}
	line.session.output = output;
	if (pf_session_collect(&line.session, folder, &result, &error) < 0) {
		pf_record_fail(&error);
		pf_record_print_saved(&result);
	} else {
		pf_record_print_result(&line, &choice, &result);
	}
	free(output);
}

/* Of several numbers some may be wrong, or of processes that have ended meanwhile: the others are recorded. */
static void print_missing(const struct pf_record_line *line)
{
	pid_t first = 0;
	size_t count = pf_selection_missing(&line->running.selection, &first);

	if (count == 1)
		fprintf(stderr, "pathfdo record: %d: there is no such process; the others are recorded\n", first);
	else if (count)
		fprintf(stderr,
			"pathfdo record: %d and %zu more: there are no such processes; the others are recorded\n",
			first, count - 1);
}

static bool is_last(const struct written *written, const char *name)
{
	return written->names.count && strcmp(written->names.at[written->names.count - 1], name) == 0;
}

/* What is to be recorded now, and *OUTPUT, its file.  Names tell the second: where all programs of the last recording
 * ended in the one that it began in, the next would take its place, and waits. */
static int begin(struct pf_record_line *line, struct written *written, char **output, struct pf_error *error)
{
	int status = PF_OK;
	bool taken = false;

	do {
		if (taken)
			pf_bell_wait(line->running.bell, SECOND_MS);
		free(*output);
		*output = NULL;
		status = pf_running_find(&line->running, error);
		/* A service that is started anew has no control group meanwhile. */
		if (status == PF_EINVAL && written->begun)
			status = PF_ENOTFOUND;
		written->begun |= status == PF_OK;
		if (status == PF_OK)
			status = pf_record_name(line->pattern, &line->running.target, output, error);
		taken = status == PF_OK && is_last(written, *output);
	} while (taken && !line->running.bell->stop);
	return taken ? pf_fail(error, PF_EEMPTY, "interrupted before it began") : status;
}

/* One recording.  PF_OK, or why there is none. */
static int record_once(struct pf_record_line *line, struct written *written, struct pf_session_result *result,
		       struct pf_error *error)
{
	struct pf_session_choice choice;
	char *output = NULL;
	int status = begin(line, written, &output, error);

	*result = (struct pf_session_result) { 0 };

	/* Before there is anything to forget: a name that is not kept would be a file that is never removed. */
	if (status == PF_OK && !pf_array_reserve(&written->names.at, written->names.count, &written->names.capacity, 1,
						 sizeof *written->names.at))
		status = pf_fail(error, PF_ENOMEM, "out of memory");
	line->session.output = output;
	if (status == PF_OK)
		status = pf_outfile_keeps(output, line->running.target.path, error);
	if (status == PF_OK)
		status = pf_session_choose(&choice, &line->session, &line->running.target, error);
	if (status == PF_OK && written->count == 0) {
		print_missing(line);
		pf_record_print_choice(line, &choice);
	}
	if (status == PF_OK) {
		status = pf_running_record(&line->running, &line->session, &choice, result, error);
		print_running(result);
	}
	if (status == PF_OK) {
		pf_record_print_result(line, &choice, result);
		note_written(line, written, output);
	} else {
		free(output);
	}
	return status;
}

/* Is that a reason to go on with the next recording? */
static bool may_heal(const struct pf_record_line *line, const struct written *written, int status)
{
	if (status == PF_ENOTFOUND)
		return line->running.selection.pids == NULL;
	return written->count > 0 || (status != PF_EINVAL && status != PF_EUNSUPPORTED);
}

/* Waits until UNTIL.  False: it is to end now.  A thread that was in the kernel when the recorder left, and would not
 * stop, stops when it comes out of it, and must not stand still up to the next turn. */
static bool wait_until(struct pf_bell *bell, uint64_t until)
{
	for (uint64_t now = now_ms(); !bell->stop && now < until; now = now_ms()) {
		uint64_t most = pf_tracee_sweep() ? SWEEP_MS : 1000;

		pf_bell_wait(bell, (int)(until - now < most ? until - now : most));
	}
	bell->snapshot = false; /* of nothing */
	return !bell->stop;
}

/* Again and again, until somebody ends it or there is no such process any more. */
static int record_series(struct pf_record_line *line, struct written *written, struct pf_error *error)
{
	uint64_t begin = now_ms(), turn = begin, end = line->duration_ms ? begin + line->duration_ms : UINT64_MAX, next;
	struct pf_session_result result;
	int status = PF_OK;

	do {
		uint64_t now = now_ms(), left = now < end ? end - now : 1;

		line->running.duration_ms = left < line->for_ms ? (uint32_t)left : line->for_ms;
		status = record_once(line, written, &result, error);
		if (status < 0 && !may_heal(line, written, status))
			break;
		if (status < 0 && (line->verbose || (status != PF_EEMPTY && status != PF_ENOTFOUND)))
			pf_record_fail(error);
		pf_record_print_saved(&result);
		note_saved(written, result.saved);
		/* A turn that took too long loses the next ones, not its place. */
		while (turn <= now_ms() && line->every_ms > line->for_ms)
			turn += line->every_ms;
		next = status < 0 && turn < now_ms() + RETRY_MS ? now_ms() + RETRY_MS : turn;
		next = next < end ? next : end;
	} while (wait_until(line->running.bell, next) && now_ms() < end);
	return written->count ? PF_OK : status;
}

static int record_running(struct pf_record_line *line)
{
	struct pf_companion companion = { 0, -1 };
	struct pf_session_result result = { 0 };
	struct written written = { 0 };
	struct pf_error error;
	struct pf_bell bell;
	int status = pf_bell_init(&bell, &error), said;

	if (status < 0)
		return pf_record_fail(&error);
	if (line->session.argv[0])
		status = pf_companion_start(&companion, line->session.argv, &bell.mask, &error);
	if (status < 0) {
		pf_bell_fini(&bell);
		pf_record_fail(&error);
		return status == PF_ENOTFOUND ? PF_EXIT_NOT_FOUND : PF_EXIT_CANNOT_RUN;
	}
	bell.beside = companion.fd;
	line->running.bell = &bell;
	line->running.snapshot = take_snapshot;
	line->running.context = line;
	line->running.duration_ms = line->duration_ms;
	if (line->every_ms && !line->pattern)
		line->pattern = "%e-%b-%h-%t.data";
	status = line->every_ms ? record_series(line, &written, &error) : record_once(line, &written, &result, &error);
	for (size_t i = 0; i < written.names.count; i++)
		free(written.names.at[i]);
	pf_array_fini(&written.names);
	free(written.saved);
	bell.beside = -1;
	said = pf_companion_end(&companion);
	pf_bell_fini(&bell);
	if (status == PF_OK)
		return said;
	pf_record_fail(&error);
	pf_record_print_saved(&result);
	return PF_EXIT_FAILURE;
}

/* Makes of the list of numbers PIDS one of processes, for a thread may end before its process; the caller's to free.
 * NULL: out of memory. */
static char *find_processes(const struct pf_record_line *line, const char *pids)
{
	struct pf_buffer list = { 0 };

	for (char *end; *pids; pids = end + (*end == ',')) {
		pid_t number = (pid_t)strtol(pids, &end, 10), process = pf_procfs_process(number);

		if (process != number && !line->quiet)
			fprintf(stderr,
				"pathfdo record: %d is a thread of process %d, all of which is recorded\n", number,
				process);
		pf_buffer_printf(&list, "%s%d", list.size ? "," : "", process);
	}
	pf_buffer_u8(&list, 0);
	if (list.failed)
		pf_buffer_fini(&list);
	return (char *)list.data;
}

int pf_record_running(struct pf_record_line *line)
{
	const char *pids = line->running.selection.pids;
	char *processes = pids ? find_processes(line, pids) : NULL;
	int status;

	line->running.selection.pids = processes ? processes : pids;
	status = record_running(line);
	line->running.selection.pids = pids;
	free(processes);
	return status;
}
