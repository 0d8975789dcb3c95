/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one process records: its section of the session's file (wire.h), mapped, and the private memory that finds edges
 * in it again.  One caller at a time.  Nothing but pf_recording_start and _leave makes a system call; all others
 * only store to memory, and may meet SIGBUS there when the disk is full: they are called under a guard. */
#ifndef PF_AGENT_SECTION_H
#define PF_AGENT_SECTION_H

#include "runtime/agent/control.h"
#include "runtime/agent/reservoir.h"

#define PF_NO_EDGE UINT32_MAX
#define PF_NO_MAP UINT32_MAX

/* Zeroed: not recording. */
struct pf_recording {
	struct pf_wire_header
	    *header; /* the section; NULL: not recording.  Its statistics are the caller's to raise. */
	struct pf_control *control;
	struct pf_wire_layout layout;
	uint32_t *edge_hash; /* edge + 1; 0: empty */
	uint32_t hash_size;  /* entries: a power of two that grows with its content, as a sparse one is a page fault an
				edge */
	uint32_t *site_hash; /* site + 1; 0: empty */
	uint32_t site_hash_size, sites_used;
	uint64_t moments; /* bursts whose sightings were kept */
	uint64_t strings_used;
	uint32_t maps_used, edges_used;
	struct pf_reservoir reservoir;
};

/* Takes a section for this process and writes its header: process id, name, the path of its executable (EXE), the time.
 * A forked child has nothing of its parent's, and starts as any process.  R is zeroed, CONTROL open as long as R is
 * used; the process stands for WEIGHT such.  Returns PF_REFUSE_NONE; PF_REFUSE_FULL (no section is left) or
 * PF_REFUSE_MEMORY (no memory can be mapped, or the disk is full): R is as before, and the refusal is not counted. */
int pf_recording_start(struct pf_recording *r, struct pf_control *control, const char *exe, uint32_t weight);

/* Unmaps all but the control page and zeroes R. */
void pf_recording_leave(struct pf_recording *r);

/* The index of a mapping, given to it at its first appearance; map->path is set from PATH.  map->time_ns is the
 * caller's, and does not tell mappings apart.  PF_NO_MAP if there is no room. */
uint32_t pf_recording_map(struct pf_recording *r, const struct pf_wire_map *map, const char *path);

/* The id of an edge, given to it at its first appearance; PF_NO_EDGE, counted in header->lost_branches, if the table is
 * full or R does not record. */
uint32_t pf_recording_edge(struct pf_recording *r, const struct pf_wire_edge *edge);

/* Where the branch of an edge is, as the shared memory has it; 0: no such edge. */
uint64_t pf_recording_from(const struct pf_recording *r, uint32_t edge);

/* The table of sites, in shared memory. */
struct pf_wire_site *pf_recording_sites(struct pf_recording *r);

/* Keeps a burst with its burst->edge_count IDS, which pf_recording_edge gave, and counts it in header->bursts,
 * branches_recorded and ends.  One without edges is only counted, by how it ended. */
void pf_recording_burst(struct pf_recording *r, const struct pf_wire_burst *burst, const uint32_t *ids);

#endif
