/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compact section: what goes in comes out, whatever its size; and a section in which one thing is wrong is refused
 * as a whole, with its checksum made right again so that it is not the checksum that refuses it. */
#include "perfdata/vectors-codec.h"
#include "testsuite/unit/perfdata-image.h"

#include <zlib.h>

static struct pf_error error;

static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Values of every magnitude. */
static uint64_t any(void)
{
	return next_random() >> (next_random() % 64);
}

static void fill_tables(struct pf_vectors *v)
{
	static char path[] = "/some/where/it/is";

	for (uint32_t i = 0; i < v->process_count; i++)
		v->processes[i] = (struct pf_vec_process) {
			.pid = (uint32_t)any(), .ppid = (uint32_t)any(), .comm = path + i % 17, .exe = path
		};
	for (uint32_t i = 0; i < v->map_count; i++) {
		uint64_t start = any() >> 1;

		v->maps[i] = (struct pf_vec_map) { .process = (uint32_t)(any() % v->process_count),
						   .start = start,
						   .end = start + 1 + (any() >> 1),
						   .offset = any(),
						   .path = path + i % 17,
						   .build_id_size = (uint8_t)(i % 21),
						   .time = any() };
		for (uint8_t k = 0; k < v->maps[i].build_id_size; k++)
			v->maps[i].build_id[k] = (uint8_t)any();
	}
	for (uint32_t i = 0; i < v->edge_count; i++) {
		uint64_t start = any() >> 1;

		v->edges[i] =
		    (struct pf_vec_edge) { .process = (uint32_t)(any() % v->process_count),
					   .from_map = any() % 3 ? (uint32_t)(any() % v->map_count) : UINT32_MAX,
					   .to_map = any() % 3 ? (uint32_t)(any() % v->map_count) : UINT32_MAX,
					   .kind = (uint8_t)(1 + any() % 7),
					   .start = start,
					   .from = start + (any() >> 1),
					   .to = any() };
	}
}

/* Shares ascend; the last edge may be in any. */
static void fill_timings(struct pf_vectors *v)
{
	v->timing_count = v->edge_count > 0 ? 7 : 0;
	v->timings = pf_vectors_alloc(v, v->timing_count, sizeof *v->timings);
	for (uint32_t i = 0; i < v->timing_count; i++) {
		struct pf_vec_share *shares = pf_vectors_alloc(v, v->edge_count, sizeof *shares);
		uint32_t count = 0;

		for (uint32_t edge = i % v->edge_count; edge < v->edge_count; edge += 1 + i)
			shares[count++] = (struct pf_vec_share) { edge, (uint32_t)any() | 1 };
		v->timings[i] = (struct pf_vec_timing) { any(), count, shares };
	}
}

static void compare_timings(const struct pf_vectors *a, const struct pf_vectors *b)
{
	ck_assert_uint_eq(a->timing_count, b->timing_count);
	for (uint32_t i = 0; i < a->timing_count; i++) {
		const struct pf_vec_timing *x = &a->timings[i], *y = &b->timings[i];

		ck_assert_uint_eq(x->elapsed, y->elapsed);
		ck_assert_uint_eq(x->share_count, y->share_count);
		ck_assert_mem_eq(x->shares, y->shares, x->share_count * sizeof *x->shares);
	}
}

static void fill_bursts(struct pf_vectors *v, uint32_t longest)
{
	for (uint64_t i = 0; i < v->burst_count; i++) {
		uint32_t count = (uint32_t)(next_random() % (longest + 1));
		uint32_t *ids = pf_vectors_alloc(v, count, sizeof *ids);
		uint32_t at = 0;

		for (uint32_t k = 0; k < count; k++) /* mostly a loop, with leaps */
			ids[k] = at = (uint32_t)((at + (any() % 50 ? 1 : any())) % v->edge_count);
		v->bursts[i] = (struct pf_vec_burst) { .process = (uint32_t)(any() % v->process_count),
						       .tid = (uint32_t)any(),
						       .time = any(),
						       .period = any(),
						       .elapsed = any(),
						       .repeat = any(),
						       .edge_count = count,
						       .end_reason = (uint8_t)any(),
						       .after_wait = any() % 2,
						       .edges = ids };
	}
	for (uint64_t i = 0; i < v->count_count; i++)
		v->counts[i] = (struct pf_vec_count) { .edge = (uint32_t)(any() % v->edge_count), .count = any() };
	for (uint64_t i = 0; i < v->value_count; i++)
		v->values[i] = (struct pf_vec_value) { .map = (uint32_t)(any() % v->map_count),
						       .kind = (uint8_t)(1 + any() % (PF_VEC_KINDS - 1)),
						       .part = (uint8_t)(any() % PF_VEC_PARTS),
						       .address = any(),
						       .value = (int64_t)any(),
						       .count = any() };
}

static struct pf_vectors *make(uint32_t processes, uint32_t maps, uint32_t edges, uint64_t bursts, uint32_t longest,
			       uint64_t counts)
{
	struct pf_vectors *v = calloc(1, sizeof *v);

	*v = (struct pf_vectors) { .process_count = processes,
				   .map_count = maps,
				   .edge_count = edges,
				   .burst_count = bursts,
				   .count_count = counts,
				   .value_count = maps ? counts / 2 : 0,
				   .nominal_length = 1024,
				   .frequency = 100,
				   .cpu_ns = any(),
				   .cost_ns = any() };
	v->processes = pf_vectors_alloc(v, processes, sizeof *v->processes);
	v->maps = pf_vectors_alloc(v, maps, sizeof *v->maps);
	v->edges = pf_vectors_alloc(v, edges, sizeof *v->edges);
	v->bursts = pf_vectors_alloc(v, bursts, sizeof *v->bursts);
	v->counts = pf_vectors_alloc(v, counts, sizeof *v->counts);
	v->values = pf_vectors_alloc(v, counts, sizeof *v->values);
	fill_tables(v);
	fill_bursts(v, longest);
	fill_timings(v);
	return v;
}

static int decode(const struct pf_buffer *b, struct pf_vectors **v)
{
	struct pf_cursor c = pf_cursor_over(b->data, b->size, 4096);

	return pf_vectors_decode("a-file", &c, v, &error);
}

static void compare_tables(const struct pf_vectors *a, const struct pf_vectors *b)
{
	for (uint32_t i = 0; i < a->process_count; i++) {
		ck_assert_uint_eq(a->processes[i].pid, b->processes[i].pid);
		ck_assert_uint_eq(a->processes[i].ppid, b->processes[i].ppid);
		ck_assert_str_eq(a->processes[i].comm, b->processes[i].comm);
		ck_assert_str_eq(a->processes[i].exe, b->processes[i].exe);
	}
	for (uint32_t i = 0; i < a->map_count; i++) {
		const struct pf_vec_map *x = &a->maps[i], *y = &b->maps[i];

		ck_assert(x->process == y->process && x->start == y->start && x->end == y->end &&
			  x->offset == y->offset && x->time == y->time && x->build_id_size == y->build_id_size);
		ck_assert_mem_eq(x->build_id, y->build_id, 20);
		ck_assert_str_eq(x->path, y->path);
	}
	for (uint32_t i = 0; i < a->edge_count; i++) {
		const struct pf_vec_edge *x = &a->edges[i], *y = &b->edges[i];

		ck_assert(x->process == y->process && x->from_map == y->from_map && x->to_map == y->to_map &&
			  x->kind == y->kind && x->start == y->start && x->from == y->from && x->to == y->to);
	}
}

static void compare(const struct pf_vectors *a, const struct pf_vectors *b)
{
	ck_assert(a->process_count == b->process_count && a->map_count == b->map_count &&
		  a->edge_count == b->edge_count && a->burst_count == b->burst_count &&
		  a->count_count == b->count_count && a->cpu_ns == b->cpu_ns && a->cost_ns == b->cost_ns &&
		  a->nominal_length == b->nominal_length && a->frequency == b->frequency);
	compare_tables(a, b);
	for (uint64_t i = 0; i < a->burst_count; i++) {
		const struct pf_vec_burst *x = &a->bursts[i], *y = &b->bursts[i];

		ck_assert(x->process == y->process && x->tid == y->tid && x->time == y->time &&
			  x->period == y->period && x->elapsed == y->elapsed && x->repeat == y->repeat &&
			  x->end_reason == y->end_reason && x->after_wait == y->after_wait &&
			  x->edge_count == y->edge_count);
		if (x->edge_count)
			ck_assert_mem_eq(x->edges, y->edges, x->edge_count * sizeof *x->edges);
	}
	for (uint64_t i = 0; i < a->count_count; i++)
		ck_assert(a->counts[i].edge == b->counts[i].edge && a->counts[i].count == b->counts[i].count);
	compare_timings(a, b);
	ck_assert_uint_eq(a->value_count, b->value_count);
	for (uint64_t i = 0; i < a->value_count; i++) {
		const struct pf_vec_value *x = &a->values[i], *y = &b->values[i];

		ck_assert(x->map == y->map && x->kind == y->kind && x->part == y->part && x->address == y->address &&
			  x->value == y->value && x->count == y->count);
	}
}

static void there_and_back(struct pf_vectors *v)
{
	struct pf_buffer b = { 0 };
	struct pf_vectors *again;

	ck_assert_msg(pf_vectors_encode(v, &b, &error) == PF_OK, "%s", error.text);
	ck_assert_msg(decode(&b, &again) == PF_OK, "%s", error.text);
	compare(v, again);
	pf_vectors_free(v);
	pf_vectors_free(again);
	pf_buffer_fini(&b);
}

START_TEST(round_trips)
{
	there_and_back(make(0, 0, 0, 0, 0, 0));
	there_and_back(make(1, 1, 1, 1, 1, 1));
	there_and_back(make(3, 50, 1000, 300, 40, 100));
	there_and_back(make(500, 2000, 60000, 4000, 1500, 60000)); /* several chunks of each */
	there_and_back(make(1, 1, 3, 2, 1000000, 0));              /* a burst longer than a chunk should be */
}
END_TEST

/* A program that goes round in a loop costs next to nothing. */
START_TEST(loops_are_small)
{
	struct pf_vectors *v = make(1, 1, 100, 1000, 0, 0);
	uint32_t ids[1024];
	struct pf_buffer b = { 0 };

	for (uint32_t i = 0; i < 1024; i++)
		ids[i] = i % 7;
	for (uint32_t i = 0; i < 1000; i++)
		v->bursts[i] = (struct pf_vec_burst) { .tid = 1, .time = i, .edge_count = 1024, .edges = ids };
	ck_assert_int_eq(pf_vectors_encode(v, &b, &error), PF_OK);
	ck_assert_uint_lt(b.size, 1024 * 1000 / 100);
	pf_vectors_free(v);
	pf_buffer_fini(&b);
}
END_TEST

static int encode_status(struct pf_vectors *v)
{
	struct pf_buffer b = { 0 };
	int status = pf_vectors_encode(v, &b, &error);

	pf_buffer_fini(&b);
	pf_vectors_free(v);
	return status;
}

START_TEST(encoder_refuses)
{
	struct pf_vectors *v = make(2, 2, 10, 5, 10, 2);

	v->edges[3].from_map = 2;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	ck_assert(strstr(error.text, "edge 3") != NULL);
	v = make(2, 2, 10, 5, 10, 2);
	v->edges[9].kind = 8;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	v = make(2, 2, 10, 5, 10, 2);
	v->maps[1].process = 2;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	v = make(2, 2, 10, 5, 10, 2);
	v->bursts[4].process = 2;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	v = make(2, 2, 10, 5, 10, 2);
	v->counts[1].edge = 10;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	v = make(2, 2, 10, 5, 10, 2);
	((struct pf_vec_share *)v->timings[2].shares)[1].edge = 10;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	ck_assert(strstr(error.text, "timing 2") != NULL);
	v = make(2, 2, 10, 5, 10, 4);
	v->values[1].map = 2;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	ck_assert(strstr(error.text, "value 1") != NULL);
	v = make(2, 2, 10, 5, 10, 4);
	v->values[0].kind = PF_VEC_KINDS;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
	v = make(2, 2, 10, 5, 10, 2);
	((struct pf_vec_share *)v->timings[0].shares)[1].edge = v->timings[0].shares[0].edge;
	ck_assert_int_eq(encode_status(v), PF_EINVAL);
}
END_TEST

/* A section of one process, one map, two edges, one burst of three, one count, one timing, one value: every chunk is
 * plain, so its bytes can be overwritten one by one. */
static struct pf_buffer small_section(void)
{
	uint32_t ids[] = { 0, 1, 0 };
	struct pf_vec_process process = { .pid = 1, .comm = "c", .exe = "e" };
	struct pf_vec_map map = { .start = 0x1000, .end = 0x2000, .path = "m" };
	struct pf_vec_edge edges[] = { { .kind = 1, .start = 0x1000, .from = 0x1001, .to = 0x1004 },
				       { .kind = 2, .start = 0x1004, .from = 0x1008, .to = 0x1000 } };
	struct pf_vec_burst burst = { .tid = 1, .edge_count = 3, .edges = ids };
	struct pf_vec_count count = { .edge = 1, .count = 2 };
	struct pf_vec_share shares[] = { { 0, 2 }, { 1, 1 } };
	struct pf_vec_timing timing = { .elapsed = 9, .share_count = 2, .shares = shares };
	struct pf_vec_value value = { .kind = PF_VEC_SIZE, .address = 0x1004, .value = 16, .count = 3 };
	struct pf_vectors v = { .process_count = 1,
				.map_count = 1,
				.edge_count = 2,
				.burst_count = 1,
				.count_count = 1,
				.timing_count = 1,
				.value_count = 1,
				.processes = &process,
				.maps = &map,
				.edges = edges,
				.bursts = &burst,
				.counts = &count,
				.timings = &timing,
				.values = &value };
	struct pf_buffer b = { 0 };

	ck_assert_int_eq(pf_vectors_encode(&v, &b, &error), PF_OK);
	return b;
}

static int decode_fixed(struct pf_buffer *b)
{
	struct pf_vectors *v = NULL;
	int status;

	pf_buffer_patch_u32(b, b->size - 4, (uint32_t)crc32_z(0, b->data, b->size - 4));
	error.text[0] = '\0';
	status = decode(b, &v);
	ck_assert(status == PF_OK ? v != NULL : v == NULL && strstr(error.text, "a-file") == error.text);
	pf_vectors_free(v);
	return status;
}

/* Offset of BYTE of the payload of the chunk TAG. */
static size_t payload(const struct pf_buffer *b, const char *tag, size_t byte)
{
	for (size_t i = PF_VECTORS_HEADER_SIZE; i + 4 < b->size; i++)
		if (memcmp(b->data + i, tag, 4) == 0)
			return i + 16 + byte;
	ck_abort_msg("no chunk %s", tag);
	return 0;
}

static int with_byte(const char *tag, size_t byte, uint8_t value)
{
	struct pf_buffer b = small_section();
	int status;

	b.data[payload(&b, tag, byte)] = value;
	status = decode_fixed(&b);
	pf_buffer_fini(&b);
	return status;
}

/* The shares of edge 0 and the one behind it: bytes 2 and 3, 4 and 5. */
START_TEST(decoder_refuses_timings)
{
	ck_assert_int_eq(with_byte("time", 0, 0), PF_OK);
	ck_assert_int_eq(with_byte("time", 1, 1), PF_EFORMAT);    /* shares: bytes are left */
	ck_assert_int_eq(with_byte("time", 1, 3), PF_EFORMAT);    /* they end before */
	ck_assert_int_eq(with_byte("time", 1, 0x7f), PF_EFORMAT); /* more than there could be */
	ck_assert_int_eq(with_byte("time", 2, 1), PF_EFORMAT);    /* the second is edge 2 then */
	ck_assert_int_eq(with_byte("time", 2, 2), PF_EFORMAT);
	ck_assert_int_eq(with_byte("time", 3, 0), PF_EFORMAT); /* never executed */
	ck_assert_int_eq(with_byte("time", 4, 0), PF_EFORMAT); /* the same edge again */
	ck_assert_int_eq(with_byte("time", 5, 0), PF_EFORMAT);
}
END_TEST

START_TEST(decoder_refuses_indices)
{
	ck_assert_int_eq(with_byte("MAPS", 0, 0), PF_OK);
	ck_assert_int_eq(with_byte("MAPS", 0, 1), PF_EFORMAT); /* its process */
	ck_assert_int_eq(with_byte("EDGE", 0, 0), PF_EFORMAT); /* kind */
	ck_assert_int_eq(with_byte("EDGE", 0, 8), PF_EFORMAT);
	ck_assert_int_eq(with_byte("EDGE", 1, 1), PF_EFORMAT);    /* process */
	ck_assert_int_eq(with_byte("EDGE", 1, 0x7f), PF_EFORMAT); /* -1 */
	ck_assert_int_eq(with_byte("EDGE", 2, 2), PF_EFORMAT);    /* map of from */
	ck_assert_int_eq(with_byte("EDGE", 3, 1), PF_EFORMAT);    /* map of to */
	ck_assert_int_eq(with_byte("BRST", 0, 1), PF_EFORMAT);    /* process */
	ck_assert_int_eq(with_byte("BRST", 7, 2), PF_EFORMAT);    /* fewer edges than there are */
	ck_assert_int_eq(with_byte("BRST", 7, 4), PF_EFORMAT);    /* more */
	ck_assert_int_eq(with_byte("BRST", 8, 2), PF_OK);         /* edge 1 */
	ck_assert_int_eq(with_byte("BRST", 8, 3), PF_EFORMAT);    /* edge 2 */
	ck_assert_int_eq(with_byte("CNTS", 0, 2), PF_EFORMAT);
	ck_assert_int_eq(with_byte("PROC", 3, 'x'), PF_EFORMAT); /* no end of the string */
}
END_TEST

static int with_field(size_t at, size_t size, uint64_t value)
{
	struct pf_buffer b = small_section();
	int status;

	memcpy(b.data + at, &value, size);
	status = decode_fixed(&b);
	pf_buffer_fini(&b);
	return status;
}

/* Processes that fit into half of the memory by themselves, and do not with two empty strings each. */
START_TEST(strings_take_memory)
{
	uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
	uint64_t count = half / (sizeof(struct pf_vec_process) + 32);

	if (count <= UINT32_MAX)
		ck_assert_int_eq(with_field(24, 4, count), PF_ELIMIT);
}
END_TEST

START_TEST(decoder_refuses_headers)
{
	struct pf_buffer b = small_section();
	size_t burst_chunk = payload(&b, "BRST", 0) - 16;

	pf_buffer_fini(&b);
	ck_assert_int_eq(with_field(0, 1, 'Q'), PF_EFORMAT);
	ck_assert_int_eq(with_field(8, 4, 2), PF_EVERSION);
	ck_assert_int_eq(with_field(12, 4, 80), PF_EFORMAT);
	ck_assert_int_eq(with_field(12, 4, UINT32_MAX), PF_EFORMAT);
	ck_assert_int_eq(with_field(16, 8, UINT64_MAX), PF_ETRUNCATED);
	ck_assert_int_eq(with_field(16, 8, 3), PF_EFORMAT);
	for (size_t at = 24; at <= 32; at += 4) { /* processes, maps, edges */
		ck_assert_int_eq(with_field(at, 4, 5), PF_EFORMAT);
		ck_assert_int_eq(with_field(at, 4, 0), PF_EFORMAT);
	}
	for (size_t at = 48; at <= 64; at += 8) { /* bursts, branches, counts */
		ck_assert_int_eq(with_field(at, 8, 4), PF_EFORMAT);
		ck_assert_int_eq(with_field(at, 8, 0), PF_EFORMAT);
		ck_assert_int_eq(with_field(at, 8, 1ull << 50), PF_ELIMIT);
		ck_assert_int_eq(with_field(at, 8, UINT64_MAX), PF_ELIMIT);
	}
	ck_assert_int_eq(with_field(burst_chunk, 1, 'X'), PF_EVERSION);
	ck_assert_int_eq(with_field(burst_chunk, 1, 'b'), PF_EFORMAT); /* skipped, so bursts are missing */
	ck_assert_int_eq(with_field(burst_chunk + 8, 4, 1u << 30), PF_EFORMAT);
	ck_assert_int_eq(with_field(burst_chunk + 8, 4, 1000), PF_EFORMAT); /* no zstd frame */
	ck_assert_int_eq(with_field(burst_chunk + 12, 4, UINT32_MAX), PF_EFORMAT);
}
END_TEST

/* Cut anywhere, and any byte changed: never accepted. */
START_TEST(decoder_refuses_damage)
{
	struct pf_buffer b = small_section();

	for (size_t size = 0; size < b.size; size++) {
		struct pf_buffer cut = { .data = b.data, .size = size };
		struct pf_vectors *v;

		ck_assert_int_lt(decode(&cut, &v), 0);
	}
	for (size_t i = 0; i < b.size; i++) {
		struct pf_vectors *v;

		b.data[i] ^= 0x10;
		ck_assert_int_lt(decode(&b, &v), 0);
		b.data[i] ^= 0x10;
	}
	pf_buffer_fini(&b);
}
END_TEST

/* A longer header and an unknown table in lower case are passed over: room for later versions. */
START_TEST(decoder_passes_over)
{
	struct pf_buffer b = small_section(), grown = { 0 };

	pf_buffer_bytes(&grown, b.data, PF_VECTORS_HEADER_SIZE);
	pf_buffer_patch_u32(&grown, 12, PF_VECTORS_HEADER_SIZE + 8);
	pf_buffer_u64(&grown, 0x1234);
	pf_buffer_bytes(&grown, "mine", 4);
	pf_buffer_u32(&grown, 1);
	pf_buffer_u32(&grown, 1u << 31);
	pf_buffer_u32(&grown, 3);
	pf_buffer_bytes(&grown, "xyz", 3);
	pf_buffer_bytes(&grown, b.data + PF_VECTORS_HEADER_SIZE, b.size - PF_VECTORS_HEADER_SIZE);
	pf_buffer_patch_u64(&grown, 16, grown.size);
	ck_assert_msg(decode_fixed(&grown) == PF_OK, "%s", error.text);
	pf_buffer_fini(&grown);
	pf_buffer_fini(&b);
}
END_TEST

int main(void)
{
	return RUN_SUITE("perfdata-vectors", round_trips, loops_are_small, encoder_refuses, decoder_refuses_indices,
			 decoder_refuses_timings, decoder_refuses_headers, strings_take_memory, decoder_refuses_damage,
			 decoder_passes_over);
}
