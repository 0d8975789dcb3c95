/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers the files that the agent left behind (runtime/agent/wire.h), one for each process image, into one set of
 * branch vectors.  The files lie in a folder that the recorded program could write to, so nothing in them is
 * trusted. */
#ifndef PF_RUNTIME_HARVEST_H
#define PF_RUNTIME_HARVEST_H

#include "perfdata/vectors.h"
#include "runtime/agent/wire.h"
#include "support/error.h"

#include <stdbool.h>

/* Larger regions than this are refused: no recorder writes them, and a sparse file can claim any size. */
#define PF_HARVEST_MAX_REGION (8ull << 30)

/* What one process image says beyond its vectors. */
struct pf_harvest_image {
	uint32_t sequence;         /* 0, and one more for each exec */
	uint32_t state;            /* as in pf_wire_header */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; the end is the last moment it left a trace of */
};

/* Zeroed is empty and ready.  VECTORS is a view: everything in it lives until pf_harvest_fini (do not give it to
 * pf_vectors_free). */
struct pf_harvest {
	struct pf_vectors vectors;
	struct pf_harvest_image *images; /* one for each vectors.processes */
	uint32_t unborn;                 /* files of processes that died before they recorded */
	uint64_t branches;               /* recorded, over all images */
	uint64_t aggregated_bursts;      /* kept as edge counts only, since the size limit was reached */
	uint64_t lost_branches;
	uint64_t skipped_bursts;
	uint64_t ends[PF_END_COUNT];
	uint64_t refusals[PF_REFUSE_COUNT]; /* threads, by reason */
	uint32_t process_room, map_room, edge_room;
	uint64_t burst_room, count_room, block_room, block_count;
	void **blocks; /* memory that the view points into */
};

/* Releases everything and makes HARVEST empty again. */
void pf_harvest_fini(struct pf_harvest *harvest);

/* Adds the file behind FD (not closed), which messages call NAME.  It may still be written to by a living process:
 * what is complete at the time of the call is taken.  PF_EIO, PF_EFORMAT, PF_ETRUNCATED, PF_EVERSION, PF_ELIMIT
 * (counts beyond 32 bits, a region above PF_HARVEST_MAX_REGION), PF_ENOMEM; HARVEST is then good for pf_harvest_fini
 * only. */
int pf_harvest_add(struct pf_harvest *harvest, int fd, const char *name, struct pf_error *error);

/* Called before each file of a folder: DONE of TOTAL are in. */
typedef void pf_harvest_progress(void *context, size_t done, size_t total);

/* Adds every PF_WIRE_SUFFIX file of FOLDER, in the order of process id and sequence.  PROGRESS may be NULL.  Errors
 * as pf_harvest_add. */
int pf_harvest_folder(struct pf_harvest *harvest, const char *folder, pf_harvest_progress *progress, void *context,
		      struct pf_error *error);

#endif
