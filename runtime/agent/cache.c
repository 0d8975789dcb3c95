/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code cache: blocks by address, exits, and their links.  An exit starts as a short jump into C; when it is taken
 * for the first time it gets an edge id and a piece of code that records the id and goes straight on to the target
 * block, and the jump is patched to it.  Indirect branches find theirs in one table keyed by branch and target.
 * A program can change its code in ways that nobody sees (through /proc/self/mem, a second mapping, a bare system call,
 * another library at the same address), so a translation is never believed longer than a burst: the first time that a
 * burst comes to a block, the block's source is compared with what memory holds now, by translated code (run.S) or,
 * where the burst begins and where that found a difference, here.
 * The hard case: everything is dropped at once (cache full, code changed) while a burst is between two blocks; its
 * state is in struct pf_run then, so whoever holds an exit's number across a look-up compares `flushes`. */
#include "runtime/agent/emit.h"
#include "runtime/agent/sys.h"

#include "perfdata/vectors.h"

#define ROOM_FOR_BLOCK 24576
#define ROOM_FOR_LINK 192
#define MOST_KEPT 1024 /* of a block: 64 instructions of up to 15 bytes, with the words at their ends */
#define FIRST_HASH_SIZE 2048u

static size_t page_up(size_t size)
{
	return (size + 4095) & ~(size_t)4095;
}

/* Hands out the tables one behind the other; with a NULL place it only adds up. */
static void *carve(uint8_t *tables, size_t *used, size_t size)
{
	void *place = tables ? tables + *used : NULL;
	*used += page_up(size);
	return place;
}

static size_t lay_out(struct pf_cache *cache, uint8_t *tables)
{
	size_t used = 0;
	cache->exits = carve(tables, &used, PF_MAX_EXITS * sizeof *cache->exits);
	cache->blocks = carve(tables, &used, PF_MAX_BLOCKS * sizeof *cache->blocks);
	cache->steps = carve(tables, &used, PF_MAX_STEPS * sizeof *cache->steps);
	cache->site_exits = carve(tables, &used, PF_MAX_SITES * sizeof *cache->site_exits);
	cache->block_hash = carve(tables, &used, 2 * PF_MAX_BLOCKS * sizeof *cache->block_hash);
	return used;
}

size_t pf_cache_tables_size(void)
{
	struct pf_cache unplaced;
	return lay_out(&unplaced, NULL);
}

void pf_cache_init(struct pf_cache *cache, struct pf_run *run, void *tables)
{
	lay_out(cache, tables);
	cache->run = run;
	cache->block_hash_size = FIRST_HASH_SIZE;
	run->exit_entry = (void *)pf_run_exit;
	run->lookup_entry = (void *)pf_run_lookup;
	run->check_entry = (void *)pf_run_check;
}

static uint32_t hash(const struct pf_cache *cache, uint64_t pc)
{
	return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 32) & (cache->block_hash_size - 1);
}

/* Number of the branch above the bits of an address, and its hash below: no two branches and targets give one sum. */
uint64_t pf_cache_site_key(uint32_t site)
{
	return ((uint64_t)(site + 1) << PF_SITE_SHIFT) + (((site + 1) * 0x9e37u) & 0xffff);
}

static struct pf_target *target_of(struct pf_run *run, uint64_t key)
{
	return &run->targets[key & (PF_TABLE_SLOTS - 1)];
}

/* Only what was used: the tables are sparse, and reading all of them would cost more than the burst. */
static void clear_tables(struct pf_cache *cache)
{
	for (uint32_t i = 0; i < cache->block_count; i++) {
		uint32_t slot = hash(cache, cache->blocks[i].pc);
		for (; cache->block_hash[slot]; slot = (slot + 1) & (cache->block_hash_size - 1))
			cache->block_hash[slot] = 0;
	}
	for (uint32_t i = 0; i < cache->exit_count; i++) {
		const struct pf_exit *exit = &cache->exits[i];
		if (!exit->patch)
			target_of(cache->run, pf_cache_site_key(exit->site) + exit->to)->negated_key = 0;
	}
}

void pf_cache_flush(struct pf_cache *cache)
{
	cache->flushes++;
	clear_tables(cache);
	for (uint32_t i = 0; i < cache->zone_count; i++)
		cache->zones[i].used = 0;
	cache->exit_count = cache->site_count = cache->block_count = cache->step_count = 0;
	cache->kept_size = 0;
	cache->run->checked_count = 0;
}

void pf_cache_end_burst(struct pf_cache *cache)
{
	struct pf_run *run = cache->run;
	for (uint64_t i = 0; i < run->checked_count; i++)
		run->is_checked[run->checked[i]] = 0;
	run->checked_count = 0;
}

static uint32_t find(const struct pf_cache *cache, uint64_t pc)
{
	for (uint32_t slot = hash(cache, pc); cache->block_hash[slot]; slot = (slot + 1) & (cache->block_hash_size - 1))
		if (cache->blocks[cache->block_hash[slot] - 1].pc == pc)
			return cache->block_hash[slot] - 1;
	return PF_NO_BLOCK;
}

static void enter(struct pf_cache *cache, uint32_t index)
{
	uint32_t slot = hash(cache, cache->blocks[index].pc);
	while (cache->block_hash[slot])
		slot = (slot + 1) & (cache->block_hash_size - 1);
	cache->block_hash[slot] = index + 1;
}

static void mark_checked(struct pf_run *run, uint32_t index)
{
	run->is_checked[index] = 1;
	run->checked[run->checked_count++] = index;
}

static const struct pf_block *add(struct pf_cache *cache, const struct pf_block *block)
{
	if (cache->block_count * 2 >= cache->block_hash_size && cache->block_hash_size < 2 * PF_MAX_BLOCKS) {
		__builtin_memset(cache->block_hash, 0, cache->block_hash_size * sizeof *cache->block_hash);
		cache->block_hash_size *= 2;
		for (uint32_t i = 0; i < cache->block_count; i++)
			enter(cache, i);
	}
	uint32_t index = cache->block_count++;
	cache->blocks[index] = *block;
	enter(cache, index);
	mark_checked(cache->run, index);
	return &cache->blocks[index];
}

const struct pf_block *pf_cache_at(const struct pf_cache *cache, const uint8_t *code)
{
	for (uint32_t i = 0; i < cache->block_count; i++)
		if (code >= cache->blocks[i].code && code < cache->blocks[i].code_end)
			return &cache->blocks[i];
	return NULL;
}

static bool has_room(const struct pf_cache *cache, const struct pf_zone *zone)
{
	return zone->size - zone->used >= ROOM_FOR_BLOCK && cache->exit_count + 256 <= PF_MAX_EXITS &&
	       cache->block_count < PF_MAX_BLOCKS && cache->step_count + 512 <= PF_MAX_STEPS &&
	       cache->site_count < PF_MAX_SITES && cache->kept_size + MOST_KEPT <= PF_MAX_KEPT;
}

struct request {
	struct pf_cache *cache;
	const struct pf_modules *modules;
	const struct pf_module *module;
	uint64_t pc;
	struct pf_block block;
};

static struct pf_kept *kept_at(struct pf_cache *cache, uint32_t place)
{
	return (void *)(cache->run->kept + place);
}

/* What was read as instructions, in front of the block's end, is what must stay the same. */
static void keep(struct pf_cache *cache, struct pf_block *block)
{
	struct pf_kept *kept = kept_at(cache, cache->kept_size);
	kept->source = block->pc & ~7ull;
	kept->size = (uint32_t)(((block->pc + block->size + 7) & ~7ull) - kept->source);
	kept->code = block->code;
	kept->index = cache->block_count;
	for (uint32_t i = 0; i < kept->size / 8; i++)
		kept->words[i] = ((const uint64_t *)kept->source)[i];
	block->kept = cache->kept_size;
	cache->kept_size += sizeof *kept + kept->size;
}

static int translate(void *argument)
{
	struct request *r = argument;
	int why = pf_translate(r->cache, r->modules, r->module, r->pc, &r->block);
	if (why == 0)
		keep(r->cache, &r->block);
	return why;
}

static int compare(void *argument)
{
	const struct request *r = argument;
	const struct pf_kept *words = kept_at(r->cache, r->block.kept);
	const uint8_t *now = (const uint8_t *)r->block.pc, *kept = (const uint8_t *)words->words + r->block.pc % 8;
	uint32_t size = r->block.size, i = 0;
	for (; i + 8 <= size; i += 8)
		if (*(const uint64_t *)(const void *)(kept + i) != *(const uint64_t *)(const void *)(now + i))
			return 1;
	for (; i < size; i++)
		if (kept[i] != now[i])
			return 1;
	return 0;
}

/* Is the block INDEX still what the program has there? */
static bool is_current(struct pf_cache *cache, uint32_t index)
{
	struct request request = { .cache = cache, .block = cache->blocks[index] };
	if (cache->run->is_checked[index])
		return true;
	if (pf_run_guard(cache->run, compare, &request) != 0)
		return false;
	mark_checked(cache->run, index);
	return true;
}

static const struct pf_block *make(struct pf_cache *cache, struct request *request, int *why)
{
	struct pf_zone *zone = &cache->zones[request->module->zone];
	uint32_t exits = cache->exit_count, steps = cache->step_count, sites = cache->site_count, used = zone->used;
	*why = (int)pf_run_guard(cache->run, translate, request);
	if (*why == 0)
		return add(cache, &request->block);
	cache->exit_count = exits;
	cache->step_count = steps;
	cache->site_count = sites;
	zone->used = used;
	if (*why < 0)
		*why = PF_END_FAULT;
	return NULL;
}

const struct pf_block *pf_cache_block(struct pf_cache *cache, const struct pf_modules *modules, uint64_t pc, int *why)
{
	uint32_t found = find(cache, pc);
	if (found != PF_NO_BLOCK && is_current(cache, found))
		return &cache->blocks[found];
	if (found != PF_NO_BLOCK)
		pf_cache_flush(cache); /* where one block was changed others may have been, and lead here */
	const struct pf_module *module = pf_modules_find(modules, pc);
	*why = !module ? PF_END_ANONYMOUS : module->own ? PF_END_OWN_TEXT : module->zone < 0 ? PF_END_UNHANDLED : 0;
	if (*why)
		return NULL;
	if (!has_room(cache, &cache->zones[module->zone]))
		pf_cache_flush(cache);
	struct request request = { .cache = cache, .modules = modules, .module = module, .pc = pc };
	return make(cache, &request, why);
}

static void link_direct(struct pf_zone *zone, uint32_t number, const struct pf_exit *exit, uint32_t edge,
			uint32_t index, const struct pf_block *block)
{
	uint8_t *code = zone->base + zone->used, *at = code;
	if (!exit->spilled)
		emit_spill_rcx(&at);
	emit_record(&at, edge, number, index, block);
	zone->used = (uint32_t)(at - zone->base);
	int32_t distance = (int32_t)(code - (exit->patch + 4));
	__builtin_memcpy(exit->patch, &distance, sizeof distance);
}

static void link_indirect(struct pf_cache *cache, struct pf_zone *zone, const struct pf_exit *site, uint32_t edge,
			  uint64_t target, uint32_t index, const struct pf_block *block)
{
	struct pf_run *run = cache->run;
	uint32_t number = cache->exit_count++;
	cache->exits[number] = *site;
	cache->exits[number].to = target;
	uint8_t *code = zone->base + zone->used, *at = code;
	emit_unspill_rax(&at);
	emit_record(&at, edge, number, index, block);
	zone->used = (uint32_t)(at - zone->base);
	uint64_t key = run->key + target;
	*target_of(run, key) = (struct pf_target) { -key, code };
}

void pf_cache_link(struct pf_cache *cache, uint32_t number, uint32_t edge, uint64_t target,
		   const struct pf_block *block)
{
	const struct pf_exit *exit = &cache->exits[number];
	struct pf_zone *zone = &cache->zones[exit->zone];
	uint32_t index = (uint32_t)(block - cache->blocks);
	if (zone->size - zone->used < ROOM_FOR_LINK || cache->exit_count >= PF_MAX_EXITS)
		return; /* stays unlinked; the next new block flushes */
	if (exit->patch)
		link_direct(zone, number, exit, edge, index, block);
	else
		link_indirect(cache, zone, exit, edge, target, index, block);
}
