/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's side of the session's file (runtime/agent/wire.h): makes it, keeps its heartbeat, ends it.  It is
 * never mapped here, only read and written by its descriptor: a recorded program could cut the file short, which makes
 * of every access to mapped memory behind the new end a SIGBUS. */
#ifndef PF_RUNTIME_KEEPER_H
#define PF_RUNTIME_KEEPER_H

#include "runtime/agent/wire.h"
#include "runtime/trigger.h"
#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>

struct pf_keeper_settings {
	uint32_t frequency;    /* bursts a second of thread CPU time */
	uint32_t branches;     /* a burst */
	uint32_t budget_ppm;   /* of CPU time */
	uint32_t recorder_pid; /* 0: there will be no heartbeat */
	uint64_t limit;        /* bytes of vectors a process */
	uint64_t seed;
	struct pf_trigger trigger; /* zeroed: the CPU timer */
	bool whole;                /* every branch, through the stream */
	bool memory;               /* loads and stores, too, through the stream */
	bool fixed;                /* the timer's waits are all the same */
	bool values;               /* what is loaded, stored and handed to functions is sighted, too */
	bool for_all;              /* processes of other users may record too */
};

/* Bytes of the file system that one process can take at most. */
uint64_t pf_keeper_room(uint32_t branches, uint64_t limit, bool values);

/* Makes the file in FOLDER, where there is none yet, and returns its descriptor (close-on-exec, the caller's to close).
 * Takes some 20 ms: it measures the processor's time stamp.  PF_EIO: the file system cannot hold it, or cannot map it;
 * the folder is named. */
int pf_keeper_make(const char *folder, const struct pf_keeper_settings *settings, struct pf_error *error);

/* Tells the agents that the recorder is there; to be called every second or so. */
void pf_keeper_beat(int fd);

/* Tells the agents that nobody wants any more. */
void pf_keeper_end(int fd);

/* Reads the control page.  NAME is for messages.  PF_EIO, PF_EFORMAT (not such a file, or damaged), PF_EVERSION. */
int pf_keeper_read(int fd, const char *name, struct pf_control *control, struct pf_error *error);

#endif
