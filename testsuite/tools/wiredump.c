/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the recorder's files for consistency and prints their statistics: in a burst each edge starts where the one
 * before went, every address lies in a mapping, and the bytes in the mapped file decode as the branch that the edge
 * claims, with the target that it claims.  Exit 1 on the first file that does not hold.  Usage: wiredump [-e] FILE...
 * (-e prints the edges with their counts: start from to kind count, addresses relative to the mapped file.) */
#include "perfdata/vectors.h"
#include "runtime/agent/wire.h"

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

static const uint8_t *file;
static const struct pf_wire_header *header;
static const char *name;
static int errors;

static const void *region(const struct pf_wire_region *r)
{
	return file + r->offset;
}

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

static const uint8_t *bytes_at(const struct pf_wire_map *map, uint64_t pc, size_t *left)
{
	static struct binary binaries[1024];
	const char *path = (const char *)region(&header->strings) + map->path;
	if (path[0] != '/')
		return NULL;
	struct binary *b = binaries;
	while (b->path && strcmp(b->path, path))
		b++;
	if (!b->path) {
		b->path = strdup(path);
		b->bytes = load(path, &b->size);
	}
	uint64_t offset = pc - map->start + map->pgoff;
	if (!b->bytes || offset >= b->size)
		return NULL;
	*left = b->size - offset;
	return b->bytes + offset;
}

static const struct pf_wire_map *map_of(uint32_t index, uint64_t pc)
{
	const struct pf_wire_map *maps = region(&header->maps);
	if (index >= header->maps.used) {
		complain("edge without a mapping", pc, index);
		return NULL;
	}
	if (pc < maps[index].start || pc >= maps[index].end) {
		complain("address outside its mapping", pc, maps[index].start);
		return NULL;
	}
	return &maps[index];
}

static bool is_kind(const ZydisDecodedInstruction *insn, const struct pf_wire_edge *e)
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
static void check_edge(const struct pf_wire_edge *e)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	size_t left = 0;
	const struct pf_wire_map *map = map_of(e->from_map, e->from);
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

static uint64_t check_bursts(void)
{
	const struct pf_wire_edge *edges = region(&header->edges);
	const uint8_t *at = region(&header->vectors), *end = at + header->vectors.used;
	const uint64_t *more = region(&header->counts);
	uint64_t seen = 0;
	for (; at < end; seen++) {
		const struct pf_wire_burst *b = (const void *)at;
		const uint32_t *ids = (const void *)(b + 1);
		for (uint32_t i = 0; i < b->edge_count; i++) {
			if (ids[i] >= header->edges.used) {
				complain("edge id", ids[i], header->edges.used);
				return seen;
			}
			counts[ids[i]]++;
			if (i && edges[ids[i]].start != edges[ids[i - 1]].to)
				complain("burst is not connected", edges[ids[i - 1]].to, edges[ids[i]].start);
		}
		if (b->end_reason >= PF_END_COUNT || b->edge_count > header->branches || !b->edge_count)
			complain("burst", b->end_reason, b->edge_count);
		at += sizeof *b + ((b->edge_count * 4ull + 7) & ~7ull);
	}
	for (uint64_t i = 0; i < header->counts.used; i++)
		counts[i] += more[i];
	if (at != end)
		complain("vectors end", (uint64_t)at, (uint64_t)end);
	return seen;
}

static void print_edges(void)
{
	const struct pf_wire_edge *edges = region(&header->edges);
	const struct pf_wire_map *maps = region(&header->maps);
	for (uint64_t i = 0; i < header->edges.used; i++) {
		const struct pf_wire_map *m = &maps[edges[i].from_map];
		uint64_t bias = m->start - m->pgoff;
		printf("edge %s %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %u %" PRIu64 "\n",
		       (const char *)region(&header->strings) + m->path, edges[i].start - bias, edges[i].from - bias,
		       edges[i].to - bias, edges[i].kind, counts[i]);
	}
}

static void print_header(uint64_t bursts)
{
	uint64_t total = 0;
	for (uint64_t i = 0; i < header->edges.used; i++)
		total += counts[i];
	if (total != header->branches_recorded)
		complain("branches are missing", total, header->branches_recorded);
	if (bursts + header->aggregated_bursts != header->bursts)
		complain("bursts are missing", bursts, header->bursts);
	printf("%s: %s state %u bursts %" PRIu64 " (aggregated %" PRIu64 ", skipped %" PRIu64 ") branches %" PRIu64
	       " lost %" PRIu64 " edges %" PRIu64 " maps %" PRIu64 " blocks %" PRIu64 "\n",
	       name, header->comm, header->state, header->bursts, header->aggregated_bursts, header->bursts_skipped,
	       header->branches_recorded, header->lost_branches, header->edges.used, header->maps.used,
	       header->blocks_translated);
	printf("  cpu %.3f s cost %.3f s (%.2f%%) translating %.3f s; ends", (double)header->cpu_ns / 1e9,
	       (double)header->cost_ns / 1e9, 100.0 * (double)header->cost_ns / ((double)header->cpu_ns + 1),
	       (double)header->translate_ns / 1e9);
	for (int i = 0; i < PF_END_COUNT; i++)
		printf(" %" PRIu64, header->ends[i]);
	printf("; refusals");
	for (int i = 0; i < PF_REFUSE_COUNT; i++)
		printf(" %" PRIu64, header->refusals[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	bool edges = argc > 1 && !strcmp(argv[1], "-e");
	uint64_t all = 0;
	for (int i = 1 + edges; i < argc; i++) {
		size_t size;
		name = argv[i];
		file = load(name, &size);
		if (!file || size < sizeof *header) {
			fprintf(stderr, "%s: cannot be read\n", name);
			return 1;
		}
		header = (const void *)file;
		if (header->magic != PF_WIRE_MAGIC || header->file_size != size) {
			fprintf(stderr, "%s: not a recorder's file\n", name);
			return 1;
		}
		counts = calloc(header->edges.capacity, sizeof *counts);
		uint64_t bursts = check_bursts();
		const struct pf_wire_edge *table = region(&header->edges);
		for (uint64_t e = 0; e < header->edges.used; e++)
			check_edge(&table[e]);
		print_header(bursts);
		if (edges)
			print_edges();
		all += header->bursts;
		free(counts);
		munmap((void *)(uintptr_t)file, size);
	}
	printf("total bursts %" PRIu64 " errors %d\n", all, errors);
	return errors != 0;
}
