/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent's side of the control page (wire.h): opens it, counts in it, and tells from it whether anybody still waits
 * for what is recorded. */
#ifndef PF_AGENT_CONTROL_H
#define PF_AGENT_CONTROL_H

#include "runtime/agent/wire.h"

/* Maps the control page of the recording in FOLDER.  NULL if there is none, it is not one of this version, what it says
 * cannot be, the recording has ended, or its disk is full.  Makes only the calls openat, fstat, pread64, mmap, futex
 * and close, and leaves no descriptor open.  The mapping is shared, also with forked children; processes of other users
 * may write to it, so settings are to be copied once, not read again. */
struct pf_control *pf_control_open(const char *folder);

/* Could pf_control_open be asked for FOLDER here, now?  Makes only the calls openat and close. */
bool pf_control_is_there(const char *folder);

/* Puts memory of the process's own in the place of PAGE, the control page or one of a section: what is still counted
 * there is nobody's, and needs no disk. */
void pf_control_forsake(void *page);

/* What the recorder asks for: copied from the control page once. */
struct pf_settings {
	uint32_t frequency, branches, overhead_ppm;
	uint32_t weight; /* such processes that this one stands for */
	uint32_t name;   /* the process's number as the recording has it; 0: its own */
	uint64_t seed, tsc_khz, tick_ns;
	bool whole;            /* every branch, see whole.h */
	bool memory;           /* also loads and stores */
	bool fixed;            /* a timer's waits are all the same */
	bool values;           /* what is loaded, stored and handed to functions is sighted */
	bool fsgsbase;         /* there are instructions for segment bases */
	bool xsave;            /* there are XSAVE and XRSTOR */
	bool stream;           /* bursts go into the stream: there is no room to keep such */
	uint64_t event_config; /* that bursts begin by, see counter.h */
	uint32_t event_type, event_pace;
};

/* Takes what CONTROL asks for now.  False: it cannot be; who else has the recording's file may have written it. */
bool pf_control_settings(const struct pf_control *control, struct pf_settings *settings);

/* Counts a process image whose start took CPU_NS of CPU time. */
void pf_control_started(struct pf_control *control, uint64_t cpu_ns);

/* Counts a process that is not recorded and has no section that could say so. */
void pf_control_refuse(struct pf_control *control, enum pf_refusal reason);

/* Adds CPU time that was seen and what bursts cost in it. */
void pf_control_spent(struct pf_control *control, uint64_t cpu_ns, uint64_t cost_ns);

/* What pf_control_alive remembers.  Zeroed, and private to the process; a forked child may go on with the copy. */
struct pf_pulse {
	uint64_t last_tsc, still_tsc;
	uint32_t heartbeat;
	bool known;
};

/* Does the recorder still want what is recorded?  No when it has said that the recording ended, or when its heartbeat
 * has stood still for ten seconds by TSC (the processor's time stamp, read by the caller).  Between two calls at most
 * two seconds are counted, and nothing before the first call that sees no change: a recorder and a program that were
 * stopped together are not taken for dead when they go on.  No system call. */
bool pf_control_alive(struct pf_pulse *pulse, const struct pf_control *control, uint64_t tsc);

#endif
