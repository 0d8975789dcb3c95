/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overlap [-e] [-c] [-w] [-r] BINARY PERF.DATA... -- CALLGRIND.OUT...: how far recordings agree with exact counts of
 * the same work, at the level of addresses, before any debug information is involved.  Several files on a side add up
 * (one a process). Prints, for the .text section of BINARY,
 *
 *     edge overlap 0.930 block overlap 0.950 instruction overlap 0.940 function overlap 0.960 branch error 0.010
 *     wrong directions 0.001
 *
 * Blocks: executions of basic blocks, which begin where callgrind saw a jump arrive or leave, or another count.
 * Instructions: the same weighted by the blocks' lengths, which is the share of work.  Edges: conditional jumps taken
 * and not taken, and unconditional jumps; calls and returns are left out, because callgrind names no returns.  A jump
 * that was never taken while callgrind watched is no edge on either side.  Functions are those of the symbol table,
 * each with the instructions that ran in it (-1: there is no table).  Of string instructions callgrind counts each
 * repetition; they are left out.  Branch error and wrong directions are of how
 * often a conditional jump is taken, weighted by how often it ran.
 *
 * Plain samples, without branches, are spread over the block they are in: of a block of n instructions each counts 1 /
 * n. Edges and branches are -1 then.
 *
 * With -e, which is for recordings of every branch: how many counts are not the same, and by how much in all:
 *
 *     instructions 812 executed 7201 differ 0 by 0 jumps 96 taken 1310 differ 0 by 0
 *
 * Addresses: callgrind's are those of the ELF file; recorded ones are brought there through the file offset of their
 * mapping and the program headers, so that PIE and shared libraries work. */
#include "callgrind-file.h"
#include "converter/intake.h"
#include "flow/metrics.h"
#include "perfdata/perfdata.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct binary {
	uint8_t *bytes;
	size_t size;
	uint64_t text, text_end;
};

struct map {
	uint32_t process;
	uint64_t start, end, offset;
};

struct tally {
	struct binary binary;
	struct cg_object exact;
	struct map *maps;
	size_t map_count;
	uint64_t *starts; /* runs that start at instruction i, and end before it: a difference array */
	uint64_t *taken;  /* one a jump of EXACT */
	uint64_t *plain;  /* samples without branches, one an instruction of EXACT */
	bool has_plain;
	uint64_t runs, outside, unknown;
};

/* ---- the binary ------------------------------------------------------------------------------------------- */

static int load_binary(struct binary *b, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat stat;

	if (!file || fstat(fileno(file), &stat) || !(b->bytes = malloc((size_t)stat.st_size + 1))) {
		perror(path);
		return -1;
	}
	b->size = fread(b->bytes, 1, (size_t)stat.st_size, file);
	fclose(file);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)b->bytes;
	if (b->size < sizeof(*header) || memcmp(b->bytes, ELFMAG, SELFMAG) || b->bytes[EI_CLASS] != ELFCLASS64 ||
	    header->e_shoff > b->size || header->e_shnum > (b->size - header->e_shoff) / sizeof(Elf64_Shdr) ||
	    header->e_phoff > b->size || header->e_phnum > (b->size - header->e_phoff) / sizeof(Elf64_Phdr) ||
	    header->e_shstrndx >= header->e_shnum) {
		fprintf(stderr, "%s: is no complete 64-bit ELF file.\n", path);
		return -1;
	}
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(b->bytes + header->e_shoff);
	const Elf64_Shdr *names = &sections[header->e_shstrndx];
	for (unsigned i = 0; i < header->e_shnum; i++) {
		uint64_t at = names->sh_offset + sections[i].sh_name;
		if (at + sizeof(".text") > b->size || memcmp(b->bytes + at, ".text", sizeof(".text")))
			continue;
		b->text = sections[i].sh_addr;
		b->text_end = b->text + sections[i].sh_size;
	}
	return 0;
}

/* ELF address of a file offset; 0 if no segment holds it. */
static uint64_t from_offset(const struct binary *b, uint64_t offset)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)b->bytes;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(b->bytes + header->e_phoff);

	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && offset >= segments[i].p_offset &&
		    offset - segments[i].p_offset < segments[i].p_filesz)
			return offset - segments[i].p_offset + segments[i].p_vaddr;
	return 0;
}

static bool in_text(const struct binary *b, uint64_t address)
{
	return address >= b->text && address < b->text_end;
}

/* ---- tallying --------------------------------------------------------------------------------------------- */

/* ELF address of a runtime address; 0 if it is in no mapping of the binary. */
static uint64_t to_elf(const struct tally *t, uint32_t process, uint64_t address)
{
	for (size_t i = t->map_count; i-- > 0;) {
		const struct map *map = &t->maps[i];
		if (map->process == process && address >= map->start && address < map->end)
			return from_offset(&t->binary, address - map->start + map->offset);
	}
	return 0;
}

/* Index of the first instruction at or after ADDRESS. */
static size_t find_instruction(const struct cg_object *exact, uint64_t address)
{
	size_t low = 0, high = exact->instruction_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (exact->instructions[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t find_jump(const struct cg_object *exact, uint64_t from, uint64_t to)
{
	size_t low = 0, high = exact->jump_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct cg_jump *jump = &exact->jumps[middle];
		if (jump->from < from || (jump->from == from && jump->to < to))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Callgrind takes a string instruction with a repeat prefix for a loop that jumps to itself, and counts
 * each turn; it is left out of all that is compared. */
static bool repeats(const struct tally *t, uint64_t address)
{
	size_t jump = find_jump(&t->exact, address, address);

	return jump < t->exact.jump_count && t->exact.jumps[jump].from == address && t->exact.jumps[jump].to == address;
}

/* The straight run from START to FROM, then the jump to TO, seen COUNT times (ELF addresses; 0: elsewhere). */
static void tally_run(struct tally *t, uint64_t start, uint64_t from, uint64_t to, uint64_t count)
{
	t->runs += count;
	if (!in_text(&t->binary, start) || !in_text(&t->binary, from) || start > from || from - start > (1 << 20)) {
		t->outside += count;
		return;
	}
	size_t first = find_instruction(&t->exact, start), last = find_instruction(&t->exact, from + 1);
	if (first == last)
		t->unknown += count;
	t->starts[first] += count;
	t->starts[last] -= count;
	size_t jump = find_jump(&t->exact, from, to);
	if (jump < t->exact.jump_count && t->exact.jumps[jump].from == from && t->exact.jumps[jump].to == to)
		t->taken[jump] += count;
}

static void tally_vectors(struct tally *t, const struct pf_vectors *v, bool weighted)
{
	uint64_t *counts = calloc((size_t)v->edge_count + 1, sizeof(*counts));

	if (!counts)
		abort();
	for (uint64_t b = 0; b < v->burst_count; b++) {
		uint64_t weight = v->bursts[b].repeat * (weighted ? v->bursts[b].period / 1000 + 1 : 1);
		for (uint32_t i = 0; i < v->bursts[b].edge_count; i++)
			counts[v->bursts[b].edges[i]] += weight;
	}
	for (uint64_t i = 0; i < v->count_count; i++)
		counts[v->counts[i].edge] += v->counts[i].count;
	for (uint32_t e = 0; e < v->edge_count; e++) {
		const struct pf_vec_edge *edge = &v->edges[e];
		if (counts[e])
			tally_run(t, to_elf(t, edge->process, edge->start), to_elf(t, edge->process, edge->from),
				  to_elf(t, edge->process, edge->to), counts[e]);
	}
	free(counts);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_map(struct tally *t, struct map map, const char *path, const char *binary)
{
	if (strcmp(base_name(path), base_name(binary)))
		return;
	t->maps = realloc(t->maps, (t->map_count + 1) * sizeof(*t->maps));
	if (!t->maps)
		abort();
	t->maps[t->map_count++] = map;
}

/* A sample without branches is one of its instruction, and that is in the block it is in. */
static void tally_plain(struct tally *t, uint64_t address)
{
	t->runs++;
	if (!in_text(&t->binary, address)) {
		t->outside++;
		return;
	}
	size_t i = find_instruction(&t->exact, address);
	if (i == t->exact.instruction_count || t->exact.instructions[i].address != address)
		t->unknown++;
	else
		t->plain[i]++;
	t->has_plain = true;
}

/* Branch stacks: newest first, so the run between entries i + 1 and i starts where i + 1 went. */
static void tally_sample(struct tally *t, const struct pf_event *event)
{
	if (event->branch_count == 0)
		tally_plain(t, to_elf(t, event->pid, event->ip));
	for (uint32_t i = 0; i + 1 < event->branch_count; i++)
		tally_run(t, to_elf(t, event->pid, event->branches[i + 1].to),
			  to_elf(t, event->pid, event->branches[i].from), to_elf(t, event->pid, event->branches[i].to),
			  1);
}

static int tally_file(struct tally *t, const char *path, const char *binary, bool weighted)
{
	struct pf_error error;
	struct pf_perf_file *file;
	struct pf_event event;
	const struct pf_vectors *vectors = NULL;
	int status = pf_perf_open(path, &file, &error);

	if (status < 0)
		goto fail;
	status = pf_perf_vectors(file, &vectors, &error);
	for (uint32_t i = 0; status >= 0 && vectors && i < vectors->map_count; i++)
		add_map(t,
			(struct map) { vectors->maps[i].process, vectors->maps[i].start, vectors->maps[i].end,
				       vectors->maps[i].offset },
			vectors->maps[i].path, binary);
	if (status >= 0 && vectors)
		tally_vectors(t, vectors, weighted);
	while (status >= 0 && !vectors && (status = pf_perf_next(file, &event, &error)) > 0) {
		if (event.kind == PF_EVENT_MMAP)
			add_map(
			    t,
			    (struct map) { event.pid, event.address, event.address + event.length, event.page_offset },
			    event.filename, binary);
		else if (event.kind == PF_EVENT_SAMPLE)
			tally_sample(t, &event);
	}
	pf_perf_close(file);
	if (status >= 0)
		return 0;
fail:
	fprintf(stderr, "%s\n", error.text);
	return -1;
}

/* What convert would count: its own reading of the recording. */
static int tally_converted(struct tally *t, const char *path, const char *binary,
			   const struct pf_intake_options *options)
{
	struct pf_recording recording;
	struct pf_traffic traffic = { 0 };
	struct pf_error error;
	int status = pf_intake_file(&traffic, path, options, &recording, &error);

	for (size_t i = 0; status == PF_OK && i < traffic.edges.count; i++) {
		const struct pf_traffic_edge *e = &traffic.edges.at[i];
		bool from = e->from_module != PF_NO_MODULE &&
			    strcmp(base_name(traffic.modules.at[e->from_module].path), base_name(binary)) == 0;
		bool to = from && e->to_module == e->from_module;

		tally_run(t, from ? from_offset(&t->binary, e->start) : 0, from ? from_offset(&t->binary, e->from) : 0,
			  to ? from_offset(&t->binary, e->to) : 0, e->weight);
	}
	if (status < 0)
		fprintf(stderr, "%s\n", error.text);
	pf_traffic_fini(&traffic);
	pf_recording_fini(&recording);
	return status < 0 ? -1 : 0;
}

/* ---- comparison ------------------------------------------------------------------------------------------- */

static double overlap_of(const struct pf_weight *estimate, const struct pf_weight *actual, size_t count)
{
	struct pf_weight_pair *pairs;
	size_t joined = pf_metrics_join(estimate, count, actual, count, &pairs);

	if (joined == SIZE_MAX)
		abort();
	double overlap = pf_metrics_overlap(pairs, joined);
	free(pairs);
	return overlap;
}

/* How often the instruction at ADDRESS ran in the estimate. */
static uint64_t *executions(const struct tally *t)
{
	uint64_t *sums = calloc(t->exact.instruction_count + 1, sizeof(*sums)), running = 0;

	if (!sums)
		abort();
	for (size_t i = 0; i < t->exact.instruction_count; i++)
		sums[i] = running += t->starts[i];
	return sums;
}

/* One an instruction of EXACT: whether it begins a block.  The caller's. */
static bool *block_begins(const struct cg_object *exact)
{
	size_t count = exact->instruction_count;
	bool *landed = calloc(2 * count + 2, sizeof(*landed)), *left = landed + count + 1;
	bool *begins = calloc(count + 1, sizeof(*begins));

	if (!landed || !begins)
		abort();
	for (size_t i = 0; i < exact->jump_count; i++) {
		landed[find_instruction(exact, exact->jumps[i].to)] = true;
		left[find_instruction(exact, exact->jumps[i].from)] = true;
	}
	for (size_t i = 0; i < count; i++)
		begins[i] = i == 0 || landed[i] || left[i - 1] ||
			    exact->instructions[i].count != exact->instructions[i - 1].count;
	free(landed);
	return begins;
}

#define PLAIN_SCALE 1000

/* Samples of time become executions: each block ran as often as a mean instruction of it was met. */
static void spread_plain(struct tally *t)
{
	size_t count = t->exact.instruction_count, first, next;
	bool *begins = block_begins(&t->exact);

	for (first = 0; first < count; first = next) {
		uint64_t sum = t->plain[first];
		for (next = first + 1; next < count && !begins[next]; next++)
			sum += t->plain[next];
		sum = sum * PLAIN_SCALE / (next - first);
		t->starts[first] += sum;
		t->starts[next] -= sum;
	}
	free(begins);
}

/* *BLOCKS and *INSTRUCTIONS: overlap of what ran, one key a block or an instruction. */
static void block_overlaps(const struct tally *t, double *blocks, double *instructions)
{
	const struct cg_object *exact = &t->exact;
	size_t count = exact->instruction_count, block_count = 0;
	struct pf_weight *estimate = calloc(2 * count + 1, sizeof(*estimate));
	struct pf_weight *actual = calloc(2 * count + 1, sizeof(*actual));
	bool *begins = block_begins(exact);
	uint64_t *ran = executions(t);

	if (!estimate || !actual)
		abort();
	for (size_t i = 0; i < count; i++) {
		const struct cg_instruction *instruction = &exact->instructions[i];
		bool inside = in_text(&t->binary, instruction->address) && !repeats(t, instruction->address);
		estimate[i] = (struct pf_weight) { instruction->address, inside ? (double)ran[i] : 0 };
		actual[i] = (struct pf_weight) { instruction->address, inside ? (double)instruction->count : 0 };
		if (begins[i]) {
			estimate[count + block_count] = estimate[i];
			actual[count + block_count++] = actual[i];
		}
	}
	*instructions = overlap_of(estimate, actual, count);
	*blocks = overlap_of(estimate + count, actual + count, block_count);
	free(ran);
	free(begins);
	free(estimate);
	free(actual);
}

/* Keys: 2 * jump for taken, 2 * jump + 1 for not taken. */
static double edge_overlap(const struct tally *t)
{
	size_t count = 2 * t->exact.jump_count;
	struct pf_weight *estimate = calloc(count + 1, sizeof(*estimate)), *actual = calloc(count + 1, sizeof(*actual));
	uint64_t *ran = executions(t);

	if (!estimate || !actual)
		abort();
	for (size_t i = 0; i < t->exact.jump_count; i++) {
		const struct cg_jump *jump = &t->exact.jumps[i];
		uint64_t total = ran[find_instruction(&t->exact, jump->from)];
		bool fall = jump->executed > jump->count, known = in_text(&t->binary, jump->from);
		estimate[2 * i].key = actual[2 * i].key = 2 * i;
		estimate[2 * i + 1].key = actual[2 * i + 1].key = 2 * i + 1;
		if (jump->from == jump->to)
			continue;
		estimate[2 * i].weight = (double)t->taken[i];
		actual[2 * i].weight = known ? (double)jump->count : 0;
		if (jump->executed && total > t->taken[i])
			estimate[2 * i + 1].weight = (double)(total - t->taken[i]);
		if (fall && known)
			actual[2 * i + 1].weight = (double)(jump->executed - jump->count);
	}
	double overlap = overlap_of(estimate, actual, count);
	free(ran);
	free(estimate);
	free(actual);
	return overlap;
}

/* Reads recordings up to "--", then callgrind's files; 0, or -1 after a message. */
static int read_files(struct tally *t, char **files, const char *binary, enum pf_weighting weighting, bool converted)
{
	struct pf_intake_options options = { .weighting = weighting };
	char **exact = files;

	while (strcmp(*exact, "--"))
		exact++;
	options.others = exact > files ? (size_t)(exact - files) - 1 : 0;
	for (char **f = exact + 1; *f; f++)
		if (cg_read(*f, base_name(binary), &t->exact))
			return -1;
	t->starts = calloc(t->exact.instruction_count + 1, sizeof(*t->starts));
	t->taken = calloc(t->exact.jump_count + 1, sizeof(*t->taken));
	t->plain = calloc(t->exact.instruction_count + 1, sizeof(*t->plain));
	if (!t->starts || !t->taken || !t->plain)
		abort();
	for (; files < exact; files++) {
		/* Process numbers and mappings are those of one recording. */
		t->map_count = 0;
		if (converted ? tally_converted(t, *files, binary, &options)
			      : tally_file(t, *files, binary, weighting == PF_WEIGHT_PERIOD))
			return -1;
	}
	if (t->has_plain)
		spread_plain(t);
	if (t->runs > t->outside)
		return 0;
	fprintf(stderr, "%s: the recordings hold no branch vector in its .text; were they recorded by this version?\n",
		binary);
	return -1;
}

/* Over the conditional jumps that ran on both sides: how far the probability to be taken is off, and the share of those
 * that go more often the other way than the estimate says. */
static void branch_errors(const struct tally *t, double *error, double *wrong)
{
	uint64_t *ran = executions(t);
	double sum = 0;

	*error = *wrong = 0;
	for (size_t i = 0; i < t->exact.jump_count; i++) {
		const struct cg_jump *jump = &t->exact.jumps[i];
		uint64_t total = ran[find_instruction(&t->exact, jump->from)];
		double actual, estimate;

		if (!jump->executed || !total || jump->from == jump->to || !in_text(&t->binary, jump->from))
			continue;
		actual = (double)jump->count / (double)jump->executed;
		estimate = t->taken[i] < total ? (double)t->taken[i] / (double)total : 1;
		sum += (double)jump->executed;
		*error += (double)jump->executed * (estimate > actual ? estimate - actual : actual - estimate);
		*wrong += (actual - 0.5) * (estimate - 0.5) < 0 ? (double)jump->executed : 0;
	}
	*error = sum > 0 ? *error / sum : 0;
	*wrong = sum > 0 ? *wrong / sum : 0;
	free(ran);
}

/* What ran in the function whose symbol is SYMBOL, on both sides. */
static void add_function(const struct tally *t, const uint64_t *ran, const Elf64_Sym *symbol,
			 struct pf_weight *estimate, struct pf_weight *actual)
{
	size_t end = find_instruction(&t->exact, symbol->st_value + symbol->st_size);

	*estimate = *actual = (struct pf_weight) { .key = symbol->st_value };
	for (size_t i = find_instruction(&t->exact, symbol->st_value); i < end; i++) {
		if (repeats(t, t->exact.instructions[i].address))
			continue;
		estimate->weight += (double)ran[i];
		actual->weight += (double)t->exact.instructions[i].count;
	}
}

static double function_overlap(const struct tally *t)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)t->binary.bytes;
	const Elf64_Shdr *section = (const Elf64_Shdr *)(t->binary.bytes + header->e_shoff), *end;
	struct pf_weight *estimate, *actual;
	uint64_t *ran;
	size_t count = 0;
	double overlap;

	for (end = section + header->e_shnum; section < end && section->sh_type != SHT_SYMTAB; section++)
		continue;
	if (section == end || section->sh_offset > t->binary.size ||
	    section->sh_size > t->binary.size - section->sh_offset)
		return -1;
	estimate = calloc(section->sh_size / sizeof(Elf64_Sym) + 1, sizeof(*estimate));
	actual = calloc(section->sh_size / sizeof(Elf64_Sym) + 1, sizeof(*actual));
	ran = executions(t);
	if (!estimate || !actual)
		abort();
	for (size_t i = 0; i < section->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)(t->binary.bytes + section->sh_offset) + i;

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && in_text(&t->binary, symbol->st_value)) {
			add_function(t, ran, symbol, &estimate[count], &actual[count]);
			count++;
		}
	}
	overlap = overlap_of(estimate, actual, count);
	free(estimate);
	free(actual);
	free(ran);
	return overlap;
}

static void print_overlaps(const struct tally *t, const char *binary)
{
	double edges = -1, blocks, instructions, error = -1, wrong = -1;

	block_overlaps(t, &blocks, &instructions);
	if (!t->has_plain) {
		edges = edge_overlap(t);
		branch_errors(t, &error, &wrong);
	}
	printf("edge overlap %.3f block overlap %.3f instruction overlap %.3f function overlap %.3f branch error %.4f "
	       "wrong directions %.4f (%s: %" PRIu64 " runs, %" PRIu64 " outside of .text, %" PRIu64
	       " where nothing ran)\n",
	       edges, blocks, instructions, function_overlap(t), error, wrong, base_name(binary), t->runs, t->outside,
	       t->unknown);
}

static void compare(uint64_t got, uint64_t want, uint64_t sums[4])
{
	sums[0]++;
	sums[1] += want;
	sums[2] += got != want;
	sums[3] += got > want ? got - want : want - got;
}

static void print_differences(const struct tally *t)
{
	uint64_t instructions[4] = { 0 }, jumps[4] = { 0 }, *ran = executions(t);

	for (size_t i = 0; i < t->exact.instruction_count; i++)
		if (in_text(&t->binary, t->exact.instructions[i].address) &&
		    !repeats(t, t->exact.instructions[i].address))
			compare(ran[i], t->exact.instructions[i].count, instructions);
	for (size_t i = 0; i < t->exact.jump_count; i++)
		if (in_text(&t->binary, t->exact.jumps[i].from) && !repeats(t, t->exact.jumps[i].from))
			compare(t->taken[i], t->exact.jumps[i].count, jumps);
	printf("instructions %" PRIu64 " executed %" PRIu64 " differ %" PRIu64 " by %" PRIu64 " jumps %" PRIu64
	       " taken %" PRIu64 " differ %" PRIu64 " by %" PRIu64 "\n",
	       instructions[0], instructions[1], instructions[2], instructions[3], jumps[0], jumps[1], jumps[2],
	       jumps[3]);
	free(ran);
}

static int usage(void)
{
	fprintf(stderr, "usage: overlap [-e] [-c] [-w] [-r] BINARY PERF.DATA... -- CALLGRIND.OUT...\n"
			"-e: how many counts are not the same\n"
			"-c: as convert counts, which evens out what system calls cut short\n"
			"-w: a burst weighs as much as the time before it\n"
			"-r: as many branches as ran in that time; with -c\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct tally t = { 0 };
	enum pf_weighting weighting = PF_WEIGHT_NONE;
	bool converted = false, exactly = false;
	int dashes = 0, status = 1;

	for (; argc > 1 && argv[1][0] == '-' && strcmp(argv[1], "--") != 0; argc--, argv++) {
		if (strcmp(argv[1], "-c") == 0)
			converted = true;
		else if (strcmp(argv[1], "-e") == 0)
			exactly = true;
		else if (strcmp(argv[1], "-w") == 0 || strcmp(argv[1], "-r") == 0)
			weighting = argv[1][1] == 'w' ? PF_WEIGHT_PERIOD : PF_WEIGHT_RATE;
		else
			return usage();
	}
	argv++;
	argc--;
	for (int i = 2; i < argc - 1; i++)
		if (strcmp(argv[i], "--") == 0)
			dashes++;
	if (dashes != 1 || (weighting == PF_WEIGHT_RATE && !converted))
		return usage();
	if (load_binary(&t.binary, argv[0]) == 0 && read_files(&t, argv + 1, argv[0], weighting, converted) == 0) {
		if (exactly)
			print_differences(&t);
		else
			print_overlaps(&t, argv[0]);
		status = 0;
	}
	free(t.binary.bytes);
	free(t.maps);
	free(t.starts);
	free(t.taken);
	free(t.plain);
	cg_free(&t.exact);
	return status;
}
