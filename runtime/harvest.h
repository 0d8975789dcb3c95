/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers what the agents left in a session's file (runtime/agent/wire.h), a section for each process, into one set of
 * branch vectors.  Every recorded program could write to the file, so nothing in it is trusted: a damaged section costs
 * itself only, and of it only what is not consistent. */
#ifndef PF_RUNTIME_HARVEST_H
#define PF_RUNTIME_HARVEST_H

#include "perfdata/vectors.h"
#include "runtime/agent/wire.h"
#include "support/error.h"

#include <stdbool.h>

#define PF_HARVEST_DAMAGES 3

/* What one process image says beyond its vectors. */
struct pf_harvest_image {
	uint32_t state;             /* enum pf_wire_state */
	uint64_t start_ns, end_ns;  /* CLOCK_MONOTONIC; the end is the last moment it left a trace of */
	uint64_t section;           /* of the session's file */
	uint32_t first_edge, edges; /* of the vectors'; as many as the section has, but where it is damaged */
	uint64_t unseen, steps;     /* of a whole run, see runtime/agent/wire.h */
};

/* Zeroed is empty and ready.  VECTORS is a view: everything in it lives until pf_harvest_fini (do not give it to
 * pf_vectors_free). */
struct pf_harvest {
	struct pf_vectors vectors;
	struct pf_harvest_image *images; /* one for each vectors.processes: by process id, then by their start */
	const char *only;                /* a program, by name or path: bursts of others are left out; NULL: of all */
	uint64_t other_bursts;           /* so many */
	struct pf_control control;       /* as it was read */
	uint32_t unborn;                 /* processes that died before they recorded */
	uint64_t bursts, branches;       /* recorded, over all images; VECTORS is a sample of them */
	uint64_t counted;                /* bursts that the recording's event began, and no timer */
	uint64_t lost_bursts;            /* had no place */
	uint64_t lost_branches;
	uint64_t skipped_bursts;
	uint64_t vector_cpu_ns; /* CPU time of the images that have vectors */
	uint64_t left;          /* processes that the agent left because the recorder was gone */
	uint64_t ends[PF_END_COUNT];
	uint64_t refusals[PF_REFUSE_COUNT];    /* threads, and processes that have no section, by reason */
	uint32_t damaged;                      /* sections that were damaged in part or as a whole */
	char damages[PF_HARVEST_DAMAGES][160]; /* what was wrong with the first of them */
	size_t process_room, image_room, map_room, edge_room, timing_room, burst_room, block_room, value_room;
	uint64_t block_count;
	void **blocks; /* memory that the view points into */
};

/* Releases everything and makes HARVEST empty again. */
void pf_harvest_fini(struct pf_harvest *harvest);

/* Adds section NUMBER of the file behind FD, of which harvest->control says how it is laid out.  Its process may still
 * be writing to it: what is complete at the time of the call is taken.  Damages are noted, and no error.  PF_ELIMIT
 * (counts beyond 32 bits) and PF_ENOMEM, with NAME in the text; HARVEST is then good for pf_harvest_fini only. */
int pf_harvest_section(struct pf_harvest *harvest, int fd, const char *name, uint64_t number, struct pf_error *error);

/* Called before each section: DONE of TOTAL are in. */
typedef void pf_harvest_progress(void *context, size_t done, size_t total);

/* Fills the HARVEST, empty but for ONLY, with all sections of the file behind FD (not closed), which messages call
 * NAME.  PROGRESS may be NULL.  Errors of pf_keeper_read, if it is not such a file at all, and of
 * pf_harvest_section. */
int pf_harvest_file(struct pf_harvest *harvest, int fd, const char *name, pf_harvest_progress *progress, void *context,
		    struct pf_error *error);

/* As pf_harvest_file, for the file of the recorder in FOLDER.  PF_ENOTFOUND: there is none; PF_EIO: it cannot be read,
 * or is no plain file. */
int pf_harvest_folder(struct pf_harvest *harvest, const char *folder, pf_harvest_progress *progress, void *context,
		      struct pf_error *error);

#endif
