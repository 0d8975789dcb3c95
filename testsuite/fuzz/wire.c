/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a session's file, read and written out as perf.data.  Beyond the sanitizers' checks, what was
 * accepted must hold together: every index in range, every string ended. */
#include "runtime/deliver.h"
#include "runtime/drain.h"
#include "runtime/harvest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void check_vectors(const struct pf_vectors *v)
{
	struct pf_deliver_stack stack;
	size_t length = 0;

	for (uint32_t i = 0; i < v->map_count; i++) {
		check(v->maps[i].process < v->process_count && v->maps[i].start < v->maps[i].end);
		length += strlen(v->maps[i].path);
	}
	for (uint32_t i = 0; i < v->edge_count; i++) {
		check(v->edges[i].from_map < v->map_count || v->edges[i].from_map == UINT32_MAX);
		check(v->edges[i].to_map < v->map_count || v->edges[i].to_map == UINT32_MAX);
		check(v->edges[i].process < v->process_count);
	}
	for (uint64_t i = 0; i < v->burst_count; i++) {
		check(v->bursts[i].process < v->process_count && v->bursts[i].edge_count > 0);
		check(v->bursts[i].repeat > 0);
		for (uint32_t n = 0; n < v->bursts[i].edge_count; n++)
			check(v->bursts[i].edges[n] < v->edge_count);
		for (uint32_t at = 0; pf_deliver_next_stack(v, &v->bursts[i], &at, &stack);)
			check(stack.count > 0 && stack.count <= PF_DELIVER_STACK_MAX && at <= v->bursts[i].edge_count);
	}
	check(v->count_count == 0);
	for (uint64_t i = 0; i < v->value_count; i++)
		check(v->values[i].map < v->map_count && v->values[i].kind > 0 && v->values[i].kind < PF_VEC_KINDS &&
		      v->values[i].part < PF_VEC_PARTS);
	check(length < SIZE_MAX);
}

static void write_out(const struct pf_harvest *h)
{
	const struct pf_perf_writer_options options = { .event = "pathfdo-soft",
							.sample_type = PF_DELIVER_SAMPLE_TYPE,
							.period = 1 };
	struct pf_perf_writer *writer;
	int status;

	if (pf_perf_create("/dev/null", &options, &writer, NULL) < 0)
		return;
	/* What one process has written must not keep the others from being written out. */
	status = pf_deliver_harvest(writer, h, true, NULL);
	check(status == PF_OK || status == PF_ENOMEM || status == PF_EIO);
	pf_perf_abandon(writer);
}

static bool count_edge(void *context, uint32_t process, const struct pf_vec_edge *edge, const struct pf_vec_map *from)
{
	uint64_t *edges = context;

	check(edge->start <= edge->from && edge->process == process && (!from || strlen(from->path) < 4096));
	edges[process % 8]++;
	return true;
}

static bool check_burst(void *context, uint32_t process, const struct pf_vec_burst *burst)
{
	const uint64_t *edges = context;

	for (uint32_t i = 0; i < burst->edge_count; i++)
		check(burst->edges[i] < edges[process % 8]);
	return true;
}

/* The same bytes as a whole run's: a tail that is written moves on, so there is an end. */
static void drain(int fd)
{
	uint64_t edges[8] = { 0 };
	struct pf_drain_sink sink = { .context = edges, .edge = count_edge, .burst = check_burst };
	struct pf_drain d;
	bool moved = true;
	int status = pf_drain_init(&d, fd, "input", &sink, NULL);

	for (int i = 0; status == PF_OK && moved && i < 4; i++)
		status = pf_drain_poll(&d, &moved, NULL);
	pf_drain_fini(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("wire", MFD_CLOEXEC);
	struct pf_harvest h = { 0 };
	struct pf_error error = { 0 };

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (pf_harvest_file(&h, fd, "input", NULL, NULL, &error) == PF_OK) {
		check_vectors(&h.vectors);
		write_out(&h);
	} else {
		check(error.code < 0 && strstr(error.text, "input"));
	}
	pf_harvest_fini(&h);
	drain(fd);
	close(fd);
	return 0;
}
