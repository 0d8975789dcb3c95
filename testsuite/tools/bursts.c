/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bursts PERF.DATA: whom a recording of `pathfdo record --source=soft` holds bursts of.  One line a thread that has
 * any:
 *
 *     PID TID PPID BURSTS BRANCHES SYSCALL COMM
 *
 * where SYSCALL is how many of the bursts ended at a system call.  Processes without a burst have a line with tid 0.
 * The hard case is a burst that holds no branch: it says nothing of the program, and is not counted. */
#include "perfdata/perfdata.h"
#include "runtime/agent/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct thread {
	uint32_t process, tid;
	uint64_t bursts, branches, syscalls;
};

static struct thread *threads;
static size_t thread_count;

static struct thread *thread_of(uint32_t process, uint32_t tid)
{
	struct thread *grown;

	for (size_t i = 0; i < thread_count; i++) {
		if (threads[i].process == process && threads[i].tid == tid)
			return &threads[i];
	}
	grown = realloc(threads, (thread_count + 1) * sizeof *threads);
	if (!grown) {
		fputs("bursts: out of memory\n", stderr);
		exit(1);
	}
	threads = grown;
	threads[thread_count] = (struct thread) { .process = process, .tid = tid };
	return &threads[thread_count++];
}

static void add_up(const struct pf_vectors *vectors)
{
	for (uint64_t i = 0; i < vectors->burst_count; i++) {
		const struct pf_vec_burst *burst = &vectors->bursts[i];
		struct thread *thread;

		if (burst->edge_count == 0)
			continue;
		thread = thread_of(burst->process, burst->tid);
		thread->bursts += burst->repeat;
		thread->branches += burst->repeat * burst->edge_count;
		if (burst->end_reason == PF_END_SYSCALL)
			thread->syscalls += burst->repeat;
	}
}

static void print_process(const struct pf_vec_process *process, uint32_t index)
{
	bool any = false;

	for (size_t i = 0; i < thread_count; i++) {
		const struct thread *thread = &threads[i];

		if (thread->process != index)
			continue;
		any = true;
		printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", process->pid,
		       thread->tid, process->ppid, thread->bursts, thread->branches, thread->syscalls, process->comm);
	}
	if (!any)
		printf("%" PRIu32 " 0 %" PRIu32 " 0 0 0 %s\n", process->pid, process->ppid, process->comm);
}

int main(int argc, char **argv)
{
	const struct pf_vectors *vectors = NULL;
	struct pf_perf_file *file;
	struct pf_error error;

	if (argc != 2) {
		fputs("usage: bursts PERF.DATA\n", stderr);
		return 2;
	}
	if (pf_perf_open(argv[1], &file, &error) < 0 || pf_perf_vectors(file, &vectors, &error) < 0) {
		fprintf(stderr, "bursts: %s\n", error.text);
		return 1;
	}
	if (!vectors) {
		fprintf(stderr, "bursts: %s holds no compact vectors\n", argv[1]);
		return 1;
	}
	add_up(vectors);
	for (uint32_t i = 0; i < vectors->process_count; i++)
		print_process(&vectors->processes[i], i);
	pf_perf_close(file);
	free(threads);
	return 0;
}
