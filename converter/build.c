/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See build.h: nodes and records.  One machine function's instructions are sorted by position; each run of equal
 * positions is one record.  The hard case is what the record's count should be, for which see converter/statement.c. */
#include "converter/build.h"
#include "converter/entries.h"
#include "converter/links.h"
#include "converter/statement.h"
#include "converter/valuing.h"
#include "support/search.h"

/* Addresses in the function at which control arrived other than by return or by running on. */
static int find_leaders(const struct pf_building *b, uint64_t **leaders, size_t *count)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	struct {
		uint64_t *at;
		size_t count, capacity;
	} found = { 0 };

	for (uint32_t k = 0; k < b->function->nodes.at[0].range_count; k++) {
		const struct pf_range *range = &b->function->ranges.at[k];
		size_t low = pf_program_first_arrival(m, range->start);

		for (; low < m->arrivals.count && m->arrivals.at[low].to < range->end; low++) {
			const struct pf_arrival *a = &m->arrivals.at[low];
			uint64_t *new;

			if (a->kind == PF_EDGE_FALL || a->kind == PF_EDGE_RETURN || a->kind == 0)
				continue;
			new = pf_array_push(&found);
			if (!new) {
				free(found.at);
				return PF_ENOMEM;
			}
			*new = a->to;
		}
	}
	*leaders = found.at;
	*count = found.count;
	return PF_OK;
}

static void weigh_by_branches(struct pf_building *b)
{
	const struct pf_program_module *m = &b->program->modules[b->module];

	for (size_t i = 0; i < b->code.insns.count; i++) {
		struct pf_insn *insn = &b->code.insns.at[i];

		insn->weight = pf_multiple(pf_program_level(m, insn->address), insn->times);
	}
}

static size_t first_sample(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->samples.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->samples.at[search.middle].offset < address);
	return search.low;
}

/* Clock samples: each block's samples over its instructions, since how long an instruction took says nothing of how
 * often it ran, but a block's instructions all ran equally often.  PF_ENOMEM. */
static int weigh_by_samples(struct pf_building *b, struct pf_built *built)
{
	const struct pf_program_module *m = &b->program->modules[b->module];
	size_t count = b->code.insns.count, sample, end;

	for (size_t first = 0; first < count; first = end) {
		struct pf_insn *insns = b->code.insns.at;
		struct pf_dealt dealt = { 0 }, *block;
		uint64_t sum = 0, each;

		for (end = first; end < count && insns[end].block == insns[first].block; end++) {
			sample = first_sample(m, insns[end].address);
			if (sample < m->samples.count && m->samples.at[sample].offset == insns[end].address) {
				sum += m->samples.at[sample].weight;
				pf_dealt_join(&dealt, &m->samples.at[sample].dealt);
				pf_build_note(b, &insns[end], insns[end].placed ? m->samples.at[sample].weight : 0,
					      built);
			}
		}
		each = sum * PF_CLOCK_SCALE / (end - first);
		/* However long the block is, it ran. */
		each += each == 0 && sum > 0;
		for (size_t i = first; i < end; i++)
			insns[i].weight = pf_multiple(each, insns[i].times);
		block = dealt.all > 0 ? pf_array_push(&built->blocks->list) : NULL;
		if (block)
			*block = dealt;
		else if (dealt.all > 0)
			return PF_ENOMEM;
	}
	return PF_OK;
}

/* Whether two entries are of one function's source; the variants of a constructor or destructor (D0, D2, and D4 for all
 * of them) differ in a digit. */
static bool is_same_source(const struct pf_origin *a, const struct pf_origin *b)
{
	size_t same = 0;

	while (a->name[same] && a->name[same] == b->name[same])
		same++;
	if (!a->name[same] && !b->name[same])
		return a->line == b->line;
	return a->line == b->line && same > 0 && strchr("CD", a->name[same - 1]) && strchr("012345", a->name[same]) &&
	       a->name[same] && b->name[same] && strcmp(a->name + same + 1, b->name + same + 1) == 0;
}

/* Whether node N is the second half of its parent: GCC splits a function at a cold or an early return (NAME.part.N),
 * and when it inlines the second half again, the call is said to stand at the declaration of the very function it is
 * in. */
static bool is_rejoined(const struct pf_building *b, uint32_t n)
{
	const struct pf_source_function *f = b->function;
	const struct pf_source_node *node = &f->nodes.at[n];
	const struct pf_origin *origin = &b->source->origins.at[node->origin];

	return n > 0 && node->site.line == 0 &&
	       is_same_source(origin, &b->source->origins.at[f->nodes.at[node->parent].origin]) &&
	       (!node->site.column || !origin->column || node->site.column == origin->column);
}

/* Numbers the nodes that have instructions of their own or below them, and writes them into FUNCTION. */
static int build_nodes(struct pf_building *b, struct pf_function *function)
{
	const struct pf_source_function *f = b->function;
	uint32_t kept = 0;

	for (size_t n = 0; n < f->nodes.count; n++)
		b->node_of[n] = n == 0 ? 0 : UINT32_MAX;
	for (size_t i = 0; i < b->code.insns.count; i++) {
		const struct pf_insn *insn = &b->code.insns.at[i];

		for (uint32_t n = insn->node; insn->placed && b->node_of[n] == UINT32_MAX; n = f->nodes.at[n].parent)
			b->node_of[n] = 0;
	}
	for (size_t n = 0; n < f->nodes.count; n++) {
		if (b->node_of[n] != UINT32_MAX)
			b->node_of[n] = is_rejoined(b, (uint32_t)n) ? b->node_of[f->nodes.at[n].parent] : kept++;
	}
	function->nodes = pf_profile_reserve(b->profile, kept * sizeof *function->nodes);
	function->node_count = kept;
	return function->nodes ? PF_OK : PF_ENOMEM;
}

static int fill_nodes(const struct pf_building *b, struct pf_function *function)
{
	for (size_t n = 0; n < b->function->nodes.count; n++) {
		const struct pf_source_node *from = &b->function->nodes.at[n];
		const struct pf_origin *origin = &b->source->origins.at[from->origin];
		struct pf_node *to = b->node_of[n] == UINT32_MAX ? NULL : &function->nodes[b->node_of[n]];

		if (!to || is_rejoined(b, (uint32_t)n))
			continue;
		to->parent = b->node_of[from->parent];
		to->site = from->site;
		to->name = pf_profile_intern(b->profile, origin->name);
		to->file = pf_profile_intern(b->profile, origin->file);
		to->line = origin->line;
		if (!to->name || !to->file)
			return PF_ENOMEM;
	}
	return PF_OK;
}

/* An instruction for sorting by position. */
struct placed {
	uint32_t insn, block;
	uint16_t copy;
	struct pf_place place;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = pf_place_compare(&x->place, &y->place);

	if (order != 0)
		return order;
	if (x->copy != y->copy)
		return x->copy < y->copy ? -1 : 1;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

/* The record of the instructions [first, first + count), all of one place, sorted by copy and address.  What the
 * compiler says are copies counts in full for each of them, also where they do not look alike. */
static void fill_record(struct pf_building *b, struct pf_record *r, const struct placed *first, size_t count,
			struct pf_piece *pieces, const struct pf_apart *apart)
{
	size_t piece_count = 0;
	uint64_t sum = 0, max = 0, copies = 0;

	for (size_t i = 0; i < count; i++) {
		const struct pf_insn *insn = &b->code.insns.at[first[i].insn];
		struct pf_piece *piece;

		if (i > 0 && first[i].copy != first[i - 1].copy) {
			copies = pf_sum(copies, pf_statement_count(pieces, piece_count, apart));
			piece_count = 0;
		}
		if (piece_count == 0 || first[i].block != first[i - 1].block) {
			pieces[piece_count++] = (struct pf_piece) { .block = first[i].block };
			sum = 0;
		}
		piece = &pieces[piece_count - 1];
		sum = pf_sum(sum, insn->weight);
		pf_statement_add(piece, insn->likeness);
		piece->weight = sum / piece->instructions;
		max = insn->weight > max ? insn->weight : max;
	}
	r->place = first->place;
	r->instructions = (uint32_t)count;
	r->max = pf_build_count(max);
	r->count = pf_build_count(pf_sum(copies, pf_statement_count(pieces, piece_count, apart)));
}

/* Of a `return n` a jump may be all that is left, behind an arm that never ran; the other ways came to the end without
 * it, with N at its place already.  It says nothing of how often the statement ran. */
static bool is_idle_jump(const struct pf_insn *insn)
{
	return insn->kind == PF_EDGE_JUMP && insn->weight == 0;
}

static int build_records(struct pf_building *b, struct pf_function *function)
{
	size_t insn_count = b->code.insns.count, count = 0, end;
	struct placed *placed = calloc(insn_count + 1, sizeof *placed);
	struct pf_piece *pieces = calloc(insn_count + 1, sizeof *pieces);
	struct pf_apart apart = { 0 };
	uint32_t records = 0;
	int status = placed && pieces ? pf_apart_init(&apart, b) : PF_ENOMEM;

	for (uint32_t i = 0; status == PF_OK && i < insn_count; i++) {
		b->record_of[i] = UINT32_MAX;
		b->code.insns.at[i].placed &= !is_idle_jump(&b->code.insns.at[i]);
		if (b->code.insns.at[i].placed)
			placed[count++] = (struct placed) { i, b->code.insns.at[i].block, b->code.insns.at[i].copy,
							    pf_build_place(b, i) };
	}
	if (status == PF_OK && count > 1)
		qsort(placed, count, sizeof *placed, compare_placed);
	for (size_t i = 0; i < count; i++)
		records += i == 0 || pf_place_compare(&placed[i - 1].place, &placed[i].place) != 0;
	if (status == PF_OK && records > 0) {
		function->records = pf_profile_reserve(b->profile, records * sizeof *function->records);
		status = function->records ? PF_OK : PF_ENOMEM;
	}
	for (size_t first = 0; status == PF_OK && first < count; first = end) {
		struct pf_record *r = &function->records[function->record_count];

		for (end = first; end < count && pf_place_compare(&placed[end].place, &placed[first].place) == 0; end++)
			b->record_of[placed[end].insn] = function->record_count;
		fill_record(b, r, &placed[first], end - first, pieces, &apart);
		function->record_count++;
	}
	pf_apart_fini(&apart);
	free(placed);
	free(pieces);
	return status;
}

static uint32_t deepest(const struct pf_building *b)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < b->code.insns.count; i++) {
		uint32_t here = b->function->nodes.at[b->code.insns.at[i].node].depth;

		depth = here > depth ? here : depth;
	}
	return depth;
}

static uint64_t head_weight(const struct pf_building *b)
{
	uint32_t entry = pf_code_find(&b->code, b->function->nodes.at[0].entry);

	if (b->program->traffic->edges.count > 0)
		return pf_links_head(b);
	return entry == PF_NO_INSN ? 0 : b->code.insns.at[entry].weight;
}

static const char *own_name(const struct pf_building *b)
{
	size_t length;
	const char *name = pf_program_name(&b->program->modules[b->module], b->index, &length), *kept;
	char *copy = strndup(name, length);

	kept = copy ? pf_profile_intern(b->profile, copy) : NULL;
	free(copy);
	return kept;
}

static int build(struct pf_building *b, const struct pf_paths *paths, struct pf_built *built)
{
	const struct pf_origin *origin = &b->source->origins.at[b->function->nodes.at[0].origin];
	bool branches = b->program->traffic->edges.count > 0;
	struct pf_function *function = pf_profile_add_function(b->profile);
	int status = PF_ENOMEM;

	if (!function)
		return PF_ENOMEM;
	if (branches)
		weigh_by_branches(b);
	else if (weigh_by_samples(b, built) < 0)
		return PF_ENOMEM;
	function->name = own_name(b);
	function->file = pf_profile_intern(b->profile, origin->file);
	function->line = origin->line;
	function->head = pf_build_count(head_weight(b));
	if (function->name && function->file)
		status = build_nodes(b, function);
	if (status == PF_OK)
		status = fill_nodes(b, function);
	if (status == PF_OK)
		status = build_records(b, function);
	if (status == PF_OK)
		status = pf_entries_build(b, function);
	if (status == PF_OK && branches)
		status = pf_links_build(b, function, built);
	if (status == PF_OK && branches)
		status = pf_paths_build(paths, b, function);
	if (status == PF_OK)
		status = pf_valuing_build(b, function);
	return status;
}

int pf_build_function(const struct pf_program *program, const struct pf_paths *paths, uint32_t module, uint32_t index,
		      struct pf_profile *profile, struct pf_built *built)
{
	const struct pf_program_module *m = &program->modules[module];
	struct pf_building b = { .program = program,
				 .profile = profile,
				 .module = module,
				 .index = index,
				 .source = &m->source,
				 .function = &m->source.functions.at[index] };
	uint64_t *leaders = NULL;
	size_t leader_count = 0;
	uint32_t here;
	int status = find_leaders(&b, &leaders, &leader_count);

	if (status == PF_OK)
		status = pf_code_read(&m->binary.elf, b.source, b.function, leaders, leader_count, &b.code);
	free(leaders);
	if (status < 0)
		return status;
	b.node_of = calloc(b.function->nodes.count + 1, sizeof *b.node_of);
	b.record_of = calloc(b.code.insns.count + 1, sizeof *b.record_of);
	status = b.node_of && b.record_of ? build(&b, paths, built) : PF_ENOMEM;
	here = deepest(&b);
	built->depth = here > built->depth ? here : built->depth;
	free(b.node_of);
	free(b.record_of);
	pf_code_fini(&b.code);
	return status;
}
