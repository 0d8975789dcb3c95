/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agent inside the target and `pathfdo record` outside share: one memory-mapped, sparse file for each
 * process image (pid and a sequence number for each exec), in the directory named by PATHFDO_DIR.  The agent only
 * stores to memory, so the file is whole at any moment, also after SIGKILL: a counter is raised after what it counts
 * is written (release order).  Host byte order; never leaves the machine.
 *
 * Environment, set by `pathfdo record`:
 *   PATHFDO_DIR       directory for the files
 *   PATHFDO_HZ        bursts a second of thread CPU time (default 100)
 *   PATHFDO_BRANCHES  branches a burst (default 1024)
 *   PATHFDO_OVERHEAD  budget in parts per million of CPU time (default 10000 = 1%)
 *   PATHFDO_LIMIT     bytes of vectors a process image before it aggregates (default 64 MiB)
 *   PATHFDO_SEED      seed of the period randomisation (default from the pid); a number makes runs repeatable */
#ifndef PF_RUNTIME_AGENT_WIRE_H
#define PF_RUNTIME_AGENT_WIRE_H

#include "perfdata/vectors.h" /* enum pf_burst_end */

#include <stdint.h>

#define PF_WIRE_MAGIC 0x31455249574f4446ull /* "FDOWIRE1" */
#define PF_WIRE_VERSION 1u
#define PF_WIRE_SUFFIX ".pfwire" /* PATHFDO_DIR/<pid>.<sequence>.pfwire */

/* Why a process or thread was not recorded. */
enum pf_refusal {
	PF_REFUSE_NONE = 0,
	PF_REFUSE_GS_USED,
	PF_REFUSE_SHADOW_STACK,
	PF_REFUSE_TIMER,
	PF_REFUSE_SIGNAL,
	PF_REFUSE_MEMORY,
	PF_REFUSE_NO_FSGSBASE,
	PF_REFUSE_COUNT
};

struct pf_wire_region {
	uint64_t offset;   /* in the file */
	uint64_t capacity; /* in elements (bytes for strings and vectors) */
	_Alignas(8) uint64_t used;
};

struct pf_wire_map {
	uint64_t start, end, pgoff, time_ns;
	uint64_t path; /* offset in the strings region */
	uint8_t build_id[20];
	uint8_t build_id_size;
	uint8_t pad[3];
};

struct pf_wire_edge {
	uint64_t start, from, to;
	uint32_t from_map, to_map; /* UINT32_MAX none */
	uint32_t kind;             /* enum pf_edge_kind of perfdata/vectors.h */
	uint32_t pad;
};

/* Header of a burst in the vectors region, followed by edge_count ids, padded to 8 bytes. */
struct pf_wire_burst {
	uint32_t tid, edge_count;
	uint64_t time_ns, period_ns, elapsed_ns;
	uint32_t end_reason, pad;
};

struct pf_wire_header {
	uint64_t magic;
	uint32_t version, header_size;
	uint32_t pid, ppid, sequence, frequency, branches, overhead_ppm;
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint64_t file_size;
	char comm[16];
	uint64_t exe;                                                /* offset in the strings region */
	struct pf_wire_region strings, maps, edges, vectors, counts; /* counts: uint64_t for each edge id */
	/* Statistics, all cumulative. */
	uint64_t cpu_ns, cost_ns, bursts, branches_recorded, bursts_skipped, blocks_translated, translate_ns;
	uint64_t aggregated_bursts; /* counted in `counts` only, since the vectors region was full */
	uint64_t lost_branches;     /* could not be recorded at all (edge table full) */
	uint64_t ends[PF_END_COUNT];
	uint64_t refusals[PF_REFUSE_COUNT]; /* threads */
	uint32_t state;                     /* 0 starting, 1 recording, 2 exited, 3 replaced by exec */
};

#endif
