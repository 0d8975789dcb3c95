/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See walk.h.  The hard case is a vector that began deep inside of calls, or a program that leaves functions otherwise
 * than it entered them (longjmp, exceptions): a return goes to the nearest open call that it fits, whatever was open
 * above it ends as it is, and where none fits, a path begins in the middle. */
#include "analysis/walk.h"

static const struct pf_graph *graph_of(const struct pf_walk *w, uint32_t function)
{
	return w->subject->functions.at[function].machine.graph;
}

int pf_walk_init(struct pf_walk *w, struct pf_subject *subject,
		 int (*take)(void *context, const struct pf_walk_path *path), void *context)
{
	*w = (struct pf_walk) { .subject = subject, .limit = PF_PATHNUMBER_REGION, .take = take, .context = context };
	w->inside = PF_NO_FUNCTION;
	w->numbers = calloc(subject->functions.count + 1, sizeof *w->numbers);
	return w->numbers ? PF_OK : PF_ENOMEM;
}

void pf_walk_fini(struct pf_walk *w)
{
	for (size_t i = 0; w->numbers && i < w->subject->functions.count; i++)
		pf_pathnumber_fini(&w->numbers[i]);
	for (size_t i = 0; i < w->frames.count; i++)
		pf_array_fini(&w->frames.at[i].steps);
	free(w->numbers);
	pf_array_fini(&w->frames);
}

const struct pf_pathnumber *pf_walk_numbers(struct pf_walk *w, uint32_t index)
{
	const struct pf_subject_function *f = pf_subject_function(w->subject, index);

	if (!f ||
	    (!w->numbers[index].graph && pf_pathnumber_init(&w->numbers[index], f->machine.graph, NULL, w->limit)))
		return NULL;
	return &w->numbers[index];
}

/* Where ADDRESS is.  PF_ENOMEM. */
static int find_place(struct pf_walk *w, uint64_t address, bool inside, struct pf_walk_place *place, uint32_t *insn)
{
	uint32_t index = inside ? pf_subject_find(w->subject, address) : PF_NO_FUNCTION;
	const struct pf_subject_function *f;

	*place = (struct pf_walk_place) { .function = index, .address = inside ? address : 0 };
	if (index == PF_NO_FUNCTION)
		return PF_OK;
	if (!pf_walk_numbers(w, index))
		return PF_ENOMEM;
	f = pf_subject_function(w->subject, index);
	*insn = pf_subject_insn(f, address);
	place->block = f->machine.block_of[*insn];
	place->entrance = f->code.insns.at[f->machine.blocks[place->block].first].address == address;
	return PF_OK;
}

/* What a recording does not say of a transfer elsewhere, seen from where it leads. */
static uint8_t guess_kind(const struct pf_walk *w, const struct pf_walk_place *to)
{
	if (to->function == PF_NO_FUNCTION)
		return PF_EDGE_JUMP;
	return to->address == w->subject->functions.at[to->function].entry ? PF_EDGE_CALL : PF_EDGE_RETURN;
}

int pf_walk_resolve(struct pf_walk *w, const uint64_t start_from_to[3], const bool inside[2], uint8_t kind,
		    struct pf_walk_move *move)
{
	struct pf_walk_place start, from;
	uint32_t first = 0, last = 0, ignored;
	int status = find_place(w, start_from_to[0], inside[0], &start, &first);

	*move = (struct pf_walk_move) { .range = { .function = PF_NO_FUNCTION, .kind = kind } };
	if (status == PF_OK)
		status = find_place(w, start_from_to[1], inside[0], &from, &last);
	if (status == PF_OK)
		status = find_place(w, start_from_to[2], inside[1], &move->to, &ignored);
	if (status == PF_OK && kind == 0)
		move->range.kind = guess_kind(w, &move->to);
	if (status < 0 || start.function == PF_NO_FUNCTION || from.function != start.function || last < first)
		return status;
	const struct pf_subject_function *f = pf_subject_function(w->subject, start.function);
	const struct pf_code_block *block = &f->machine.blocks[from.block];
	const struct pf_insn *insn = &f->code.insns.at[last];

	move->range = (struct pf_walk_range) {
		.function = start.function,
		.first = start.block,
		.last = from.block,
		.instructions = last - first + 1,
		.through = last == block->first + block->count - 1,
		.kind = kind         ? kind
			: insn->kind ? insn->kind
				     : PF_EDGE_FALL,
		.back = insn->address + insn->length,
	};
	return PF_OK;
}

/* Instructions of the blocks that the edges from FIRST on lead to. */
static uint32_t length_of(const struct pf_walk *w, uint32_t function, const uint32_t *edges, size_t count)
{
	const struct pf_codegraph *m = &w->subject->functions.at[function].machine;
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t to = m->graph->edges[edges[i]].to;

		sum += to < m->block_count ? m->blocks[to].count : 0;
	}
	return sum;
}

/* Counts the blocks of the COUNT steps that were added in front of F. */
static void note_front(struct pf_walk *w, const struct pf_walk_frame *f, size_t count)
{
	const struct pf_codegraph *m = &w->subject->functions.at[f->function].machine;

	if (count == 0)
		return;
	w->statistics.extended += length_of(w, f->function, f->steps.at, count - 1);
	w->statistics.extended += f->start < m->block_count ? m->blocks[f->start].count : 0;
}

/* Adds to the end of F what must follow; whether a path ends there. */
static int extend_tail(struct pf_walk *w, struct pf_walk_frame *f, bool *tail)
{
	const struct pf_pathnumber *n = &w->numbers[f->function];
	const struct pf_graph *g = n->graph;
	uint32_t block = f->block;

	while (g->out_first[block + 1] - g->out_first[block] == 1) {
		uint32_t edge = g->out_edges[g->out_first[block]], *new = pf_array_push(&f->steps);

		if (!new)
			return PF_ENOMEM;
		*new = edge;
		block = g->edges[edge].to;
		*tail = pf_pathnumber_is_end(n, edge);
		if (*tail)
			return PF_OK;
	}
	*tail = g->out_first[block + 1] == g->out_first[block];
	return PF_OK;
}

/* Adds to the front of F what must have come before; then F has a head if a path begins there. */
static int extend_head(struct pf_walk *w, struct pf_walk_frame *f)
{
	const struct pf_pathnumber *n = &w->numbers[f->function];
	const struct pf_graph *g = n->graph;

	while (!f->head && g->in_first[f->start + 1] - g->in_first[f->start] == 1) {
		uint32_t edge = g->in_edges[g->in_first[f->start]];

		f->head = n->cut[edge];
		if (f->head)
			break;
		if (!pf_array_push(&f->steps))
			return PF_ENOMEM;
		memmove(f->steps.at + 1, f->steps.at, (f->steps.count - 1) * sizeof *f->steps.at);
		f->steps.at[0] = edge;
		f->start = g->edges[edge].from;
		f->head = f->start == g->entry;
	}
	return PF_OK;
}

static int hand_on(struct pf_walk *w, const struct pf_walk_frame *f, bool tail, uint32_t seen, uint64_t weight)
{
	struct pf_walk_path path = {
		.function = f->function,
		.start = f->start,
		.edges = f->steps.at,
		.count = (uint32_t)f->steps.count,
		.head = f->head,
		.tail = tail,
		.seen = seen,
		.weight = weight,
		.link = f->link,
		.before_function = f->before_function,
		.before = f->before,
	};

	return w->take(w->context, &path);
}

/* Hands on what is open in F, extended where there is no choice; LAST: it is where the vector ends. */
static int flush(struct pf_walk *w, struct pf_walk_frame *f, bool last, uint64_t weight)
{
	uint32_t seen = (uint32_t)f->steps.count + 1;
	size_t before = f->steps.count;
	bool tail = false;
	int status;

	if (f->function == PF_NO_FUNCTION || f->block == PF_NO_CODE_BLOCK)
		return PF_OK;
	status = extend_tail(w, f, &tail);
	if (last && status == PF_OK)
		w->statistics.extended += length_of(w, f->function, f->steps.at + before, f->steps.count - before);
	before = f->steps.count;
	if (status == PF_OK)
		status = extend_head(w, f);
	if (f->opened)
		note_front(w, f, f->steps.count - before);
	if (status == PF_OK)
		status = hand_on(w, f, tail, seen, weight);
	f->block = PF_NO_CODE_BLOCK;
	f->steps.count = 0;
	f->opened = false;
	return status;
}

/* Begins a path in F at BLOCK; HEAD if one does there. */
static void begin(const struct pf_walk *w, struct pf_walk_frame *f, uint32_t function, uint32_t block, bool head)
{
	f->function = function;
	f->link = PF_LINK_NONE;
	f->steps.count = 0;
	f->head = head;
	f->opened = false;
	f->start = block;
	f->block = function == PF_NO_FUNCTION || w->numbers[function].ends[block] == 0 ? PF_NO_CODE_BLOCK : block;
}

/* Begins where control came to: with the entry's edge if there is one. */
static int begin_at(struct pf_walk *w, struct pf_walk_frame *f, const struct pf_walk_place *to)
{
	const struct pf_graph *g;
	uint32_t edge, *new;

	begin(w, f, to->function, to->block, false);
	if (to->function == PF_NO_FUNCTION || !to->entrance)
		return PF_OK;
	g = graph_of(w, to->function);
	edge = pf_codegraph_edge(&w->subject->functions.at[to->function].machine, g->entry, to->block);
	if (edge == UINT32_MAX || w->numbers[to->function].cut[edge])
		return PF_OK;
	new = pf_array_push(&f->steps);
	if (!new)
		return PF_ENOMEM;
	*new = edge;
	f->start = g->entry;
	f->head = true;
	return PF_OK;
}

static struct pf_walk_frame *push(struct pf_walk *w)
{
	if (w->depth == w->frames.count && !pf_array_push(&w->frames))
		return NULL;
	w->frames.at[w->depth].back = 0;
	w->frames.at[w->depth].block = PF_NO_CODE_BLOCK;
	w->frames.at[w->depth].function = PF_NO_FUNCTION;
	return &w->frames.at[w->depth++];
}

/* The path that F has begun runs behind what is named. */
static void link(struct pf_walk_frame *f, enum pf_walk_link link, uint32_t function, uint64_t before)
{
	f->link = link;
	f->before_function = function;
	f->before = before;
}

/* Goes over EDGE; if that ends a path, hands it on and begins the next. */
static int step(struct pf_walk *w, struct pf_walk_frame *f, uint32_t edge, uint64_t weight)
{
	const struct pf_pathnumber *n = &w->numbers[f->function];
	uint32_t *new = pf_array_push(&f->steps), to = n->graph->edges[edge].to;
	uint64_t number;
	size_t before;
	int status;

	if (!new)
		return PF_ENOMEM;
	*new = edge;
	before = f->steps.count;
	f->block = to;
	if (!pf_pathnumber_is_end(n, edge))
		return PF_OK;
	status = extend_head(w, f);
	if (f->opened)
		note_front(w, f, f->steps.count - before);
	if (status == PF_OK)
		status = hand_on(w, f, true, (uint32_t)before, weight);
	if (!n->cut[edge]) {
		f->block = PF_NO_CODE_BLOCK;
		return status;
	}
	w->statistics.loop_pieces++;
	number = f->head ? pf_pathnumber_of(n, f->start, f->steps.at, f->steps.count) : UINT64_MAX;
	begin(w, f, f->function, to, true);
	link(f, number == UINT64_MAX ? PF_LINK_NONE : PF_LINK_LOOP, f->function, number);
	return status;
}

/* Goes from the block of F to TO, if the graph can; else a path begins at TO. */
static int step_to(struct pf_walk *w, struct pf_walk_frame *f, uint32_t to, uint64_t weight)
{
	uint32_t edge = f->block == PF_NO_CODE_BLOCK
			    ? UINT32_MAX
			    : pf_codegraph_edge(&w->subject->functions.at[f->function].machine, f->block, to);
	int status;

	if (edge != UINT32_MAX)
		return step(w, f, edge, weight);
	w->statistics.strays += f->block != PF_NO_CODE_BLOCK;
	status = flush(w, f, false, weight);
	if (to < w->subject->functions.at[f->function].machine.block_count)
		begin(w, f, f->function, to, false);
	return status;
}

/* Ends what is open above frame DEPTH. */
static int unwind(struct pf_walk *w, size_t depth, uint64_t weight)
{
	int status = PF_OK;

	while (w->depth > depth && status == PF_OK)
		status = flush(w, &w->frames.at[--w->depth], false, weight);
	return status;
}

/* A return came to TO. */
static int arrive(struct pf_walk *w, const struct pf_walk_place *to, uint64_t weight)
{
	size_t at = w->depth;
	struct pf_walk_frame *f;
	int status;

	if (to->function == PF_NO_FUNCTION && at > 0 && w->frames.at[at - 1].function == PF_NO_FUNCTION)
		return PF_OK;
	while (at > 0 && !(w->frames.at[at - 1].function == to->function && to->function != PF_NO_FUNCTION &&
			   w->frames.at[at - 1].back == to->address))
		at--;
	status = unwind(w, at, weight);
	if (status < 0)
		return status;
	if (at > 0) {
		f = &w->frames.at[at - 1];
		f->back = 0;
		return step_to(w, f, to->block, weight);
	}
	f = push(w);
	return f ? begin_at(w, f, to) : PF_ENOMEM;
}

/* Counts the pieces that a cut at each function boundary makes. */
static void note_range(struct pf_walk *w, const struct pf_walk_range *r)
{
	struct pf_walk_statistics *s = &w->statistics;
	bool first = w->inside == PF_NO_FUNCTION, crossed = !first && (w->crossing || w->inside != r->function);

	s->vectors += first;
	s->instructions += r->instructions;
	s->function_pieces += first || crossed;
	s->loop_pieces += first || crossed;
	w->crossed += crossed;
	w->inside = r->function;
}

/* Follows straight code through its blocks in the frame on top. */
static int follow(struct pf_walk *w, const struct pf_walk_range *r, uint64_t weight)
{
	const struct pf_subject_function *f = &w->subject->functions.at[r->function];
	struct pf_walk_frame *top = w->depth ? &w->frames.at[w->depth - 1] : push(w);
	bool opens = w->inside == PF_NO_FUNCTION;
	int status = PF_OK;

	if (!top)
		return PF_ENOMEM;
	note_range(w, r);
	if (top->function != r->function || top->block != r->first) {
		w->statistics.strays += top->block != PF_NO_CODE_BLOCK;
		status = flush(w, top, false, weight);
		begin(w, top, r->function, r->first, false);
		top->opened = opens;
	}
	for (uint32_t b = r->first; b < r->last && status == PF_OK; b++) {
		uint32_t next = pf_codegraph_next(&f->machine, &f->code, b);

		status = next == PF_NO_CODE_BLOCK ? flush(w, top, false, weight) : step_to(w, top, next, weight);
	}
	return status;
}

/* Control left function F of the frame on top for another one without coming back. */
static int replace(struct pf_walk *w, struct pf_walk_frame *f, const struct pf_walk_place *to, uint64_t weight)
{
	int status = PF_OK;

	if (f->function != PF_NO_FUNCTION && f->block != PF_NO_CODE_BLOCK)
		status = step_to(w, f, graph_of(w, f->function)->exit, weight);
	return status < 0 ? status : begin_at(w, f, to);
}

static int leave(struct pf_walk *w, const struct pf_walk_move *move, uint64_t weight)
{
	struct pf_walk_frame *top = &w->frames.at[w->depth - 1];
	int status = PF_OK;

	switch (move->range.kind) {
	case PF_EDGE_CALL:
	case PF_EDGE_INDIRECT_CALL:
		top->back = move->range.back;
		top = push(w);
		status = top ? begin_at(w, top, &move->to) : PF_ENOMEM;
		if (status == PF_OK && move->range.function != PF_NO_FUNCTION && top->head)
			link(top, PF_LINK_CALL, move->range.function, move->range.last);
		return status;
	case PF_EDGE_RETURN:
		if (top->function != PF_NO_FUNCTION && top->block != PF_NO_CODE_BLOCK)
			status = step_to(w, top, graph_of(w, top->function)->exit, weight);
		w->depth--;
		return status < 0 ? status : arrive(w, &move->to, weight);
	default:
		if (top->function != move->to.function)
			return replace(w, top, &move->to, weight);
		if (top->function == PF_NO_FUNCTION || !move->range.through)
			return PF_OK;
		return step_to(w, top, move->to.block, weight);
	}
}

int pf_walk_move(struct pf_walk *w, const struct pf_walk_move *move, uint64_t weight)
{
	const struct pf_walk_range *r = &move->range;
	int status = PF_OK;

	if (r->function != PF_NO_FUNCTION)
		status = follow(w, r, weight);
	else if (w->depth == 0 && !push(w))
		status = PF_ENOMEM;
	if (status < 0)
		return status;
	w->crossing = r->function != PF_NO_FUNCTION && move->to.function != PF_NO_FUNCTION &&
		      (r->kind == PF_EDGE_CALL || r->kind == PF_EDGE_INDIRECT_CALL || r->kind == PF_EDGE_RETURN);
	return leave(w, move, weight);
}

int pf_walk_end(struct pf_walk *w, uint64_t weight)
{
	int status = PF_OK;

	if (w->depth > 0)
		status = flush(w, &w->frames.at[w->depth - 1], true, weight);
	if (status == PF_OK)
		status = unwind(w, 0, weight);
	if (w->inside != PF_NO_FUNCTION)
		w->statistics.crossings[w->crossed < PF_WALK_CROSSINGS ? w->crossed : PF_WALK_CROSSINGS - 1]++;
	w->depth = 0;
	w->inside = PF_NO_FUNCTION;
	w->crossed = 0;
	w->crossing = false;
	return status;
}
