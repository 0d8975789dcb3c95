/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See live-run.h.  Hard case: each process numbers its edges by itself, and theirs come in any order; who looks
 * has one list of all. */
#include "cli/live-run.h"

#include "cli/percent.h"
#include "runtime/session.h"

#include "support/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#define NO_PROCESS UINT32_MAX
#define BURSTS_A_SECOND 1000 /* at most: the budget and the kernel's tick are what limits them */

struct process {
	PF_ARRAY(uint32_t) edges; /* their indices in the run's */
};

struct live {
	const struct pf_branch_sink *sink;
	uint32_t added; /* edges */
	PF_ARRAY(struct process) processes;
	uint32_t process, tid; /* whose burst was the last */
	bool apart;            /* no burst goes on where the last one ended */
};

static bool add_edge(void *context, uint32_t number, const struct pf_vec_edge *edge, const struct pf_vec_map *from)
{
	struct live *live = context;
	uint32_t *place;

	while (live->processes.count <= number) {
		if (!pf_array_push(&live->processes))
			return false;
	}
	place = pf_array_push(&live->processes.at[number].edges);
	if (!place)
		return false;
	*place = live->added++;
	return live->sink->add(live->sink->context, edge, from);
}

static bool add_burst(void *context, uint32_t number, const struct pf_vec_burst *burst)
{
	struct live *live = context;
	const uint32_t *edges = live->processes.at[number].edges.at;
	bool fed = true;

	if (live->apart || live->process != number || live->tid != burst->tid)
		live->sink->cut(live->sink->context, burst->tid);
	live->process = number;
	live->tid = burst->tid;
	for (uint32_t i = 0; fed && i < burst->edge_count; i++)
		fed = live->sink->edge(live->sink->context, edges[burst->edges[i]]);
	return fed;
}

static bool add_accesses(void *context, uint32_t number, const struct pf_vec_access *accesses, uint32_t count)
{
	struct live *live = context;

	(void)number;
	return live->sink->accesses(live->sink->context, accesses, count);
}

static void end_process(void *context, uint32_t number)
{
	struct live *live = context;

	if (live->sink->end)
		live->sink->end(live->sink->context, number);
}

static int run_session(const struct pf_session_options *options, struct pf_session_result *result,
		       struct pf_error *error)
{
	struct pf_session_choice choice;
	struct pf_target target;
	int status = pf_target_find(&target, options->argv[0], error);

	*result = (struct pf_session_result) { 0 };
	if (status == PF_OK)
		status = pf_session_choose(&choice, options, &target, error);
	return status == PF_OK ? pf_session_run(options, &choice, &target, result, error) : status;
}

static void note_end(struct pf_live_end *end, const struct pf_session_result *result)
{
	uint64_t most = 0;

	*end = (struct pf_live_end) { .unseen = result->unseen,
				      .left = result->left,
				      .lost = result->lost,
				      .bursts = result->vectors,
				      .branches = result->branches,
				      .cpu_ns = result->cpu_ns,
				      .cost_ns = result->cost_ns };
	if (result->ran)
		end->status = WIFSIGNALED(result->wait_status) ? 128 + WTERMSIG(result->wait_status)
							       : WEXITSTATUS(result->wait_status);
	for (int i = 0; i < PF_REFUSE_COUNT; i++) {
		uint64_t count = result->refusals[i] + result->refused_processes[i];

		end->refused += count;
		if (count > most)
			end->refusal = pf_session_refusal(i);
		most = count > most ? count : most;
	}
}

int pf_live_run(const struct pf_branch_sink *looks, char *const *argv, uint32_t budget_ppm, struct pf_live_end *end,
		struct pf_error *error)
{
	struct live live = { .sink = looks, .process = NO_PROCESS, .apart = budget_ppm > 0 };
	struct pf_drain_sink sink = { .context = &live, .edge = add_edge, .burst = add_burst, .end = end_process };
	struct pf_session_options options = {
		.source = PF_SESSION_SOFT,
		.frequency = BURSTS_A_SECOND,
		.branches = PF_WIRE_NOTING_BRANCHES,
		.budget_ppm = budget_ppm,
		.whole = !budget_ppm,
		.memory = looks->accesses || budget_ppm,
		.sink = &sink,
		.argv = argv,
	};
	struct pf_session_result result;
	int status;

	if (looks->accesses)
		sink.accesses = add_accesses;
	status = run_session(&options, &result, error);
	note_end(end, &result);

	for (size_t i = 0; i < live.processes.count; i++)
		pf_array_fini(&live.processes.at[i].edges);
	pf_array_fini(&live.processes);
	return status;
}

void pf_live_tell(const char *command, const struct pf_live_end *end)
{
	if (end->refusal)
		fprintf(stderr, "pathfdo %s: %" PRIu64 " processes and threads were not seen: %s\n", command,
			end->refused, end->refusal);
	if (end->left)
		fprintf(stderr,
			"pathfdo %s: %" PRIu64
			" processes were seen no more: the machine was too busy to read what they did\n",
			command, end->left);
	if (end->lost)
		fprintf(stderr, "pathfdo %s: %" PRIu64 " branches were lost: too many are distinct\n", command,
			end->lost);
}

void pf_live_tell_bursts(const char *command, const struct pf_live_end *end)
{
	fprintf(stderr,
		"[ pathfdo %s: %" PRIu64 " bursts, %" PRIu64 " branches; recorder cost %.2f%% of %.3f s CPU ]\n",
		command, end->bursts, end->branches, pf_percent(end->cost_ns, end->cpu_ns), (double)end->cpu_ns / 1e9);
}
