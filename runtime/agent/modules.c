/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code may be translated: executable segments of the files that the dynamic loader mapped.  The list is the
 * loader's own (_r_debug, as debuggers read it), together with the ELF headers in memory, so that it can be read in a
 * signal handler without a system call or a lock.  The hard case: libraries come and go without a call that could be
 * interposed (libc loads character-set converters and name services itself); so each burst compares a signature of
 * the list, and reads under the guard, since another thread may be changing it. */
#include "runtime/agent/engine.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define RSEQ_SIGNATURE 0x53053053u

struct rseq_descriptor {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

/* dlmopen's namespaces: glibc 2.35 appended this to struct r_debug, from its version 2 on. */
struct debug_extended {
	struct r_debug base;
	struct debug_extended *next;
};

static uint64_t signature(void)
{
	uint64_t sum = 0;
	const struct debug_extended *debug = (const void *)&_r_debug;
	for (int i = 0; debug && i < 64; i++) {
		const struct link_map *map = debug->base.r_map;
		for (int n = 0; map && n < PF_MAX_MODULES; n++, map = map->l_next)
			sum = (sum + map->l_addr + (uint64_t)map->l_ld + (uint64_t)map) * 0x9e3779b97f4a7c15ull;
		debug = debug->base.r_version >= 2 ? debug->next : NULL;
	}
	return sum;
}

static int changed(void *argument)
{
	const struct pf_engine *engine = argument;
	return signature() != engine->signature;
}

bool pf_agent_modules_changed(struct pf_engine *engine)
{
	return atomic_load(&engine->rescan) || pf_agent_guard(engine, changed, engine) != 0;
}

/* What is being read of one file. */
struct image {
	struct pf_engine *engine;
	const ElfW(Phdr) * headers;
	unsigned int count;
	uint64_t bias;
	const char *path;
	struct pf_wire_map wire;
	uint64_t load_lo, load_hi;
};

static void read_note(struct image *image, const uint8_t *note, uint64_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *header = (const void *)note;
		uint64_t name = (header->n_namesz + 3ull) & ~3ull,
			 whole = sizeof *header + name + ((header->n_descsz + 3ull) & ~3ull);
		if (whole > size)
			return;
		if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && header->n_descsz <= 20) {
			__builtin_memcpy(image->wire.build_id, note + sizeof *header + name, header->n_descsz);
			image->wire.build_id_size = (uint8_t)header->n_descsz;
			return;
		}
		note += whole;
		size -= whole;
	}
}

static bool is_own(uint64_t start, uint64_t end)
{
	uint64_t here = (uint64_t)&pf_agent_signal;
	return here >= start && here < end;
}

static void add_segment(struct image *image, const ElfW(Phdr) * header)
{
	struct pf_engine *engine = image->engine;
	if (engine->module_count == PF_MAX_MODULES)
		return;
	struct pf_module *module = &engine->modules[engine->module_count++];
	uint64_t lead = header->p_vaddr & 4095;
	module->start = image->bias + header->p_vaddr;
	module->end = module->start + header->p_filesz;
	module->load_lo = image->load_lo;
	module->load_hi = image->load_hi;
	module->own = is_own(module->start, module->end);
	module->zone = -1;
	image->wire.start = module->start - lead;
	image->wire.end = (module->end + 4095) & ~4095ull;
	image->wire.pgoff = header->p_offset - lead;
	module->map = pf_agent_wire_map(engine, &image->wire, image->path);
}

static void read_image(struct image *image)
{
	image->load_lo = UINT64_MAX;
	for (unsigned int i = 0; i < image->count; i++) {
		const ElfW(Phdr) *header = &image->headers[i];
		uint64_t start = image->bias + header->p_vaddr;
		if (header->p_type == PT_NOTE && !image->wire.build_id_size)
			read_note(image, (const uint8_t *)start, header->p_memsz);
		if (header->p_type != PT_LOAD)
			continue;
		image->load_lo = start < image->load_lo ? start : image->load_lo;
		image->load_hi = start + header->p_memsz > image->load_hi ? start + header->p_memsz : image->load_hi;
	}
	for (unsigned int i = 0; i < image->count; i++)
		if (image->headers[i].p_type == PT_LOAD && (image->headers[i].p_flags & PF_X) &&
		    !(image->headers[i].p_flags & PF_W))
			add_segment(image, &image->headers[i]);
}

static bool has_name(const struct link_map *map)
{
	return map->l_name && map->l_name[0];
}

/* A library: its ELF header lies at the start of its mapping. */
static void read_library(struct pf_engine *engine, uint64_t base, const char *path)
{
	const ElfW(Ehdr) *header = (const void *)base;
	if (base == 0 || *(const uint32_t *)header->e_ident != 0x464c457fu || header->e_phentsize != sizeof(ElfW(Phdr)))
		return;
	struct image image = { .engine = engine, .bias = base, .path = path };
	image.headers = (const void *)(base + header->e_phoff);
	image.count = header->e_phnum;
	read_image(&image);
}

static void read_program(struct pf_engine *engine, uint64_t bias, const char *path)
{
	struct image image = { .engine = engine, .bias = bias, .path = path };
	image.headers = (const void *)getauxval(AT_PHDR);
	image.count = (unsigned int)getauxval(AT_PHNUM);
	read_image(&image);
}

static void sort(struct pf_module *modules, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct pf_module module = modules[i];
		uint32_t place = i;
		for (; place > 0 && modules[place - 1].start > module.start; place--)
			modules[place] = modules[place - 1];
		modules[place] = module;
	}
}

static int read_all(void *argument)
{
	struct pf_engine *engine = argument;
	const char *exe = pf_agent_wire_exe();
	const struct debug_extended *debug = (const void *)&_r_debug;
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	engine->module_count = 0;
	engine->signature = signature();
	for (int i = 0; debug && i < 64; i++) {
		const struct link_map *map = debug->base.r_map;
		for (int n = 0; map && n < PF_MAX_MODULES; n++, map = map->l_next) {
			if (i == 0 && n == 0)
				read_program(engine, map->l_addr, exe);
			else if (map->l_addr == vdso)
				continue;
			else if (has_name(map))
				read_library(engine, map->l_addr, map->l_name);
		}
		debug = debug->base.r_version >= 2 ? debug->next : NULL;
	}
	if (vdso)
		read_library(engine, vdso, "[vdso]");
	sort(engine->modules, engine->module_count);
	return 0;
}

static bool covers(const struct pf_zone *zone, const struct pf_module *module)
{
	uint64_t base = (uint64_t)zone->base;
	return base + zone->size - (module->load_lo < base ? module->load_lo : base) < 0x7fff0000ull &&
	       (module->load_hi > base ? module->load_hi : base) - base < 0x7fff0000ull;
}

static void assign_zone(struct pf_engine *engine, struct pf_module *module)
{
	for (uint32_t i = 0; i < engine->zone_count && module->zone < 0; i++)
		if (covers(&engine->zones[i], module))
			module->zone = (int16_t)i;
}

void pf_agent_modules_read(struct pf_engine *engine)
{
	atomic_store(&engine->rescan, false);
	if (pf_agent_guard(engine, read_all, engine) != 0) {
		engine->module_count =
		    0; /* changing just now: nothing is translated until the next burst looks again */
		engine->signature = 0;
	}
	for (uint32_t i = 0; i < engine->module_count; i++)
		assign_zone(engine, &engine->modules[i]);
	pf_agent_cache_flush(engine);
}

/* Below the module where the heap of a program cannot grow to, else above. */
static void reserve_zone(struct pf_engine *engine, const struct pf_module *module)
{
	static const int64_t steps[] = { -0x10000000, -0x20000000, -0x40000000, -0x60000000, 0x60000000, 0x40000000,
					 0x20000000,  0x8000000,   -0x8000000,  0x2000000,   -0x2000000 };
	bool above = module->load_lo == getauxval(AT_SYSINFO_EHDR); /* the stack grows below the vdso */
	for (size_t i = 0; i < sizeof steps / sizeof *steps && engine->zone_count < PF_MAX_ZONES; i++) {
		uint64_t address = (module->load_lo + (uint64_t)(above ? -steps[i] : steps[i])) & ~0xfffffull;
		if (address - 0x10000 > 0x7fff00000000ull)
			continue;
		void *base = pf_sys_map(address, PF_ZONE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);
		if (!base)
			continue;
		if ((uint64_t)base != address) { /* a kernel older than MAP_FIXED_NOREPLACE */
			PF_SYS2(SYS_munmap, base, PF_ZONE_SIZE);
			continue;
		}
		engine->zones[engine->zone_count++] = (struct pf_zone) { base, PF_ZONE_SIZE, 0 };
		return;
	}
}

void pf_agent_modules_zones(struct pf_engine *engine)
{
	for (uint32_t i = 0; i < engine->module_count; i++) {
		struct pf_module *module = &engine->modules[i];
		assign_zone(engine, module);
		if (module->zone >= 0 || module->own)
			continue;
		reserve_zone(engine, module);
		assign_zone(engine, module);
	}
}

const struct pf_module *pf_agent_module_find(const struct pf_engine *engine, uint64_t pc)
{
	uint32_t low = 0, high = engine->module_count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (pc >= engine->modules[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == engine->module_count || pc < engine->modules[low].start)
		return NULL;
	for (uint32_t i = 0; i < engine->changed_count; i++)
		if (pc >= engine->changed[i].start && pc < engine->changed[i].end)
			return NULL;
	return &engine->modules[low];
}

/* The program is about to write to or to replace [START, END): if that is code of a file it is code of a file no more.
 * Called outside of bursts, without the engine; a race with a burst that reads the modules costs nothing but this. */
void pf_agent_modules_forget(struct pf_engine *engine, uint64_t start, uint64_t end)
{
	bool hit = false;
	for (uint32_t i = 0; i < engine->module_count; i++)
		hit |= engine->modules[i].start < end && engine->modules[i].end > start;
	if (!hit)
		return;
	pf_agent_take(engine);
	if (engine->changed_count < PF_MAX_CHANGED) {
		engine->changed[engine->changed_count].start = start;
		engine->changed[engine->changed_count++].end = end;
	} else {
		engine->changed[PF_MAX_CHANGED - 1].start = 0; /* too many: nothing can be trusted */
		engine->changed[PF_MAX_CHANGED - 1].end = UINT64_MAX;
	}
	atomic_store(&engine->rescan, true);
	pf_agent_give(engine);
}

static bool is_loaded(const struct pf_engine *engine, uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < engine->module_count; i++)
		if (address >= engine->modules[i].load_lo && address < engine->modules[i].load_hi &&
		    engine->modules[i].load_hi - address >= size)
			return true;
	return false;
}

bool pf_agent_is_rseq_descriptor(const struct pf_engine *engine, uint64_t address)
{
	const struct rseq_descriptor *descriptor = (const void *)address;
	if (address % 32 || !address || !is_loaded(engine, address, sizeof *descriptor))
		return false;
	return descriptor->version == 0 && descriptor->flags < 8 && descriptor->length - 1 < 0xffff &&
	       pf_agent_module_find(engine, descriptor->start) && pf_agent_module_find(engine, descriptor->abort - 4) &&
	       *(const uint32_t *)(descriptor->abort - 4) == RSEQ_SIGNATURE;
}
