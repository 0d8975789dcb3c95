/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a session's file, read and written out as perf.data.  Beyond the sanitizers' checks, what was
 * accepted must hold together: every index in range, every string ended. */
#include "runtime/deliver.h"
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
	check(length < SIZE_MAX);
}

static void write_out(const struct pf_harvest *h)
{
	const struct pf_perf_writer_options options = { .event = "pathfdo-soft",
							.sample_type = PF_DELIVER_SAMPLE_TYPE,
							.period = 1 };
	struct pf_perf_writer *writer;

	if (pf_perf_create("/dev/null", &options, &writer, NULL) < 0)
		return;
	pf_deliver_harvest(writer, h, true, NULL);
	pf_perf_abandon(writer);
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
	close(fd);
	return 0;
}
