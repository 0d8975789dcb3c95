/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code cache: blocks by address, exits, and their links.  An exit starts as a short jump into C; when it is taken
 * for the first time it gets an edge id and a piece of code that records the id and goes straight on to the target
 * block, and the jump is patched to it.  Indirect branches find theirs in one table keyed by branch and target.
 * The hard case: everything is dropped at once (cache full, a library gone) while a burst is between two blocks; its
 * state is in the engine then, so whoever holds an exit's number across a look-up compares `flushes`. */
#include "runtime/agent/emit.h"

#include "perfdata/vectors.h"

#include <sys/mman.h>

#define ROOM_FOR_BLOCK 16384
#define ROOM_FOR_LINK 160
#define FIRST_PART (128u << 10)
#define MADV_POPULATE_WRITE_ 23 /* Linux 5.14; an error before that, and then pages come one by one */

static void *reserve(size_t size)
{
	return pf_sys_map(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

bool pf_agent_cache_init(struct pf_engine *engine)
{
	engine->exits = reserve(PF_MAX_EXITS * sizeof *engine->exits);
	engine->blocks = reserve(PF_MAX_BLOCKS * sizeof *engine->blocks);
	engine->steps = reserve(PF_MAX_STEPS * sizeof *engine->steps);
	engine->block_hash = reserve(2 * PF_MAX_BLOCKS * sizeof *engine->block_hash);
	engine->edge_hash = reserve(2 * PF_MAX_EDGES * sizeof *engine->edge_hash);
	engine->site_exits = reserve(PF_MAX_SITES * sizeof *engine->site_exits);
	engine->modules = reserve(PF_MAX_MODULES * sizeof *engine->modules);
	engine->block_hash_size = engine->edge_hash_size = PF_FIRST_HASH_SIZE;
	return engine->exits && engine->blocks && engine->steps && engine->block_hash && engine->edge_hash &&
	       engine->site_exits && engine->modules;
}

static void populate(void *start, size_t size)
{
	uint64_t from = (uint64_t)start & ~4095ull;
	PF_SYS3(SYS_madvise, from, ((uint64_t)start + size + 4095 - from) & ~4095ull, MADV_POPULATE_WRITE_);
}

void pf_agent_cache_populate(struct pf_engine *engine)
{
	populate(engine->negated_keys, sizeof engine->negated_keys + sizeof engine->codes);
	populate(engine->buffer + PF_MAX_BRANCHES - engine->branches, engine->branches * sizeof *engine->buffer);
	for (uint32_t i = 0; i < engine->zone_count; i++)
		populate(engine->zones[i].base, FIRST_PART);
	populate(engine->exits, FIRST_PART);
	populate(engine->blocks, FIRST_PART / 4);
	populate(engine->steps, FIRST_PART / 4);
	populate(engine->block_hash, engine->block_hash_size * sizeof *engine->block_hash);
	populate(engine->edge_hash, engine->edge_hash_size * sizeof *engine->edge_hash);
}

static uint32_t hash(const struct pf_engine *engine, uint64_t pc)
{
	return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 32) & (engine->block_hash_size - 1);
}

/* Number of the branch above the bits of an address, and its hash below: no two branches and targets give one sum. */
uint64_t pf_agent_cache_site_key(uint32_t site)
{
	return ((uint64_t)(site + 1) << PF_SITE_SHIFT) + (((site + 1) * 0x9e37u) & 0xffff);
}

/* Only what was used: the tables are sparse, and reading all of them would cost more than the burst. */
static void clear_tables(struct pf_engine *engine)
{
	for (uint32_t i = 0; i < engine->block_count; i++) {
		uint32_t slot = hash(engine, engine->blocks[i].pc);
		for (; engine->block_hash[slot]; slot = (slot + 1) & (engine->block_hash_size - 1))
			engine->block_hash[slot] = 0;
	}
	for (uint32_t i = 0; i < engine->exit_count; i++) {
		const struct pf_exit *exit = &engine->exits[i];
		if (!exit->patch)
			engine->negated_keys[(pf_agent_cache_site_key(exit->site) + exit->to) & (PF_TABLE_SLOTS - 1)] =
			    0;
	}
}

void pf_agent_cache_flush(struct pf_engine *engine)
{
	engine->flushes++;
	clear_tables(engine);
	for (uint32_t i = 0; i < engine->zone_count; i++)
		engine->zones[i].used = 0;
	engine->exit_count = engine->site_count = engine->block_count = engine->step_count = 0;
}

uint32_t pf_agent_cache_find(const struct pf_engine *engine, uint64_t pc)
{
	for (uint32_t slot = hash(engine, pc); engine->block_hash[slot];
	     slot = (slot + 1) & (engine->block_hash_size - 1))
		if (engine->blocks[engine->block_hash[slot] - 1].pc == pc)
			return engine->block_hash[slot] - 1;
	return PF_NO_BLOCK;
}

static void enter(struct pf_engine *engine, uint32_t index)
{
	uint32_t slot = hash(engine, engine->blocks[index].pc);
	while (engine->block_hash[slot])
		slot = (slot + 1) & (engine->block_hash_size - 1);
	engine->block_hash[slot] = index + 1;
}

static const struct pf_block *add(struct pf_engine *engine, const struct pf_block *block)
{
	if (engine->block_count * 2 >= engine->block_hash_size && engine->block_hash_size < 2 * PF_MAX_BLOCKS) {
		__builtin_memset(engine->block_hash, 0, engine->block_hash_size * sizeof *engine->block_hash);
		engine->block_hash_size *= 2;
		for (uint32_t i = 0; i < engine->block_count; i++)
			enter(engine, i);
	}
	engine->blocks[engine->block_count] = *block;
	enter(engine, engine->block_count++);
	return &engine->blocks[engine->block_count - 1];
}

const struct pf_block *pf_agent_cache_at(const struct pf_engine *engine, const uint8_t *code)
{
	for (uint32_t i = 0; i < engine->block_count; i++)
		if (code >= engine->blocks[i].code && code < engine->blocks[i].code_end)
			return &engine->blocks[i];
	return NULL;
}

static bool has_room(const struct pf_engine *engine, const struct pf_zone *zone)
{
	return zone->size - zone->used >= ROOM_FOR_BLOCK && engine->exit_count + 256 <= PF_MAX_EXITS &&
	       engine->block_count < PF_MAX_BLOCKS && engine->step_count + 512 <= PF_MAX_STEPS &&
	       engine->site_count < PF_MAX_SITES;
}

struct request {
	struct pf_engine *engine;
	const struct pf_module *module;
	uint64_t pc;
	struct pf_block block;
};

static int translate(void *argument)
{
	struct request *request = argument;
	return pf_agent_translate(request->engine, request->module, request->pc, &request->block);
}

const struct pf_block *pf_agent_cache_block(struct pf_engine *engine, uint64_t pc, int *why)
{
	uint32_t found = pf_agent_cache_find(engine, pc);
	if (found != PF_NO_BLOCK)
		return &engine->blocks[found];
	const struct pf_module *module = pf_agent_module_find(engine, pc);
	*why = !module ? PF_END_ANONYMOUS : module->own ? PF_END_OWN_TEXT : module->zone < 0 ? PF_END_UNHANDLED : 0;
	if (*why)
		return NULL;
	if (!has_room(engine, &engine->zones[module->zone]))
		pf_agent_cache_flush(engine);
	pf_agent_vectors_park(engine);
	struct request request = { .engine = engine, .module = module, .pc = pc };
	uint32_t exits = engine->exit_count, steps = engine->step_count, sites = engine->site_count;
	uint32_t used = engine->zones[module->zone].used;
	uint64_t begin = pf_sys_clock(CLOCK_THREAD_CPUTIME_ID);
	*why = (int)pf_agent_guard(engine, translate, &request);
	engine->wire->translate_ns += pf_sys_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
	if (*why == 0)
		return add(engine, &request.block);
	engine->exit_count = exits;
	engine->step_count = steps;
	engine->site_count = sites;
	engine->zones[module->zone].used = used;
	if (*why < 0)
		*why = PF_END_FAULT;
	return NULL;
}

static void link_direct(struct pf_zone *zone, uint32_t number, const struct pf_exit *exit, uint32_t edge,
			const struct pf_block *block)
{
	uint8_t *code = zone->base + zone->used, *at = code;
	if (!exit->spilled)
		emit_spill_rcx(&at);
	emit_record(&at, edge, number, block->code);
	zone->used = (uint32_t)(at - zone->base);
	int32_t distance = (int32_t)(code - (exit->patch + 4));
	__builtin_memcpy(exit->patch, &distance, sizeof distance);
}

static void link_indirect(struct pf_engine *engine, struct pf_zone *zone, const struct pf_exit *site, uint32_t edge,
			  uint64_t target, const struct pf_block *block)
{
	uint32_t number = engine->exit_count++;
	engine->exits[number] = *site;
	engine->exits[number].to = target;
	uint8_t *code = zone->base + zone->used, *at = code;
	emit_unspill_rax(&at);
	emit_record(&at, edge, number, block->code);
	zone->used = (uint32_t)(at - zone->base);
	uint64_t key = engine->key + target;
	engine->negated_keys[key & (PF_TABLE_SLOTS - 1)] = -key;
	engine->codes[key & (PF_TABLE_SLOTS - 1)] = code;
}

void pf_agent_cache_link(struct pf_engine *engine, uint32_t number, uint32_t edge, uint64_t target,
			 const struct pf_block *block)
{
	const struct pf_exit *exit = &engine->exits[number];
	struct pf_zone *zone = &engine->zones[exit->zone];
	if (zone->size - zone->used < ROOM_FOR_LINK || engine->exit_count >= PF_MAX_EXITS) {
		atomic_store(&engine->rescan, true); /* full: begin again at the next burst */
		return;
	}
	if (exit->patch)
		link_direct(zone, number, exit, edge, block);
	else
		link_indirect(engine, zone, exit, edge, target, block);
}
