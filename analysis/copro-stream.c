/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See copro-stream.h.  Hard case: the target of a branch into another mapping, which is known for certain only by the
 * edge that comes next; so the last branch of each edge waits for it.  And loads and stores come by bursts,
 * apart from its edges.  A code address has the number of its binary in
 * its highest 16 bits, from 1 on; where there is no binary it is the address in memory. */
#include "analysis/copro-stream.h"

#define MODULE_SHIFT 48
#define ADDRESS_MASK ((1ull << MODULE_SHIFT) - 1)

static const uint8_t class_of[] = {
	[PF_EDGE_COND] = PF_COPRO_COND,         [PF_EDGE_JUMP] = PF_COPRO_JUMP,
	[PF_EDGE_INDIRECT] = PF_COPRO_INDIRECT, [PF_EDGE_CALL] = PF_COPRO_CALL,
	[PF_EDGE_RETURN] = PF_COPRO_RETURN,     [PF_EDGE_INDIRECT_CALL] = PF_COPRO_INDIRECT_CALL,
};

static uint64_t code_at(const struct pf_copro_edge *place, uint64_t address)
{
	if (place->module == PF_NO_BLOCK)
		return address;
	return ((address - place->distance) & ADDRESS_MASK) | (uint64_t)(place->module + 1) << MODULE_SHIFT;
}

static bool add(void *context, const struct pf_vec_edge *edge, const struct pf_vec_map *from)
{
	struct pf_copro_stream *s = context;
	struct pf_copro_edge *place = pf_array_push(&s->places);
	const struct pf_edge_steps *steps;
	const struct pf_block_end *end;
	uint32_t last;

	if (!place || pf_branch_steps_add(&s->steps, edge, from) != PF_OK)
		return false;
	steps = &s->steps.edges.at[s->steps.edges.count - 1];
	last = steps->tail ? steps->tail_end : s->steps.steps.at[steps->first + steps->count - 1].end;
	end = &s->steps.ends.at[last];
	*place =
	    (struct pf_copro_edge) { .module = end->module, .distance = edge->from - end->address, .from = edge->from };
	if (from && edge->to >= from->start && edge->to < from->end)
		place->to = code_at(place, edge->to);
	return true;
}

static void let_go(struct pf_copro_stream *s)
{
	if (s->waits)
		s->sink.sample(s->sink.context, &s->waiting);
	s->waits = false;
}

/* --- loads and stores --------------------------------------------------------------------------------------------- */

static void hand_on(struct pf_copro_stream *s, const struct pf_copro_edge *edge, const struct pf_vec_access *access)
{
	struct pf_copro_sample sample = { .class = PF_COPRO_LOAD,
					  .size = PF_VEC_ACCESS_SIZE(access->form),
					  .valued = access->form & PF_VEC_VALUE,
					  .thread = s->thread,
					  .pc = code_at(edge, access->pc),
					  .address = access->address,
					  .value = access->form & PF_VEC_VALUE ? access->value : 0 };

	if (access->form & PF_VEC_LOAD)
		s->sink.sample(s->sink.context, &sample);
	sample.class = PF_COPRO_STORE;
	sample.value = 0;
	if (access->form & PF_VEC_STORE)
		s->sink.sample(s->sink.context, &sample);
}

/* Those of the straight code from START up to and including UNTIL: each of its instructions ran once, so an access that
 * is not behind *LAST, the one before, is of a later run of the same code. */
static void hand_accesses_on(struct pf_copro_stream *s, const struct pf_copro_edge *edge, uint64_t start,
			     uint64_t until, uint64_t *last)
{
	for (; s->access_count; s->accesses++, s->access_count--) {
		uint64_t place = s->accesses->pc - start, kind = s->accesses->form & (PF_VEC_LOAD | PF_VEC_STORE);

		if (s->accesses->pc < start || s->accesses->pc > until || place * 4 + kind <= *last)
			return;
		*last = place * 4 + kind;
		hand_on(s, edge, s->accesses);
	}
}

static bool take_accesses(void *context, const struct pf_vec_access *accesses, uint32_t count)
{
	struct pf_copro_stream *s = context;

	s->strays += s->access_count;
	s->accesses = accesses;
	s->access_count = count;
	return true;
}

/* --- edges -------------------------------------------------------------------------------------------------------- */

static bool run(void *context, uint32_t number)
{
	struct pf_copro_stream *s = context;
	uint64_t last = 0;
	const struct pf_edge_steps *edge = &s->steps.edges.at[number];
	const struct pf_copro_edge *place = &s->places.at[number];

	if (s->waits && s->waits_for == edge->start)
		s->waiting.target = code_at(place, edge->start);
	let_go(s);
	s->unread += edge->unread;
	for (uint32_t i = 0; i < edge->count; i++) {
		const struct pf_branch_step *step = &s->steps.steps.at[edge->first + i];

		hand_accesses_on(s, place, edge->start, step->address, &last);
		s->waiting = (struct pf_copro_sample) { .class = class_of[step->kind],
							.taken = step->taken,
							.thread = s->thread,
							.pc = code_at(place, step->address) };
		s->waits = true;
		if (!step->taken)
			let_go(s);
	}
	hand_accesses_on(s, place, edge->start, place->from, &last);
	s->waiting.target = s->waits ? place->to : 0;
	s->waits_for = edge->to;
	return true;
}

static void cut(void *context, uint32_t thread)
{
	struct pf_copro_stream *s = context;

	let_go(s);
	s->thread = thread;
	s->sink.cut(s->sink.context);
}

struct pf_branch_sink pf_copro_stream_sink(struct pf_copro_stream *s, bool memory)
{
	return (struct pf_branch_sink) { s, add, run, cut, NULL, memory ? take_accesses : NULL };
}

void pf_copro_stream_finish(struct pf_copro_stream *s)
{
	let_go(s);
}

void pf_copro_stream_fini(struct pf_copro_stream *s)
{
	pf_branch_steps_fini(&s->steps);
	pf_array_fini(&s->places);
}

struct pf_copro_address pf_copro_stream_address(struct pf_copro_stream *s, uint64_t code)
{
	uint64_t module = code >> MODULE_SHIFT;
	struct pf_block_end end = { .module = (uint32_t)(module - 1), .address = code & ADDRESS_MASK };

	if (module == 0 || module > s->steps.modules.count)
		return (struct pf_copro_address) { .path = "", .address = code };
	return (struct pf_copro_address) { .path = pf_branch_steps_module(&s->steps, &end),
					   .function = pf_branch_steps_function(&s->steps, &end),
					   .address = end.address };
}
