/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vector-stacks IN OUT [TIMES]: the bursts of a software recording as a processor with 32 branch registers would have
 * recorded them: a perf.data file with a sample for each 32 branches in a row, each TIMES times (1), a microsecond
 * apart, in which every third branch of a burst was predicted wrongly.  For tools that know branch stacks only, and for
 * large recordings. */
#include "perfdata/perfdata.h"
#include "perfdata/vectors.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 32 };

static struct pf_error error;
static struct pf_perf_writer *writer;
static uint64_t now = 1000000000u;

static void must(int status)
{
	if (status < 0) {
		fprintf(stderr, "vector-stacks: %s\n", error.text);
		exit(1);
	}
}

/* create_gcov passes over a process that no record names. */
static void write_names(const struct pf_vectors *v)
{
	for (uint32_t i = 0; i < v->process_count; i++) {
		struct pf_event name = { .kind = PF_EVENT_COMM,
					 .pid = v->processes[i].pid,
					 .tid = v->processes[i].pid,
					 .time = now++,
					 .filename = v->processes[i].comm };

		must(pf_perf_write(writer, &name, &error));
	}
}

static void write_maps(const struct pf_vectors *v)
{
	for (uint32_t i = 0; i < v->map_count; i++) {
		const struct pf_vec_map *m = &v->maps[i];
		struct pf_event map = { .kind = PF_EVENT_MMAP,
					.pid = v->processes[m->process].pid,
					.tid = v->processes[m->process].pid,
					.time = now++,
					.address = m->start,
					.length = m->end - m->start,
					.page_offset = m->offset,
					.protection = 5,
					.filename = m->path };

		must(pf_perf_write(writer, &map, &error));
	}
}

/* The COUNT branches at LAST and before it, newest first. */
static void write_sample(const struct pf_vectors *v, const struct pf_vec_burst *b, const struct pf_branch *last,
			 uint32_t count)
{
	struct pf_branch stack[DEPTH];
	struct pf_event sample = { .kind = PF_EVENT_SAMPLE,
				   .pid = v->processes[b->process].pid,
				   .tid = b->tid,
				   .ip = last->to,
				   .branch_count = count,
				   .branches = stack };

	sample.time = now += 1000;
	for (uint32_t i = 0; i < count; i++)
		stack[i] = *(last - i);
	must(pf_perf_write(writer, &sample, &error));
}

/* Falls are no branches, and what does not follow on the branch before it begins another stack. */
static void write_burst(const struct pf_vectors *v, const struct pf_vec_burst *b)
{
	struct pf_branch row[DEPTH];
	uint32_t count = 0;
	uint64_t at = 0;

	for (uint32_t i = 0; i < b->edge_count; i++) {
		const struct pf_vec_edge *e = &v->edges[b->edges[i]];

		if (count > 0 && (count == DEPTH || e->start != at)) {
			write_sample(v, b, &row[count - 1], count);
			count = 0;
		}
		at = e->to;
		if (e->kind != PF_EDGE_FALL)
			row[count++] = (struct pf_branch) { .from = e->from, .to = e->to, .flags = i % 3 ? 2 : 1 };
	}
	if (count > 0)
		write_sample(v, b, &row[count - 1], count);
}

int main(int argc, char **argv)
{
	static char *command[] = { "vector-stacks", NULL };
	struct pf_perf_writer_options options = { .event = "cycles:u",
						  .attr_type = PERF_TYPE_HARDWARE,
						  .attr_config = PERF_COUNT_HW_CPU_CYCLES,
						  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
								 PERF_SAMPLE_BRANCH_STACK,
						  .branch_sample_type =
						      PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
						  .period = 100003,
						  .command = command };
	struct pf_perf_file *file;
	const struct pf_vectors *v;

	if (argc < 3)
		return 2;
	must(pf_perf_open(argv[1], &file, &error));
	must(pf_perf_vectors(file, &v, &error));
	if (!v)
		return 2;
	must(pf_perf_create(argv[2], &options, &writer, &error));
	write_names(v);
	write_maps(v);
	for (unsigned long times = argc > 3 ? strtoul(argv[3], NULL, 10) : 1; times > 0; times--) {
		for (uint64_t i = 0; i < v->burst_count; i++)
			write_burst(v, &v->bursts[i]);
	}
	must(pf_perf_commit(writer, &error));
	pf_perf_close(file);
	return 0;
}
