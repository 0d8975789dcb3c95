/* SPDX-License-Identifier: GPL-3.0-or-later */
/* callgrind-vectors CALLGRIND.OUT PERF.DATA: exact branch counts as a recording.
 *
 * Reads what `valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes` wrote: instructions with their counts,
 * jumps and calls, by the addresses of each object's own file.  Each instruction becomes an edge of its own
 * (start = from), so that no assumption about blocks is made here and the result is an independent oracle for the
 * converter.  The hard cases are tail calls, which callgrind reports as calls (what the instruction is decides), and
 * PLT stubs, which it knows by their run-time address only. */
#include "analysis/callgrind-text.h"
#include "converter/code.h"
#include "converter/elf.h"
#include "support/array.h"
#include "testsuite/tools/made-recording.h"

#include <stdio.h>

struct object {
	char *path;
	struct pf_elf elf;
};

struct line {
	uint32_t object;
	uint64_t address, count;
};

struct transfer {
	uint32_t from_object, to_object;
	uint64_t from, to, count;
};

static PF_ARRAY(struct object) objects;
static PF_ARRAY(struct line) lines;
static PF_ARRAY(struct transfer) transfers;
static PF_ARRAY(struct pf_vec_map) maps;
static PF_ARRAY(struct pf_vec_edge) edges;
static PF_ARRAY(struct pf_vec_count) counts;

static void *must(void *pointer)
{
	if (!pointer) {
		fprintf(stderr, "callgrind-vectors: out of memory\n");
		exit(1);
	}
	return pointer;
}

static uint32_t object_of(const char *path)
{
	struct object *new;

	for (size_t i = 0; i < objects.count; i++) {
		if (strcmp(objects.at[i].path, path) == 0)
			return (uint32_t)i;
	}
	new = must(pf_array_push(&objects));
	new->path = must(strdup(path));
	if (pf_elf_open(path, &new->elf, NULL) < 0)
		new->elf.path = NULL;
	return (uint32_t)(objects.count - 1);
}

/* callgrind does not say to which object a PLT stub belongs; those of the program itself lie where valgrind loads
 * position-independent programs: 3.19 at the first address, 3.27 at the second. */
static const uint64_t load_biases[] = { 0x108000, 0x4000000 };

static uint32_t unknown_object, program_object;

static void name_program(const char *command)
{
	const char *start = command + strspn(command, " ");
	char *name = must(strndup(start, strcspn(start, " "))), *path = realpath(name, NULL);

	program_object = path ? object_of(path) : unknown_object;
	free(path);
	free(name);
}

static bool stub_at(uint64_t bias, uint32_t object, uint64_t address)
{
	const struct pf_elf *elf = &objects.at[program_object].elf;
	uint64_t left;

	return object == unknown_object && address >= bias && pf_elf_code(elf, address - bias, &left);
}

static void place_stub(uint64_t bias, uint32_t *object, uint64_t *address)
{
	if (!stub_at(bias, *object, *address))
		return;
	*object = program_object;
	*address -= bias;
}

/* What else callgrind knows by address only (stubs of the loader, which 3.19 loads where 3.27 loads the program) is not
 * the program's: the place is the one where the program's own calls arrive in its code. */
static void place_stubs(void)
{
	uint64_t bias = 0;
	size_t most = 0;

	if (!objects.at[program_object].elf.path || objects.at[program_object].elf.type != 3)
		return;
	for (size_t i = 0; i < sizeof load_biases / sizeof load_biases[0]; i++) {
		size_t arrive = 0;

		for (size_t k = 0; k < transfers.count; k++) {
			const struct transfer *x = &transfers.at[k];

			arrive += x->from_object == program_object && stub_at(load_biases[i], x->to_object, x->to);
		}
		if (arrive > most) {
			most = arrive;
			bias = load_biases[i];
		}
	}
	for (size_t k = 0; most > 0 && k < transfers.count; k++) {
		place_stub(bias, &transfers.at[k].from_object, &transfers.at[k].from);
		place_stub(bias, &transfers.at[k].to_object, &transfers.at[k].to);
	}
	for (size_t k = 0; most > 0 && k < lines.count; k++)
		place_stub(bias, &lines.at[k].object, &lines.at[k].address);
}

static void add_transfer(uint32_t object, uint64_t from, uint32_t to_object, uint64_t to, uint64_t count)
{
	*(struct transfer *)must(pf_array_push(&transfers)) = (struct transfer) { object, to_object, from, to, count };
}

static int read_callgrind(const char *path, struct pf_error *error)
{
	struct pf_callgrind_text t;
	int record, status = pf_callgrind_text_open(&t, path, error);
	uint32_t object, callee;

	object = unknown_object = object_of("???");
	while (status == PF_OK && (record = pf_callgrind_text_next(&t, error)) != 0) {
		if (record < 0) {
			status = record;
		} else if (record == PF_CALLGRIND_COMMAND) {
			name_program(t.command);
		} else if (record == PF_CALLGRIND_OBJECT) {
			object = object_of(pf_callgrind_text_name(&t.objects, t.object));
		} else if (record == PF_CALLGRIND_COSTS) {
			*(struct line *)must(pf_array_push(&lines)) = (struct line) { object, t.address, t.count };
		} else {
			callee = record == PF_CALLGRIND_JUMPS || t.callee_object == t.object
				     ? object
				     : object_of(pf_callgrind_text_name(&t.objects, t.callee_object));
			add_transfer(object, t.address, callee, t.target, t.count);
		}
	}
	pf_callgrind_text_close(&t);
	return status;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int compare_transfers(const void *a, const void *b)
{
	const struct transfer *x = a, *y = b;

	if (x->from_object != y->from_object)
		return x->from_object < y->from_object ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Each object's executable segments, at addresses that no two objects share. */
static void add_maps(void)
{
	for (size_t i = 0; i < objects.count; i++) {
		const struct pf_elf *elf = &objects.at[i].elf;

		for (size_t k = 0; elf->path && k < elf->segments.count; k++) {
			const struct pf_elf_segment *s = &elf->segments.at[k];
			struct pf_vec_map *map;

			if (!s->executable)
				continue;
			map = must(pf_array_push(&maps));
			*map = (struct pf_vec_map) { .start = ((uint64_t)i << 40) + s->address,
						     .end = ((uint64_t)i << 40) + s->address + s->file_size,
						     .offset = s->offset,
						     .path = objects.at[i].path,
						     .build_id_size = elf->build_id_size };
			memcpy(map->build_id, elf->build_id, sizeof map->build_id);
		}
	}
}

static uint32_t map_of(uint64_t address)
{
	for (uint32_t i = 0; i < maps.count; i++) {
		if (address >= maps.at[i].start && address < maps.at[i].end)
			return i;
	}
	return UINT32_MAX;
}

static void add_edge(uint8_t kind, uint64_t from, uint64_t to, uint64_t count)
{
	struct pf_vec_edge edge = { .kind = kind, .start = from, .from = from, .to = to };
	struct pf_vec_count number = { .edge = (uint32_t)edges.count, .count = count };

	edge.from_map = map_of(from);
	edge.to_map = map_of(to);
	if (count == 0 || edge.from_map == UINT32_MAX)
		return;
	*(struct pf_vec_edge *)must(pf_array_push(&edges)) = edge;
	*(struct pf_vec_count *)must(pf_array_push(&counts)) = number;
}

static uint64_t runtime(uint32_t object, uint64_t address)
{
	return ((uint64_t)object << 40) + address;
}

static void make_edges(void)
{
	size_t t = 0, end;

	pf_array_sort(&lines, compare_lines);
	pf_array_sort(&transfers, compare_transfers);
	for (size_t i = 0; i < lines.count; i = end) {
		const struct line *l = &lines.at[i];
		const struct pf_elf *elf = &objects.at[l->object].elf;
		uint8_t kind = elf->path ? pf_code_step(elf, l->address).kind : 0;
		uint64_t from = runtime(l->object, l->address), left = 0;

		for (end = i; end < lines.count && compare_lines(&lines.at[end], l) == 0; end++)
			left += lines.at[end].count;
		while (t < transfers.count &&
		       (transfers.at[t].from_object < l->object ||
			(transfers.at[t].from_object == l->object && transfers.at[t].from < l->address)))
			t++;
		for (; t < transfers.count && transfers.at[t].from_object == l->object &&
		       transfers.at[t].from == l->address;
		     t++) {
			const struct transfer *x = &transfers.at[t];

			if (kind == 0 || kind == PF_EDGE_RETURN)
				continue;
			add_edge(kind, from, runtime(x->to_object, x->to), x->count);
			left -= x->count < left ? x->count : left;
		}
		add_edge(PF_EDGE_FALL, from, from, left);
	}
}

static int write_recording(const char *path, struct pf_error *error)
{
	struct pf_vec_process process = { .pid = 1, .comm = "callgrind", .exe = "" };
	struct pf_vectors vectors = { .process_count = 1,
				      .map_count = (uint32_t)maps.count,
				      .edge_count = (uint32_t)edges.count,
				      .count_count = counts.count,
				      .processes = &process,
				      .maps = maps.at,
				      .edges = edges.at,
				      .counts = counts.at };

	return write_made_recording(path, "callgrind", &vectors, error);
}

int main(int argc, char **argv)
{
	struct pf_error error;

	if (argc != 3) {
		fprintf(stderr, "usage: callgrind-vectors CALLGRIND.OUT PERF.DATA\n");
		return 2;
	}
	if (read_callgrind(argv[1], &error) < 0) {
		fprintf(stderr, "callgrind-vectors: %s\n", error.text);
		return 1;
	}
	place_stubs();
	add_maps();
	make_edges();
	if (write_recording(argv[2], &error) < 0) {
		fprintf(stderr, "callgrind-vectors: %s\n", error.text);
		return 1;
	}
	return 0;
}
