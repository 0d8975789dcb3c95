/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One perf_event_open event with its ring buffer: opening, draining, and what the kernel's refusals mean. */
#ifndef PF_RUNTIME_RING_H
#define PF_RUNTIME_RING_H

#include "support/error.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pf_ring {
	int fd; /* -1: not open */
	int cpu;
	size_t size;       /* bytes of data in the ring, a power of two; 0 while it is not mapped */
	void *base;        /* the control page, followed by the data */
	uint64_t position; /* bytes drained */
};

/* Takes COUNT > 0 whole records of SIZE bytes in all; the memory is the kernel's again afterwards.  Returns a
 * pf_status. */
typedef int pf_ring_sink(void *context, const void *records, size_t size, struct pf_error *error);

/* Opens ATTR for PID on CPU (-1: any), without a ring.  PF_EIO, PF_ENOTFOUND (the machine has no such event, or
 * the CPU is offline), or PF_EUNSUPPORTED when its settings forbid it; the text then holds the command that would
 * change it. */
int pf_ring_open(struct pf_ring *ring, const struct perf_event_attr *attr, pid_t pid, int cpu, struct pf_error *error);

/* Maps a ring of at most SIZE bytes (a power of two, at least a page), smaller if the kernel's limit on locked memory
 * asks for it.  PF_EIO. */
int pf_ring_map(struct pf_ring *ring, size_t size, struct pf_error *error);

/* Gives everything in the ring to SINK, in place: in one piece, or in two and a copy of the one record that lies
 * across the end.  PF_EFORMAT (the kernel's records do not fit together), or what SINK returns. */
int pf_ring_drain(struct pf_ring *ring, pf_ring_sink *sink, void *context, struct pf_error *error);

/* Unmaps and closes; a ring that is not open is accepted. */
void pf_ring_close(struct pf_ring *ring);

/* The value of /proc/sys/kernel/perf_event_paranoid, or INT_MIN where there is none. */
int pf_ring_paranoid(void);

#endif
