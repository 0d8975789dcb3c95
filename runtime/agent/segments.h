/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bases of the calling thread's FS and GS segments: translated code reaches what a burst runs on through GS, and FS
 * tells whose thread-local variables can be used. */
#ifndef PF_AGENT_SEGMENTS_H
#define PF_AGENT_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before the others.  INSTRUCTIONS: processor and kernel have those of FSGSBASE.  Else the kernel is asked each
 * time; false if it does not answer. */
bool pf_segments_start(bool instructions);

/* Is there an answer without a system call? */
bool pf_segments_are_free(void);

uint64_t pf_segments_fs(void);
uint64_t pf_segments_gs(void);
void pf_segments_set_gs(uint64_t base);

#endif
