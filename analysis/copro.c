/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See copro.h.  The program was checked when it was read, so nothing is checked here: a branch leads forward, the stack
 * is deep enough, each index is in its array.  Hard case: an interrupt, which runs the handler that belongs to saving
 * in the middle of another; it is the last thing that the other does. */
#include "analysis/copro.h"

#define SEED 0x2545f491u

enum { USED = 1, MATCHED = 2 };

static uint64_t largest(uint8_t bits)
{
	return UINT64_MAX >> (64 - bits);
}

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 31) * 0x9e3779b97f4a7c15u;
	return value ^ value >> 32;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

static uint64_t *fields_at(struct pf_copro *m, uint8_t array, uint32_t slot)
{
	return m->arrays[array].values + (size_t)slot * m->program->arrays[array].field_count;
}

static uint64_t *fields_of(struct pf_copro *m, uint8_t array)
{
	return fields_at(m, array, m->arrays[array].at);
}

static uint32_t *bucket_of(struct pf_copro *m, uint8_t array, const uint64_t *keys)
{
	struct pf_copro_slots *s = &m->arrays[array];
	uint64_t hash = 0;

	for (uint8_t i = 0; i < m->program->arrays[array].key_count; i++)
		hash = mix(hash + keys[i]);
	return &s->bucket[hash & (s->buckets - 1)];
}

/* The slot at hand is matched no more. */
static void unmatch(struct pf_copro *m, uint8_t array)
{
	struct pf_copro_slots *s = &m->arrays[array];
	uint32_t *link;

	if (!(s->state[s->at] & MATCHED))
		return;
	link = bucket_of(m, array, fields_of(m, array));
	while (*link != s->at + 1)
		link = &s->next[*link - 1];
	*link = s->next[s->at];
	s->state[s->at] &= (uint8_t)~MATCHED;
}

static void empty_slot(struct pf_copro *m, uint8_t array)
{
	unmatch(m, array);
	memset(fields_of(m, array), 0, m->program->arrays[array].field_count * sizeof(uint64_t));
}

/* All slots of the array. */
static void clear(struct pf_copro *m, uint8_t array)
{
	const struct pf_copro_array *a = &m->program->arrays[array];
	struct pf_copro_slots *s = &m->arrays[array];

	memset(s->values, 0, sizeof *s->values * a->slots * a->field_count);
	memset(s->state, 0, a->slots);
	memset(s->bucket, 0, sizeof *s->bucket * s->buckets);
	s->at = s->up = 0;
	s->found = false;
}

static void narrow_keys(const struct pf_copro_array *a, uint64_t *keys)
{
	for (uint8_t i = 0; i < a->key_count; i++)
		keys[i] &= largest(a->fields[i].bits);
}

static void find(struct pf_copro *m, uint8_t array, uint64_t *keys)
{
	const struct pf_copro_array *a = &m->program->arrays[array];
	struct pf_copro_slots *s = &m->arrays[array];
	uint32_t slot;

	narrow_keys(a, keys);
	for (slot = *bucket_of(m, array, keys); slot; slot = s->next[slot - 1]) {
		if (memcmp(fields_at(m, array, slot - 1), keys, a->key_count * sizeof *keys) == 0)
			break;
	}
	s->found = slot != 0;
	if (slot)
		s->at = slot - 1;
}

static void take(struct pf_copro *m, uint8_t array, uint64_t *keys)
{
	const struct pf_copro_array *a = &m->program->arrays[array];
	struct pf_copro_slots *s = &m->arrays[array];
	uint32_t *bucket;

	narrow_keys(a, keys);
	empty_slot(m, array);
	memcpy(fields_of(m, array), keys, a->key_count * sizeof *keys);
	bucket = bucket_of(m, array, keys);
	s->next[s->at] = *bucket;
	*bucket = s->at + 1;
	s->state[s->at] = USED | MATCHED;
}

static void next_up(struct pf_copro *m, uint8_t array)
{
	struct pf_copro_slots *s = &m->arrays[array];

	s->at = s->up;
	s->up = s->up + 1 == m->program->arrays[array].slots ? 0 : s->up + 1;
}

/* --- filters ------------------------------------------------------------------------------------------------------ */

static bool in_part(const struct pf_copro_part_of *part, uint64_t hash)
{
	return ((hash ^ part->match) & ((1u << part->depth) - 1)) == 0;
}

/* Bit number HASH of those of the address; the part looks at others. */
static uint64_t mask_bit(const struct pf_copro *m, uint64_t pc, uint32_t hash)
{
	return mix(pc + (uint64_t)(hash + 1) * 0xd6e8feb86659fd93u) & (m->program->mask_bits - 1);
}

static bool is_masked(const struct pf_copro *m, uint64_t pc)
{
	for (uint32_t i = 0; i < m->program->mask_hashes; i++) {
		uint64_t bit = mask_bit(m, pc, i);

		if (!(m->mask[bit / 64] >> bit % 64 & 1))
			return false;
	}
	return m->mask != NULL;
}

static void mask(struct pf_copro *m, uint64_t pc)
{
	m->counts.masks++;
	for (uint32_t i = 0; i < m->program->mask_hashes; i++) {
		uint64_t bit = mask_bit(m, pc, i);

		m->mask[bit / 64] |= 1ull << bit % 64;
	}
}

/* The part at hand becomes two, and the first of them is at hand then. */
static void halve(struct pf_copro *m, uint32_t part)
{
	if (m->parts[part].depth == PF_COPRO_DEPTH)
		return;
	m->parts[m->part_count] = m->parts[part];
	m->parts[m->part_count].match |= 1u << m->parts[part].depth;
	m->parts[m->part_count++].depth++;
	m->parts[part].depth++;
}

static void divide(struct pf_copro *m, uint64_t by)
{
	uint32_t second = m->part_count;

	halve(m, m->part);
	if (by == 4 && m->part_count > second) {
		halve(m, m->part);
		halve(m, second);
	}
}

static void join(struct pf_copro *m)
{
	struct pf_copro_part_of *part = &m->parts[m->part];
	uint32_t bit = part->depth ? 1u << (part->depth - 1) : 0;

	for (uint32_t i = 0; bit && i < m->part_count; i++) {
		if (m->parts[i].depth != part->depth || m->parts[i].match != (part->match ^ bit))
			continue;
		part->depth--;
		part->match &= bit - 1;
		m->parts[i] = m->parts[--m->part_count];
		if (m->part == m->part_count)
			m->part = i;
		return;
	}
}

/* --- interrupts --------------------------------------------------------------------------------------------------- */

static void run(struct pf_copro *m, uint32_t entry, const struct pf_copro_sample *sample);

static void save_slot(struct pf_copro *m, uint8_t array)
{
	const struct pf_copro_array *a = &m->program->arrays[array];
	uint32_t group;

	if (!pf_copro_profile_group(&m->profile, array, fields_of(m, array), &group)) {
		m->failed = true;
		return;
	}
	m->counts.saved++;
	if (group == PF_NO_ENTRY)
		return;
	m->times = m->profile.entries.at[group].times;
	if (a->on_save != PF_NO_HANDLER)
		run(m, a->on_save, NULL);
	m->failed |= !pf_copro_profile_add(&m->profile, group, fields_of(m, array));
}

static void empty(struct pf_copro *m, bool save)
{
	for (uint8_t array = 0; array < m->program->array_count; array++) {
		const struct pf_copro_array *a = &m->program->arrays[array];
		struct pf_copro_slots *s = &m->arrays[array];

		if (!a->saved)
			continue;
		for (s->at = 0; save && s->at < a->slots; s->at++) {
			if (s->state[s->at] & USED)
				save_slot(m, array);
		}
		clear(m, array);
	}
	m->seen = m->waited = 0;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static uint64_t random_below(struct pf_copro *m, uint64_t number)
{
	m->lfsr ^= m->lfsr << 13;
	m->lfsr ^= m->lfsr >> 17;
	m->lfsr ^= m->lfsr << 5;
	return m->lfsr * number >> 32;
}

static uint64_t part_of(const struct pf_copro_sample *sample, uint64_t part)
{
	const uint64_t parts[PF_COPRO_PARTS] = {
		[PF_COPRO_PC] = sample->pc,         [PF_COPRO_ADDRESS] = sample->address,
		[PF_COPRO_VALUE] = sample->value,   [PF_COPRO_TARGET] = sample->target,
		[PF_COPRO_TAKEN] = sample->taken,   [PF_COPRO_SIZE] = sample->size,
		[PF_COPRO_THREAD] = sample->thread,
	};

	return parts[part];
}

static uint64_t operand(struct pf_copro *m, const struct pf_copro_operation *o, const struct pf_copro_sample *sample)
{
	switch (o->code) {
	case PF_COPRO_PART:
		return part_of(sample, o->number);
	case PF_COPRO_COUNTER:
		return m->counters[o->number];
	case PF_COPRO_FIELD:
		return fields_of(m, o->array)[o->field];
	case PF_COPRO_FOUND:
		return m->arrays[o->array].found;
	case PF_COPRO_RANDOM:
		return random_below(m, o->number);
	case PF_COPRO_TIMES:
		return m->times;
	case PF_COPRO_SEEN:
		return m->seen;
	default:
		return o->number;
	}
}

static uint64_t operate(uint8_t code, uint64_t a, uint64_t b)
{
	switch (code) {
	case PF_COPRO_OR:
		return a || b;
	case PF_COPRO_AND:
		return a && b;
	case PF_COPRO_EQUAL:
		return a == b;
	case PF_COPRO_UNEQUAL:
		return a != b;
	case PF_COPRO_LESS:
		return a < b;
	case PF_COPRO_NO_MORE:
		return a <= b;
	case PF_COPRO_MORE:
		return a > b;
	case PF_COPRO_NO_LESS:
		return a >= b;
	case PF_COPRO_BITS_OR:
		return a | b;
	case PF_COPRO_BITS_XOR:
		return a ^ b;
	case PF_COPRO_BITS_AND:
		return a & b;
	case PF_COPRO_LEFT:
		return b < 64 ? a << b : 0;
	case PF_COPRO_RIGHT:
		return b < 64 ? a >> b : 0;
	case PF_COPRO_PLUS:
		return a + b;
	case PF_COPRO_MINUS:
		return a - b;
	default:
		return a * b;
	}
}

static void change(struct pf_copro *m, const struct pf_copro_operation *o, uint64_t value)
{
	bool is_field = o->code >= PF_COPRO_SET_FIELD;
	uint64_t *place = is_field ? &fields_of(m, o->array)[o->field] : &m->counters[o->number];
	uint64_t most = largest(is_field ? m->program->arrays[o->array].fields[o->field].bits
					 : m->program->counters[o->number].bits);

	if (is_field)
		m->arrays[o->array].state[m->arrays[o->array].at] |= USED;
	if (o->code == PF_COPRO_SET_FIELD || o->code == PF_COPRO_SET_COUNTER)
		*place = value & most;
	else if (o->code == PF_COPRO_ADD_FIELD || o->code == PF_COPRO_ADD_COUNTER)
		*place = value < most - *place ? *place + value : most;
	else
		*place -= value < *place ? value : *place;
}

/* A statement about slots; its keys, or a slot's number, are behind STACK. */
static void use_slots(struct pf_copro *m, const struct pf_copro_operation *o, uint64_t *stack)
{
	struct pf_copro_slots *s = &m->arrays[o->array];

	if (o->code == PF_COPRO_FIND)
		find(m, o->array, stack);
	else if (o->code == PF_COPRO_TAKE)
		take(m, o->array, stack);
	else if (o->code == PF_COPRO_AT)
		s->at = (uint32_t)(*stack % m->program->arrays[o->array].slots);
	else if (o->code == PF_COPRO_NEXT)
		next_up(m, o->array);
	else if (o->code == PF_COPRO_OFF)
		unmatch(m, o->array);
	else
		clear(m, o->array);
}

/* What ends a handler, or directs the filter. */
static void control(struct pf_copro *m, const struct pf_copro_operation *o)
{
	if (o->code == PF_COPRO_DIVIDE)
		divide(m, o->number);
	else if (o->code == PF_COPRO_ROTATE)
		m->part = (m->part + 1) % m->part_count;
	else if (o->code == PF_COPRO_JOIN)
		join(m);
	if (o->code != PF_COPRO_SAVE && o->code != PF_COPRO_DROP)
		return;
	empty(m, o->code == PF_COPRO_SAVE);
	m->counts.saves += o->code == PF_COPRO_SAVE;
	m->counts.drops += o->code == PF_COPRO_DROP;
}

static bool ends(uint8_t code)
{
	return code == PF_COPRO_DONE || code == PF_COPRO_SAVE || code == PF_COPRO_DROP;
}

/* How many values a statement takes. */
static unsigned int taken_by(const struct pf_copro *m, const struct pf_copro_operation *o)
{
	if (o->code == PF_COPRO_FIND || o->code == PF_COPRO_TAKE)
		return m->program->arrays[o->array].key_count;
	return o->code == PF_COPRO_AT || o->code == PF_COPRO_BRANCH_ZERO || o->code == PF_COPRO_MASK ||
	       (o->code >= PF_COPRO_SET_COUNTER && o->code <= PF_COPRO_SUB_FIELD);
}

static void run(struct pf_copro *m, uint32_t entry, const struct pf_copro_sample *sample)
{
	const struct pf_copro_operation *operations = m->program->operations.at;
	uint64_t stack[PF_COPRO_STACK], *top = stack;

	for (uint32_t at = entry;;) {
		const struct pf_copro_operation *o = &operations[at++];

		if (o->code <= PF_COPRO_SEEN) {
			*top++ = operand(m, o, sample);
			continue;
		}
		if (o->code <= PF_COPRO_PRODUCT) {
			top--;
			top[-1] = operate(o->code, top[-1], *top);
			continue;
		}
		if (o->code == PF_COPRO_NOT) {
			top[-1] = !top[-1];
			continue;
		}
		top -= taken_by(m, o);
		if (o->code <= PF_COPRO_CLEAR)
			use_slots(m, o, top);
		else if (o->code <= PF_COPRO_SUB_FIELD)
			change(m, o, *top);
		else if (o->code == PF_COPRO_BRANCH || (o->code == PF_COPRO_BRANCH_ZERO && !*top))
			at = (uint32_t)o->number;
		else if (o->code == PF_COPRO_MASK)
			mask(m, *top);
		else
			control(m, o);
		if (ends(o->code))
			return;
	}
}

void pf_copro_feed(struct pf_copro *m, const struct pf_copro_sample *sample)
{
	uint32_t entry = m->program->on_class[sample->class];

	if (entry == PF_NO_HANDLER || m->failed)
		return;
	m->counts.offered++;
	m->waited++;
	if (!in_part(&m->parts[m->part], mix(sample->pc))) {
		m->counts.elsewhere++;
	} else if (is_masked(m, sample->pc)) {
		m->counts.masked++;
	} else {
		m->counts.handled++;
		m->seen++;
		run(m, entry, sample);
	}
	if (m->program->every && m->waited >= m->program->every) {
		m->waited = 0;
		run(m, m->program->on_every, NULL);
	}
}

void pf_copro_cut(struct pf_copro *m)
{
	if (m->program->on_cut != PF_NO_HANDLER && !m->failed)
		run(m, m->program->on_cut, NULL);
}

int pf_copro_finish(struct pf_copro *m)
{
	m->counts.parts = m->part_count;
	empty(m, true);
	return m->failed || !pf_copro_profile_weigh(&m->profile) ? PF_ENOMEM : PF_OK;
}

/* --- a co-processor's life ---------------------------------------------------------------------------------------- */

static bool make_slots(struct pf_copro_slots *s, const struct pf_copro_array *a)
{
	s->buckets = 1;
	while (s->buckets < a->slots)
		s->buckets *= 2;
	s->values = calloc((size_t)a->slots * a->field_count, sizeof *s->values);
	s->state = calloc(a->slots, sizeof *s->state);
	s->bucket = calloc(s->buckets, sizeof *s->bucket);
	s->next = calloc(a->slots, sizeof *s->next);
	return s->values && s->state && s->bucket && s->next;
}

int pf_copro_init(struct pf_copro *m, const struct pf_copro_program *program)
{
	bool made = true;

	*m = (struct pf_copro) { .program = program, .part_count = 1, .lfsr = SEED, .profile = { .program = program } };
	for (uint32_t i = 0; made && i < program->array_count; i++)
		made = make_slots(&m->arrays[i], &program->arrays[i]);
	if (made && program->mask_bits) {
		m->mask = calloc(program->mask_bits / 64, sizeof *m->mask);
		made = m->mask != NULL;
	}
	return made ? PF_OK : PF_ENOMEM;
}

void pf_copro_fini(struct pf_copro *m)
{
	for (uint32_t i = 0; i < PF_COPRO_ARRAYS; i++) {
		free(m->arrays[i].values);
		free(m->arrays[i].state);
		free(m->arrays[i].bucket);
		free(m->arrays[i].next);
	}
	free(m->mask);
	pf_copro_profile_fini(&m->profile);
}
