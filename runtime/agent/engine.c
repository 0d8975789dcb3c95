/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and unmakes what bursts need.  The hard case is a child of a fork: it has none of this memory (it would be the
 * parent's code cache, in the middle of a change perhaps), so for the child this is the beginning, too. */
#include "runtime/agent/engine.h"
#include "runtime/agent/next.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>

struct pf_settings pf_settings;

/* A child keeps it, as it may be in a root folder without /proc. */
_Alignas(4096) char pf_engine_exe[4096];

/* What the program was executed as, which may be relative: what a root folder without /proc leaves of its name, if it
 * has gone there before its first burst.  The kernel looks first whether it is still there. */
static long find_name(void)
{
	const char *name = (const char *)pf_next_auxiliary(AT_EXECFN);
	size_t length = name && PF_SYS3(SYS_faccessat, AT_FDCWD, name, 0) != -EFAULT ? __builtin_strlen(name) : 0;
	if (length >= sizeof pf_engine_exe)
		return 0;
	__builtin_memcpy(pf_engine_exe, name, length);
	return (long)length;
}

/* The kernel takes the loader for the program where that is named on the command line, as launchers of bundles do
 * (`ld.so ./app`).  There is no loader that it has loaded besides then; the program's headers are in its own file. */
static bool find_bundled(void)
{
	return !pf_next_auxiliary(AT_BASE) &&
	       pf_modules_file(pf_next_auxiliary(AT_PHDR), pf_engine_exe, sizeof pf_engine_exe);
}

static void find_exe(void)
{
	if (pf_engine_exe[0] || find_bundled())
		return;
	long length = PF_SYS3(SYS_readlink, "/proc/self/exe", pf_engine_exe, sizeof pf_engine_exe - 1);
	pf_engine_exe[length > 0 ? length : find_name()] = 0;
}

static uint32_t note_map(void *context, const struct pf_wire_map *map, const char *path)
{
	struct pf_engine *engine = context;
	struct pf_wire_map timed = *map;
	timed.time_ns = engine->start_ns + pf_ns_of(pf_tsc() - engine->start_tsc);
	return pf_recording_map(&engine->recording, &timed, path);
}

void pf_engine_look(struct pf_engine *engine)
{
	if (!pf_modules_changed(&engine->modules, &engine->run))
		return;
	pf_modules_read(&engine->modules, &engine->run, pf_engine_exe, note_map, engine);
	pf_cache_flush(&engine->cache);
	pf_cache_zones(&engine->cache, &engine->modules);
}

static struct pf_engine *allocate(void)
{
	size_t own = (sizeof(struct pf_engine) + 4095) & ~(size_t)4095, size = own + pf_cache_tables_size();
	struct pf_engine *engine =
	    pf_sys_map(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!engine)
		return NULL;
	if (!pf_sys_seclude(engine, size)) {
		PF_SYS2(SYS_munmap, engine, size);
		return NULL;
	}
	engine->size = size;
	engine->least_ticks = UINT64_MAX;
	pf_cache_init(&engine->cache, &engine->run, (uint8_t *)engine + own);
	engine->cache.memory = pf_settings.memory;
	engine->cache.values = pf_settings.values;
	engine->cache.whole = pf_settings.whole;
	return engine;
}

enum pf_refusal pf_engine_make(struct pf_engine **made)
{
	enum pf_refusal refusal = pf_policy_setup();
	if (refusal != PF_REFUSE_NONE)
		return refusal;
	struct pf_engine *engine = allocate();
	if (!engine)
		return PF_REFUSE_MEMORY;
	find_exe();
	refusal =
	    (enum pf_refusal)pf_recording_start(&engine->recording, pf_control, pf_engine_exe, pf_settings.weight);
	if (refusal != PF_REFUSE_NONE) {
		PF_SYS2(SYS_munmap, engine, engine->size);
		return refusal;
	}
	if (pf_settings.name)
		engine->recording.header->pid = pf_settings.name;
	engine->start_tsc = pf_tsc();
	engine->start_ns = pf_sys_clock(CLOCK_MONOTONIC);
	*made = engine;
	return PF_REFUSE_NONE;
}

void pf_engine_leave(struct pf_engine *engine)
{
	pf_cache_fini(&engine->cache);
	pf_recording_leave(&engine->recording);
	PF_SYS2(SYS_munmap, engine, engine->size);
}
