/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole perf.data file from memory: opened, every event read and every pointer in it followed, the compact vectors
 * decoded; what was decoded must be encoded and decoded again without complaint. */
#include "perfdata/perfdata.h"
#include "perfdata/vectors-codec.h"
#include "testsuite/fuzz/announced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void require(int condition)
{
	if (!condition)
		abort();
}

static void read_events(struct pf_perf_file *file)
{
	struct pf_error error = { 0 };
	struct pf_event event;
	int status;

	while ((status = pf_perf_next(file, &event, &error)) == 1) {
		require(event.attr < pf_perf_attr_count(file));
		for (uint32_t i = 0; i < event.branch_count; i++)
			sink += event.branches[i].from ^ event.branches[i].flags;
		if (event.filename)
			sink += strlen(event.filename);
		require(event.build_id_size <= sizeof event.build_id);
	}
	require(status == 0 || error.text[0]);
}

static void read_tables(struct pf_perf_file *file)
{
	size_t count;
	const struct pf_build_id *ids = pf_perf_build_ids(file, &count);

	for (size_t i = 0; i < count; i++)
		sink += strlen(ids[i].path) + ids[i].size;
	for (uint32_t i = 0; i < pf_perf_attr_count(file); i++)
		sink += strlen(pf_perf_event_name(file, i)) + pf_perf_attr(file, i)->size;
}

static void read_aggregates(const struct pf_aggregates *aggregates)
{
	for (size_t i = 0; aggregates && i < aggregates->list.count; i++) {
		const struct pf_aggregate *a = &aggregates->list.at[i];

		require(a->from.object == PF_AGGREGATE_UNKNOWN || a->from.object < aggregates->objects.count);
		require(a->to.object == PF_AGGREGATE_UNKNOWN || a->to.object < aggregates->objects.count ||
			!a->to.object);
		require(a->missed <= a->count);
	}
}

static void check_again(const struct pf_vectors *vectors)
{
	struct pf_buffer encoded = { 0 };
	struct pf_vectors *again = NULL;
	struct pf_cursor c;

	if (pf_vectors_encode(vectors, &encoded, NULL) == PF_OK) {
		c = pf_cursor_over(encoded.data, encoded.size, 0);
		require(pf_vectors_decode("again", &c, &again, NULL) == PF_OK);
		require(again->burst_count == vectors->burst_count);
		for (uint64_t i = 0; i < vectors->burst_count; i++)
			require(again->bursts[i].edge_count == vectors->bursts[i].edge_count &&
				memcmp(again->bursts[i].edges, vectors->bursts[i].edges,
				       vectors->bursts[i].edge_count * sizeof(uint32_t)) == 0);
	}
	pf_vectors_free(again);
	pf_buffer_fini(&encoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	const struct pf_vectors *vectors;
	const uint8_t *section;
	struct pf_perf_file *file;
	struct pf_error error;

	if (fd < 0) {
		fd = memfd_create("perf.data", MFD_CLOEXEC);
		require(fd >= 0);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	require(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	if (pf_perf_open(path, &file, &error) < 0) {
		require(error.text[0] && !file);
		return 0;
	}
	read_tables(file);
	read_aggregates(pf_perf_aggregates(file));
	section = memmem(data, size, PF_VECTORS_MAGIC, 8);
	if (section && !announces_too_much(section, size - (size_t)(section - data)) &&
	    pf_perf_vectors(file, &vectors, &error) == PF_OK && vectors)
		check_again(vectors);
	read_events(file);
	pf_perf_close(file);
	return 0;
}
