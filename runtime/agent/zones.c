/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where translated code lies: within 2 GB of the code that it stands for, and where it is in nobody's way.  A program's
 * heap grows upwards from behind the program, the stack and later mappings downwards; so a zone is put below its
 * module, and for a program at a fixed address, below which there is hardly anything, into the little that there is.
 * The hard case is a module that comes late, behind a large mapping: its zone is made when it is first seen. */
#include "runtime/agent/cache.h"
#include "runtime/agent/next.h"
#include "runtime/agent/sys.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#define ZONE_SIZE (8u << 20)
#define LOW_ZONE 0x20000u /* above the least address that a kernel gives to a program */
#define LEAST_LOW_ZONE (1u << 20)
#define REACH 0x7fff0000ull
#define LOWEST 0x10000u
#define HIGHEST 0x7ffffffff000ull /* without randomisation libraries lie right below it, the stack between */

static bool covers(const struct pf_zone *zone, const struct pf_module *module)
{
	uint64_t base = (uint64_t)zone->base;
	return base + zone->size - (module->load_lo < base ? module->load_lo : base) < REACH &&
	       (module->load_hi > base ? module->load_hi : base) - base < REACH;
}

static void assign(const struct pf_cache *cache, struct pf_module *module)
{
	for (uint32_t i = 0; i < cache->zone_count && module->zone < 0; i++)
		if (covers(&cache->zones[i], module))
			module->zone = (int16_t)i;
}

/* A forked child must not have them: it may be one that knows nothing of the recorder. */
static bool take(struct pf_cache *cache, uint64_t address, uint32_t size)
{
	void *base = pf_sys_map(address, size, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);
	if (!base)
		return false;
	if ((uint64_t)base != address || !pf_sys_seclude(base, size)) {
		PF_SYS2(SYS_munmap, base, size); /* a kernel older than MAP_FIXED_NOREPLACE */
		return false;
	}
	cache->zones[cache->zone_count++] = (struct pf_zone) { base, size, 0 };
	return true;
}

static bool take_below(struct pf_cache *cache, const struct pf_module *module)
{
	uint64_t room = module->load_lo > LOW_ZONE ? (module->load_lo & ~4095ull) - LOW_ZONE : 0;
	if (room >= ZONE_SIZE || room < LEAST_LOW_ZONE)
		return false;
	return take(cache, LOW_ZONE, (uint32_t)room);
}

static void reserve(struct pf_cache *cache, const struct pf_module *module)
{
	static const int64_t steps[] = { -0x10000000, -0x20000000, -0x40000000, -0x60000000, 0x70000000, 0x60000000,
					 0x40000000,  0x20000000,  0x8000000,   -0x8000000,  0x2000000,  -0x2000000 };
	bool above = module->load_lo == pf_next_auxiliary(AT_SYSINFO_EHDR); /* the stack grows below the vdso */
	if (take_below(cache, module))
		return;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		uint64_t address = (module->load_lo + (uint64_t)(above ? -steps[i] : steps[i])) & ~0xfffffull;
		if (address >= LOWEST && address < HIGHEST - ZONE_SIZE && take(cache, address, ZONE_SIZE))
			return;
	}
}

void pf_cache_zones(struct pf_cache *cache, struct pf_modules *modules)
{
	for (uint32_t i = 0; i < modules->count; i++) {
		struct pf_module *module = &modules->list[i];
		assign(cache, module);
		if (module->zone >= 0 || module->own || cache->quiet || cache->zone_count == PF_MAX_ZONES)
			continue;
		reserve(cache, module);
		assign(cache, module);
	}
}

void pf_cache_fini(struct pf_cache *cache)
{
	for (uint32_t i = 0; i < cache->zone_count; i++)
		PF_SYS2(SYS_munmap, cache->zones[i].base, cache->zones[i].size);
	cache->zone_count = 0;
}
