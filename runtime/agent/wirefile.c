/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's way to its recording. */
#include "runtime/agent/engine.h"
#include "runtime/agent/section.h"

#include "perfdata/vectors.h"

#include <sys/mman.h>

static struct pf_recording recording;

static void take_settings(struct pf_engine *engine, const struct pf_control *control)
{
	engine->frequency = control->frequency;
	engine->branches = control->branches;
	engine->overhead = control->overhead_ppm;
	engine->limit = control->limit;
	engine->seed = control->seed;
}

/* Maps a section, in place of the one that a forked child has inherited.  NULL if that cannot be. */
struct pf_wire_header *pf_agent_wire_open(struct pf_engine *engine, const char *directory)
{
	static struct pf_wire_header nowhere;
	struct pf_control *control = recording.control;
	int refusal = PF_REFUSE_NONE;

	if (recording.header)
		refusal = directory ? pf_recording_fork(&recording) : PF_REFUSE_MEMORY;
	else if (directory && (control = pf_control_open(directory)) != NULL) {
		take_settings(engine, control);
		refusal = pf_recording_start(&recording, control);
		pf_control_started(control, pf_sys_clock(CLOCK_PROCESS_CPUTIME_ID));
	}
	if (refusal && control)
		pf_control_refuse(control, refusal);
	if (refusal)
		pf_recording_leave(&recording);
	engine->wire = recording.header ? recording.header : &nowhere;
	return recording.header;
}

/* The path of the executable. */
const char *pf_agent_wire_exe(void)
{
	return (const char *)recording.header + recording.layout.strings.offset;
}

uint32_t pf_agent_wire_map(struct pf_engine *engine, const struct pf_wire_map *map, const char *path)
{
	struct pf_wire_map timed = *map;

	(void)engine;
	timed.time_ns = pf_sys_clock(CLOCK_MONOTONIC);
	return pf_recording_map(&recording, &timed, path);
}

static uint32_t map_of(const struct pf_engine *engine, uint64_t pc)
{
	const struct pf_module *module = pf_agent_module_find(engine, pc);
	return module ? module->map : UINT32_MAX;
}

uint32_t pf_agent_wire_edge(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to, int kind)
{
	struct pf_wire_edge edge = { .length = (uint32_t)(from - start),
				     .from = from,
				     .to = to,
				     .from_map = map_of(engine, from),
				     .to_map = map_of(engine, to),
				     .kind = (uint32_t)kind };
	return pf_recording_edge(&recording, &edge);
}

/* Keeps the burst in the engine's buffer. */
void pf_agent_wire_burst(struct pf_engine *engine, uint64_t period, uint64_t elapsed, int reason)
{
	uint32_t count = (uint32_t)(engine->count + (int64_t)engine->branches);
	struct pf_wire_burst burst = {
		(uint32_t)engine->slot->tid, count, pf_sys_clock(CLOCK_MONOTONIC), period, elapsed, (uint32_t)reason, 0
	};
	pf_recording_burst(&recording, &burst, engine->buffer + PF_MAX_BRANCHES - engine->branches);
}
