/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks what the recorder left in a session's folder for consistency and prints its statistics: in a burst each edge
 * starts where the one before went, every address lies in a mapping, and the bytes in the mapped file decode as the
 * branch that the edge claims, with the target that it claims.  Exit 1 on the first folder that does not hold. Usage:
 * wiredump [-e] FOLDER... (-e prints the edges with their weights: file start from to kind count, addresses relative to
 * the mapped file.) */
#include "runtime/harvest.h"

#include <Zydis/Decoder.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pf_harvest harvest;
static const struct pf_vectors *const v = &harvest.vectors;
static const char *name;
static int errors;

static void complain(const char *what, uint64_t a, uint64_t b)
{
	if (errors++ < 10)
		fprintf(stderr, "%s: %s: %#" PRIx64 " %#" PRIx64 "\n", name, what, a, b);
}

static const uint8_t *load(const char *path, size_t *size)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return NULL;
	const void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	*size = (size_t)st.st_size;
	return map == MAP_FAILED ? NULL : map;
}

struct binary {
	const char *path;
	const uint8_t *bytes;
	size_t size;
};

static const uint8_t *bytes_at(const struct pf_vec_map *map, uint64_t pc, size_t *left)
{
	static struct binary binaries[1024];
	const char *path = map->path;
	if (path[0] != '/')
		return NULL;
	struct binary *b = binaries;
	while (b->path && strcmp(b->path, path))
		b++;
	if (!b->path) {
		b->path = strdup(path);
		b->bytes = load(path, &b->size);
	}
	uint64_t offset = pc - map->start + map->offset;
	if (!b->bytes || offset >= b->size)
		return NULL;
	*left = b->size - offset;
	return b->bytes + offset;
}

static const struct pf_vec_map *map_of(uint32_t index, uint64_t pc)
{
	if (index >= v->map_count) {
		complain("edge without a mapping", pc, index);
		return NULL;
	}
	if (pc < v->maps[index].start || pc >= v->maps[index].end) {
		complain("address outside its mapping", pc, v->maps[index].start);
		return NULL;
	}
	return &v->maps[index];
}

static bool is_kind(const ZydisDecodedInstruction *insn, const struct pf_vec_edge *e)
{
	bool direct = insn->raw.imm[0].is_relative;
	uint64_t to = e->from + insn->length + (uint64_t)insn->raw.imm[0].value.s;
	switch (e->kind) {
	case PF_EDGE_COND:
		return insn->meta.category == ZYDIS_CATEGORY_COND_BR && to == e->to;
	case PF_EDGE_JUMP:
		return insn->meta.category == ZYDIS_CATEGORY_UNCOND_BR && direct && to == e->to;
	case PF_EDGE_INDIRECT:
		return insn->meta.category == ZYDIS_CATEGORY_UNCOND_BR && !direct;
	case PF_EDGE_CALL:
		return insn->meta.category == ZYDIS_CATEGORY_CALL && direct && to == e->to;
	case PF_EDGE_INDIRECT_CALL:
		return insn->meta.category == ZYDIS_CATEGORY_CALL && !direct;
	case PF_EDGE_RETURN:
		return insn->meta.category == ZYDIS_CATEGORY_RET;
	case PF_EDGE_FALL:
		return e->from + insn->length == e->to;
	}
	return false;
}

/* Walks the straight code from start to from, as an independent decoder of the file's bytes sees it. */
static void check_edge(const struct pf_vec_edge *e)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	size_t left = 0;
	const struct pf_vec_map *map = map_of(e->from_map, e->from);
	if (!map || e->start > e->from || e->start < map->start)
		complain("start and from", e->start, e->from);
	if (e->to_map != UINT32_MAX)
		map_of(e->to_map, e->to);
	const uint8_t *bytes = map ? bytes_at(map, e->start, &left) : NULL;
	if (!bytes)
		return;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uint64_t pc = e->start; pc <= e->from; pc += insn.length, bytes += insn.length, left -= insn.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, left, &insn))) {
			complain("does not decode", pc, e->from);
			return;
		}
		if (pc == e->from && !is_kind(&insn, e))
			complain("not the branch it claims", e->from, e->kind);
		if (pc != e->from && insn.meta.branch_type && insn.meta.category != ZYDIS_CATEGORY_COND_BR)
			complain("branch inside straight code", pc, e->from);
		if (pc < e->from && pc + insn.length > e->from)
			complain("from is not an instruction", e->from, pc);
	}
}

static uint64_t *counts;

/* Every burst once; the sum of their weights and of their edges'. */
static void check_bursts(void)
{
	uint64_t bursts = 0, branches = 0;
	bool whole = true;
	for (uint64_t b = 0; b < v->burst_count; b++) {
		const struct pf_vec_burst *burst = &v->bursts[b];
		for (uint32_t i = 0; i < burst->edge_count; i++) {
			const struct pf_vec_edge *edge = &v->edges[burst->edges[i]];
			counts[burst->edges[i]] += burst->repeat;
			if (i && edge->start != v->edges[burst->edges[i - 1]].to)
				complain("burst is not connected", v->edges[burst->edges[i - 1]].to, edge->start);
		}
		if (burst->edge_count > harvest.control.branches)
			complain("burst", b, burst->edge_count);
		bursts += burst->repeat;
		branches += burst->repeat * burst->edge_count;
		whole &= burst->repeat == 1;
	}
	if (whole && bursts != harvest.bursts)
		complain("bursts are missing", bursts, harvest.bursts);
	if (whole && branches != harvest.branches)
		complain("branches are missing", branches, harvest.branches);
}

static void print_edges(void)
{
	for (uint32_t i = 0; i < v->edge_count; i++) {
		const struct pf_vec_edge *edge = &v->edges[i];
		const struct pf_vec_map *map = &v->maps[edge->from_map];
		uint64_t bias = map->start - map->offset;
		printf("edge %s %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %u %" PRIu64 "\n", map->path, edge->start - bias,
		       edge->from - bias, edge->to - bias, edge->kind, counts[i]);
	}
}

static void print_statistics(void)
{
	for (uint32_t i = 0; i < v->process_count; i++)
		printf("%s: process %u %s state %u\n", name, v->processes[i].pid, v->processes[i].comm,
		       harvest.images[i].state);
	for (uint32_t i = 0; i < harvest.damaged && i < PF_HARVEST_DAMAGES; i++)
		fprintf(stderr, "%s: %s\n", name, harvest.damages[i]);
	errors += (int)harvest.damaged;
	printf("%s: control state %u heartbeat %u\n", name, harvest.control.state, harvest.control.heartbeat);
	printf("%s: starts %" PRIu64 " unborn %u left %" PRIu64 "; bursts %" PRIu64 " (kept %" PRIu64 ", lost %" PRIu64
	       ", skipped %" PRIu64 ") branches %" PRIu64 " lost %" PRIu64 " edges %u maps %u\n",
	       name, harvest.control.starts, harvest.unborn, harvest.left, harvest.bursts, v->burst_count,
	       harvest.lost_bursts, harvest.skipped_bursts, harvest.branches, harvest.lost_branches, v->edge_count,
	       v->map_count);
	printf("  cpu %.3f s cost %.3f s (%.2f%%) starts %.3f s; ends", (double)v->cpu_ns / 1e9,
	       (double)v->cost_ns / 1e9, 100.0 * (double)v->cost_ns / ((double)v->cpu_ns + 1),
	       (double)harvest.control.start_ns / 1e9);
	for (int i = 0; i < PF_END_COUNT; i++)
		printf(" %" PRIu64, harvest.ends[i]);
	printf("; refusals");
	for (int i = 0; i < PF_REFUSE_COUNT; i++)
		printf(" %" PRIu64, harvest.refusals[i] + harvest.control.refusals[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	bool edges = argc > 1 && !strcmp(argv[1], "-e");
	uint64_t all = 0;
	for (int i = 1 + edges; i < argc; i++) {
		struct pf_error error;
		name = argv[i];
		if (pf_harvest_folder(&harvest, name, NULL, NULL, &error) < 0) {
			fprintf(stderr, "%s\n", error.text);
			return 1;
		}
		counts = calloc(v->edge_count + 1ul, sizeof *counts);
		check_bursts();
		for (uint32_t e = 0; e < v->edge_count; e++)
			check_edge(&v->edges[e]);
		print_statistics();
		if (edges)
			print_edges();
		all += harvest.bursts;
		free(counts);
		pf_harvest_fini(&harvest);
	}
	printf("total bursts %" PRIu64 " errors %d\n", all, errors);
	return errors != 0;
}
