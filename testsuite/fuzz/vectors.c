/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compact section alone, without the file around it and with its size and checksum put right, so that a fuzzer gets
 * to its tables at once.  What is decoded must have no index out of range, must survive another round, and is counted
 * in each of the converter's ways, whatever times and weights it claims. */
#include "converter/intake.h"
#include "perfdata/vectors-codec.h"
#include "testsuite/fuzz/announced.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void require(int condition)
{
	if (!condition)
		abort();
}

/* Uses every index the way the converter does: without a check of its own. */
static void follow(const struct pf_vectors *v)
{
	for (uint32_t i = 0; i < v->process_count; i++)
		sink += strlen(v->processes[i].comm) + strlen(v->processes[i].exe);
	for (uint32_t i = 0; i < v->map_count; i++)
		sink += v->processes[v->maps[i].process].pid + strlen(v->maps[i].path);
	for (uint32_t i = 0; i < v->edge_count; i++) {
		const struct pf_vec_edge *edge = &v->edges[i];

		require(edge->start <= edge->from && edge->kind >= PF_EDGE_COND && edge->kind <= PF_EDGE_FALL);
		sink += v->processes[edge->process].pid;
		sink += edge->from_map == UINT32_MAX ? 0 : v->maps[edge->from_map].start;
		sink += edge->to_map == UINT32_MAX ? 0 : v->maps[edge->to_map].start;
	}
	for (uint64_t i = 0; i < v->burst_count; i++) {
		sink += v->processes[v->bursts[i].process].pid;
		for (uint32_t k = 0; k < v->bursts[i].edge_count; k++)
			sink += v->edges[v->bursts[i].edges[k]].to;
	}
	for (uint64_t i = 0; i < v->count_count; i++)
		sink += v->edges[v->counts[i].edge].to;
}

static void again(const struct pf_vectors *v)
{
	struct pf_buffer encoded = { 0 }, twice = { 0 };
	struct pf_vectors *second;
	struct pf_cursor c;

	require(pf_vectors_encode(v, &encoded, NULL) == PF_OK);
	c = pf_cursor_over(encoded.data, encoded.size, 0);
	require(pf_vectors_decode("again", &c, &second, NULL) == PF_OK);
	require(pf_vectors_encode(second, &twice, NULL) == PF_OK);
	require(twice.size == encoded.size && memcmp(twice.data, encoded.data, twice.size) == 0);
	pf_vectors_free(second);
	pf_buffer_fini(&encoded);
	pf_buffer_fini(&twice);
}

static void count(const struct pf_vectors *v)
{
	for (int weighting = PF_WEIGHT_RATE; weighting <= PF_WEIGHT_NONE; weighting++) {
		const struct pf_intake_options options = { .weighting = (enum pf_weighting)weighting };
		struct pf_recording recording = { 0 };
		struct pf_traffic traffic = { 0 };
		struct pf_error error = { 0 };

		require(pf_intake_vectors(&traffic, v, &options, &recording, &error) == PF_OK);
		require(pf_recording_end(&recording, &traffic) == PF_OK);
		for (size_t i = 0; i < traffic.edges.count; i++)
			require(traffic.edges.at[i].start <= traffic.edges.at[i].from);
		pf_traffic_fini(&traffic);
		pf_recording_fini(&recording);
	}
}

static void decode(const uint8_t *data, size_t size)
{
	struct pf_cursor c = pf_cursor_over(data, size, 0);
	struct pf_error error = { 0 };
	struct pf_vectors *v;

	if (pf_vectors_decode("input", &c, &v, &error) < 0) {
		require(error.text[0] && !v);
		return;
	}
	follow(v);
	again(v);
	count(v);
	pf_vectors_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_buffer mended = { 0 };

	if (announces_too_much(data, size))
		return 0;
	decode(data, size);
	pf_buffer_bytes(&mended, data, size);
	if (size >= 92) {
		pf_buffer_patch_u64(&mended, 16, size);
		pf_buffer_patch_u32(&mended, size - 4, (uint32_t)crc32_z(0, mended.data, size - 4));
		decode(mended.data, size);
	}
	pf_buffer_fini(&mended);
	return 0;
}
