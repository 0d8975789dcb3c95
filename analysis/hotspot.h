/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hot spots of a stream of executed branches, found as the hardware of Merten, Trick, George, Gyllenhaal and Hwu would
 * find them ("A Hardware-Driven Profiling Scheme for Identifying Program Hot Spots", ISCA 1999): the Hot Spot Detector
 * (branch-buffer.h and a counter), the Monitor Table (monitor-table.h and a counter for each process), the timers, and
 * the process that has the detector.  It sees branches and nothing else: no files, no symbols, no time but theirs. */
#ifndef PF_ANALYSIS_HOTSPOT_H
#define PF_ANALYSIS_HOTSPOT_H

#include "analysis/branch-buffer.h"
#include "analysis/monitor-table.h"
#include "support/error.h"

#define PF_NO_HOTSPOT UINT32_MAX
#define PF_NO_PROCESS UINT32_MAX

/* Table 2 of the paper, and the switches of its section 2.5. */
struct pf_hotspot_parameters {
	uint32_t entries, ways;              /* of the Branch Behaviour Buffer; sets are a power of two */
	uint32_t counter_bits;               /* of executions and of those taken; at most 31 */
	uint32_t threshold;                  /* executions that make a candidate */
	uint32_t refresh, clear;             /* intervals, in branches */
	uint32_t hdc_bits, hdc_up, hdc_down; /* Hot Spot Detection Counter */
	uint32_t monitor_bits, monitor_up, monitor_down;
	uint32_t monitor_entries; /* branches in the Monitor Table; 0: as many as there are */
	bool conditional;         /* only conditional and indirect branches are looked at */
	bool direction;           /* a branch taken and the same not taken are two */
	uint32_t arcs;            /* entries of the table of targets of indirect branches; 0: none */
	uint32_t range_gap;       /* bytes: branches of a hot spot no further apart are one range; 0: no ranges */
};

/* Table 2, everything else off. */
extern const struct pf_hotspot_parameters pf_hotspot_defaults;

struct pf_hotspot_branch {
	uint64_t address, target; /* target: where it went */
	uint32_t process;         /* a number from 0, dense */
	uint32_t tag;             /* comes back in the entries and members */
	uint8_t kind;             /* enum pf_edge_kind */
	bool taken;
};

struct pf_hotspot {
	uint32_t process;
	uint64_t found;                  /* after so many branches of the stream */
	uint64_t last;                   /* branch of the stream at which it was last entered */
	struct pf_branch_entry *entries; /* the candidates as they were then, by address; key is the address */
	uint32_t entry_count;
	struct pf_branch_entry *arcs; /* of those that are indirect; key is the branch's address */
	uint32_t arc_count;
	bool evicted; /* from the Monitor Table, for want of room */
};

enum pf_hotspot_mode { PF_HOTSPOT_MONITOR, PF_HOTSPOT_WAITING, PF_HOTSPOT_PROFILING };

struct pf_hotspot_process {
	uint32_t counter; /* Monitor Counter */
	enum pf_hotspot_mode mode;
	uint64_t since; /* it waits: for its turn among others */
};

/* What one branch was. */
struct pf_hotspot_hit {
	bool ignored;     /* by conditional */
	uint32_t hotspot; /* PF_NO_HOTSPOT: of none that is known */
	uint32_t member;  /* of the Monitor Table; PF_NO_MEMBER: by a range, or none */
};

struct pf_hotspots {
	struct pf_hotspot_parameters parameters;
	struct pf_branch_buffer buffer, arcs;
	struct pf_monitor_table monitor;
	PF_ARRAY(struct pf_hotspot) spots;
	PF_ARRAY(uint32_t) live; /* numbers of those that were not evicted */
	PF_ARRAY(struct pf_hotspot_process) processes;
	uint32_t owner;               /* process that is profiled; PF_NO_PROCESS: none */
	uint64_t ran;                 /* branch at which it last ran */
	uint32_t hdc, refresh, clear; /* counters */
	uint64_t branches, profiled;  /* seen; of them those that went to the buffer */
	uint64_t left_out, refreshes, clears;
	bool failed; /* out of memory: nothing is fed any more */
};

/* PF_EINVAL: a parameter that cannot be, with its cure; PF_ENOMEM.  D is the caller's, to pf_hotspots_fini, in any
 * case. */
int pf_hotspots_init(struct pf_hotspots *d, const struct pf_hotspot_parameters *parameters, struct pf_error *error);
void pf_hotspots_fini(struct pf_hotspots *d);

/* The next branch of the stream.  Which hot spot it belongs to: of several, the one that was entered last. */
struct pf_hotspot_hit pf_hotspots_feed(struct pf_hotspots *d, const struct pf_hotspot_branch *branch);

/* PROCESS has ended: another may have the detector. */
void pf_hotspots_end_process(struct pf_hotspots *d, uint32_t process);

#endif
