/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See merge-crew.h.  A worker is a process that adds up one batch of files and leaves the sum, a profile as any other,
 * in memory that it shares with the parent, which adds the sums up.  Sums of sums are the sum, so who did what cannot
 * be seen in the result.
 *
 * Hard case: a worker that ends without a sum, killed for want of memory or by a fault in a file's reading.  Its batch
 * goes back in two halves; a batch of one file names the guilty one.  A new batch is begun only when no half waits, so
 * what waits is of at most as many batches as there are workers. */
#include "cli/merge-crew.h"
#include "profile/merging.h"
#include "profile/pfdo.h"
#include "support/childwait.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGEST_BATCH 64u /* files: the parent's part of the work is one sum in so many */
#define BATCHES_A_WORKER 4u

enum { WORKER_DONE, WORKER_FAILED, WORKER_EMPTY, WORKER_EXHAUSTED };

struct batch {
	size_t from, to; /* of the inputs */
};

struct worker {
	pid_t process; /* 0: none */
	int result;    /* file descriptor of its sum */
	struct batch batch;
};

struct crew {
	const struct pf_merge_plan *plan;
	struct pf_merge_input *items;
	size_t count, next, batch_size;
	struct worker *workers; /* as many as jobs */
	uint32_t busy;
	struct batch *again; /* halves that wait, the last one first */
	size_t again_count;
	struct pf_merge merge;
};

static int add_file(const struct pf_merge_plan *plan, struct pf_merge *merge, const struct pf_merge_input *input,
		    struct pf_error *error)
{
	struct pf_profile *profile;
	int status = pf_pfdo_read(input->path, &profile, error);

	if (status < 0)
		return status;
	if (plan->scaled && profile->unit == PF_UNIT_SAMPLES) {
		profile->unit = PF_UNIT_EXECUTIONS;
		pf_profile_scale(profile, plan->numerator, plan->denominator);
	}
	if (input->weight != PF_MERGE_WEIGHT_ONE)
		pf_profile_scale(profile, input->weight, PF_MERGE_WEIGHT_ONE);
	status = pf_merge_add(merge, profile, error);
	pf_profile_free(profile);
	return status;
}

static int add_files(const struct pf_merge_plan *plan, struct pf_merge *merge, struct pf_merge_input *items,
		     size_t count, struct pf_error *error)
{
	int status = PF_OK;

	for (size_t i = 0; i < count && status == PF_OK; i++) {
		if (*items[i].left_out)
			continue;
		status = add_file(plan, merge, &items[i], error);
		if (status < 0 && status != PF_ENOMEM && plan->keep_going) {
			pf_merge_leave_out(&items[i], error->text);
			status = PF_OK;
		}
	}
	return status;
}

/* What the worker process does; its exit status. */
static int work(const struct pf_merge_plan *plan, struct pf_merge_input *items, size_t count, int result)
{
	struct pf_merge merge = { 0 };
	struct pf_profile *sum = NULL;
	struct pf_error error;
	int status = add_files(plan, &merge, items, count, &error);

	if (status == PF_OK)
		status = pf_merge_finish(&merge, &sum, &error);
	if (status == PF_OK && dup2(result, STDOUT_FILENO) < 0)
		status = pf_fail(&error, PF_ENOMEM, "no room for the sum: %s", strerror(errno));
	if (status == PF_OK)
		status = pf_pfdo_write(sum, "-", &error);
	if (status == PF_ENOMEM)
		return WORKER_EXHAUSTED;
	if (status < 0 && status != PF_EEMPTY)
		fprintf(stderr, "pathfdo merge: %s\n", error.text);
	return status == PF_OK ? WORKER_DONE : status == PF_EEMPTY ? WORKER_EMPTY : WORKER_FAILED;
}

static bool take_batch(struct crew *crew, struct batch *batch)
{
	if (crew->again_count) {
		*batch = crew->again[--crew->again_count];
		return true;
	}
	if (crew->next == crew->count)
		return false;
	batch->from = crew->next;
	batch->to = crew->count - crew->next > crew->batch_size ? crew->next + crew->batch_size : crew->count;
	crew->next = batch->to;
	return true;
}

static int start(struct crew *crew, struct worker *worker, struct pf_error *error)
{
	const struct batch *batch = &worker->batch;
	pid_t parent = getpid();

	worker->result = memfd_create("pathfdo-merge", MFD_CLOEXEC);
	if (worker->result < 0)
		return pf_fail(error, PF_EIO, "no room for a worker's sum: %s", strerror(errno));
	fflush(stderr);
	worker->process = fork();
	if (worker->process < 0) {
		worker->process = 0;
		close(worker->result);
		return pf_fail(error, PF_EIO, "cannot start a worker: %s; ask for fewer of them (-j)", strerror(errno));
	}
	if (worker->process == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
			_exit(WORKER_FAILED);
		_exit(work(crew->plan, crew->items + batch->from, batch->to - batch->from, worker->result));
	}
	crew->busy++;
	return PF_OK;
}

static int start_all(struct crew *crew, struct pf_error *error)
{
	int status = PF_OK;

	for (uint32_t w = 0; w < crew->plan->jobs && status == PF_OK; w++) {
		if (!crew->workers[w].process && take_batch(crew, &crew->workers[w].batch))
			status = start(crew, &crew->workers[w], error);
	}
	return status;
}

static int add_result(struct crew *crew, int result, struct pf_error *error)
{
	struct pf_profile *profile;
	char path[64];
	int status;

	snprintf(path, sizeof path, "/proc/self/fd/%d", result);
	status = pf_pfdo_read(path, &profile, error);
	if (status < 0)
		return status;
	status = pf_merge_add(&crew->merge, profile, error);
	pf_profile_free(profile);
	return status;
}

/* A worker is lost, and nothing of its batch is in the sum. */
static int try_again(struct crew *crew, const struct worker *worker, int how, struct pf_error *error)
{
	struct batch batch = worker->batch;
	struct pf_merge_input *item = &crew->items[batch.from];
	size_t middle = batch.from + (batch.to - batch.from) / 2;

	if (batch.to - batch.from > 1) {
		crew->again[crew->again_count++] = (struct batch) { middle, batch.to };
		crew->again[crew->again_count++] = (struct batch) { batch.from, middle };
		return PF_OK;
	}
	if (WIFSIGNALED(how))
		pf_fail(error, PF_EIO, "%s: the process that added it up was ended by signal %d (%s)", item->path,
			WTERMSIG(how), strsignal(WTERMSIG(how)));
	else
		pf_fail(error, PF_EIO, "%s: there is not enough memory to add it up", item->path);
	if (!crew->plan->keep_going)
		return PF_EIO;
	pf_merge_leave_out(item, error->text);
	return PF_OK;
}

/* Waits for one worker and takes what it has made. */
static int harvest(struct crew *crew, struct pf_error *error)
{
	struct worker *worker = crew->workers;
	pid_t process;
	int how, status = PF_OK;

	do
		process = wait(&how);
	while (process < 0 && errno == EINTR);
	if (process < 0)
		return pf_fail(error, PF_EIO, "the workers are lost: %s", strerror(errno));
	while (worker < crew->workers + crew->plan->jobs && worker->process != process)
		worker++;
	if (worker == crew->workers + crew->plan->jobs)
		return PF_OK;
	worker->process = 0;
	crew->busy--;
	if (WIFEXITED(how) && WEXITSTATUS(how) == WORKER_DONE)
		status = add_result(crew, worker->result, error);
	else if (WIFEXITED(how) && WEXITSTATUS(how) == WORKER_FAILED)
		status = pf_fail(error, PF_EFORMAT,
				 "nothing is written, since a profile cannot be read; -k leaves such out");
	else if (!WIFEXITED(how) || WEXITSTATUS(how) != WORKER_EMPTY)
		status = try_again(crew, worker, how, error);
	close(worker->result);
	return status;
}

static void dismiss(struct crew *crew)
{
	for (uint32_t w = 0; crew->workers && w < crew->plan->jobs; w++) {
		if (crew->workers[w].process) {
			kill(crew->workers[w].process, SIGKILL);
			waitpid(crew->workers[w].process, NULL, 0);
			close(crew->workers[w].result);
		}
	}
	free(crew->workers);
	free(crew->again);
}

static int run_crew(struct crew *crew, struct pf_error *error)
{
	struct pf_childwait wait;
	int status;

	pf_childwait_begin(&wait);
	crew->workers = calloc(crew->plan->jobs, sizeof *crew->workers);
	crew->again = calloc((size_t)crew->plan->jobs * LARGEST_BATCH, sizeof *crew->again);
	status = crew->workers && crew->again ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory for the workers");
	if (status == PF_OK)
		status = start_all(crew, error);
	while (status == PF_OK && crew->busy) {
		status = harvest(crew, error);
		if (status == PF_OK)
			status = start_all(crew, error);
	}
	dismiss(crew);
	pf_childwait_end(&wait);
	return status;
}

int pf_merge_crew(const struct pf_merge_plan *plan, struct pf_merge_input *items, size_t count, struct pf_profile **sum,
		  struct pf_error *error)
{
	size_t share = count / plan->jobs / BATCHES_A_WORKER;
	struct crew crew = { .plan = plan, .items = items, .count = count };
	int status;

	crew.batch_size = share > LARGEST_BATCH ? LARGEST_BATCH : share ? share : 1;
	if (plan->jobs > 1 && count > 1)
		status = run_crew(&crew, error);
	else
		status = add_files(plan, &crew.merge, items, count, error);
	if (status == PF_OK)
		status = pf_merge_finish(&crew.merge, sum, error);
	pf_merge_fini(&crew.merge);
	return status;
}
