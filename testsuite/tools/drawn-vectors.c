/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drawn-vectors BINARY PERF.DATA SEED LENGTH SKIP <STREAM: a recording of a run, drawn by lot from all that it
 * executed: vectors of LENGTH branches with some SKIP branches between them, from none to twice as many.
 *
 * STREAM is that of Valgrind's tool `blocks` (testsuite/tools/valgrind).  The same SEED gives the same recording, and
 * another one another recording of the very same run, as the recorder never would.  The hard case is code outside of
 * the binary: what the loader does depends on the environment, and would move all vectors behind it.  So branches that
 * neither begin nor end in the binary do not count. */
#include "converter/code.h"
#include "converter/elf.h"
#include "testsuite/tools/block-stream.h"
#include "testsuite/tools/made-recording.h"

#include <string.h>

#define SPAN 4000000 /* ns that a vector stands for, as with 250 a second */

static struct pf_elf elf;
static PF_ARRAY(struct pf_vec_map) maps;
static PF_ARRAY(struct pf_vec_edge) edges;
static PF_ARRAY(uint32_t) slots; /* edges by hash, plus one */
static PF_ARRAY(uint32_t) taken; /* edges of all vectors, one behind the other */
static PF_ARRAY(struct pf_vec_burst) bursts;
static uint64_t state, wanted, skip, left; /* LEFT branches until a vector ends, or what is skipped */
static bool takes;

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "drawn-vectors: out of memory\n");
		exit(1);
	}
	return memory;
}

static uint64_t random_below(uint64_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1du >> 32) % limit;
}

static uint32_t map_of(bool inside, uint64_t address)
{
	for (uint32_t i = 0; inside && i < maps.count; i++) {
		if (address >= maps.at[i].start && address < maps.at[i].end)
			return i;
	}
	return UINT32_MAX;
}

static void add_maps(void)
{
	for (size_t i = 0; i < elf.segments.count; i++) {
		const struct pf_elf_segment *s = &elf.segments.at[i];
		struct pf_vec_map map = { .start = s->address,
					  .end = s->address + s->file_size,
					  .offset = s->offset,
					  .path = elf.path,
					  .build_id_size = elf.build_id_size };

		memcpy(map.build_id, elf.build_id, sizeof map.build_id);
		if (s->executable)
			*(struct pf_vec_map *)must(pf_array_push(&maps)) = map;
	}
}

static bool equal(const struct pf_vec_edge *a, const struct pf_vec_edge *b)
{
	return a->start == b->start && a->from == b->from && a->to == b->to && a->from_map == b->from_map &&
	       a->to_map == b->to_map;
}

static uint32_t *slot_of(const struct pf_vec_edge *e)
{
	uint64_t hash = (e->start * 31 + e->from) * 31 + e->to;
	size_t at = (hash * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (slots.count - 1);

	while (slots.at[at] && !equal(&edges.at[slots.at[at] - 1], e))
		at = (at + 1) & (slots.count - 1);
	return &slots.at[at];
}

static void make_slots(size_t count)
{
	pf_array_fini(&slots);
	while (slots.count < count)
		*(uint32_t *)must(pf_array_push(&slots)) = 0;
	for (uint32_t i = 0; i < edges.count; i++)
		*slot_of(&edges.at[i]) = i + 1;
}

static uint32_t number_of(const struct pf_vec_edge *e)
{
	uint32_t *slot = slot_of(e), number;

	if (*slot)
		return *slot - 1;
	number = (uint32_t)edges.count;
	*(struct pf_vec_edge *)must(pf_array_push(&edges)) = *e;
	*slot = number + 1;
	if (2 * edges.count >= slots.count)
		make_slots(2 * slots.count);
	return number;
}

/* Begins a vector, or what is skipped behind it. */
static void turn(void)
{
	takes = !takes;
	left = takes ? wanted : random_below(2 * skip + 1);
	if (takes)
		*(struct pf_vec_burst *)must(pf_array_push(&bursts)) =
		    (struct pf_vec_burst) { .tid = 1, .time = (bursts.count + 1) * SPAN, .period = SPAN, .repeat = 1 };
	if (left == 0)
		turn();
}

static void take(const struct block *from, const struct block *to, uint64_t start)
{
	struct pf_vec_edge e = { .kind = kind_of(from, to), .from = from->last, .to = to->address };

	e.start = from->inside ? start : from->last;
	if (from->inside)
		e.kind = pf_code_step(&elf, from->last).kind;
	e.from_map = map_of(from->inside, from->last);
	e.to_map = map_of(to->inside, to->address);
	*(uint32_t *)must(pf_array_push(&taken)) = number_of(&e);
	bursts.at[bursts.count - 1].edge_count++;
}

static void draw(void)
{
	uint32_t before = next_block(), number;
	uint64_t start = before == UINT32_MAX ? 0 : blocks.at[before].address;

	for (; (number = next_block()) != UINT32_MAX; before = number) {
		const struct block *from = &blocks.at[before], *to = &blocks.at[number];

		if (kind_of(from, to) == PF_EDGE_FALL || turns(from, to))
			continue;
		if (takes && (from->inside || to->inside))
			take(from, to, start);
		start = to->address;
		if ((from->inside || to->inside) && --left == 0)
			turn();
	}
	/* The last one is shorter than it should be. */
	if (takes && bursts.count > 0)
		bursts.count--;
}

static int write_recording(const char *path, struct pf_error *error)
{
	struct pf_vec_process process = { .pid = 1, .comm = "drawn", .exe = elf.path };
	struct pf_vectors vectors = { .process_count = 1,
				      .map_count = (uint32_t)maps.count,
				      .edge_count = (uint32_t)edges.count,
				      .burst_count = bursts.count,
				      .nominal_length = (uint32_t)wanted,
				      .frequency = 1000000000 / SPAN,
				      .processes = &process,
				      .maps = maps.at,
				      .edges = edges.at,
				      .bursts = bursts.at };
	const uint32_t *at = taken.at;

	for (size_t i = 0; i < bursts.count; i++) {
		bursts.at[i].edges = at;
		at += bursts.at[i].edge_count;
	}
	return write_made_recording(path, "drawn-vectors", &vectors, error);
}

int main(int argc, char **argv)
{
	struct pf_error error;

	if (argc != 6) {
		fprintf(stderr, "usage: drawn-vectors BINARY PERF.DATA SEED LENGTH SKIP <STREAM\n");
		return 2;
	}
	if (pf_elf_open(argv[1], &elf, &error) < 0) {
		fprintf(stderr, "drawn-vectors: %s\n", error.text);
		return 1;
	}
	/* Seeds that are near to each other are to have nothing in common. */
	state = (strtoull(argv[3], NULL, 10) + 1) * UINT64_C(0x9e3779b97f4a7c15);
	wanted = strtoull(argv[4], NULL, 10);
	skip = strtoull(argv[5], NULL, 10);
	add_maps();
	make_slots(4096);
	takes = true;
	turn();
	draw();
	fprintf(stderr, "drawn-vectors: %zu vectors\n", bursts.count);
	if (write_recording(argv[2], &error) < 0) {
		fprintf(stderr, "drawn-vectors: %s\n", error.text);
		return 1;
	}
	return 0;
}
