/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the streams of a whole run (runtime/agent/stream.h) as the program fills them, and hands them on.  As in
 * harvest.h nothing in the file is trusted: a stream that cannot be is read no further. */
#ifndef PF_RUNTIME_DRAIN_H
#define PF_RUNTIME_DRAIN_H

#include "perfdata/vectors.h"
#include "runtime/agent/wire.h"
#include "support/error.h"

#include <stdbool.h>

/* Who gets what is read.  PROCESS is the number of a section of the file; edges are numbered from 0 in each.  Each
 * returns false when it is out of memory. */
struct pf_drain_sink {
	void *context;
	/* The next edge of PROCESS; FROM is its mapping, NULL: none is known. */
	bool (*edge)(void *context, uint32_t process, const struct pf_vec_edge *edge, const struct pf_vec_map *from);
	/* The accesses of the burst that comes next, in their order; only of a run that notes them.  May be NULL. */
	bool (*accesses)(void *context, uint32_t process, const struct pf_vec_access *accesses, uint32_t count);
	/* A burst; burst->edges are edges of PROCESS that were handed on. */
	bool (*burst)(void *context, uint32_t process, const struct pf_vec_burst *burst);
	/* PROCESS has ended.  May be NULL. */
	void (*end)(void *context, uint32_t process);
};

struct pf_drain_section;

struct pf_drain {
	int fd;
	struct pf_drain_sink sink;
	struct pf_wire_layout layout;
	struct pf_drain_section **sections;
	uint32_t section_count;
	uint8_t *buffer;  /* as large as a ring */
	uint32_t damaged; /* sections */
};

/* For the file behind FD, which is not closed.  Errors of pf_keeper_read, with NAME in the text; PF_ENOMEM.  DRAIN is
 * the caller's, to pf_drain_fini, in any case. */
int pf_drain_init(struct pf_drain *drain, int fd, const char *name, const struct pf_drain_sink *sink,
		  struct pf_error *error);
void pf_drain_fini(struct pf_drain *drain);

/* Hands on what there is; *MOVED is false if there was nothing.  PF_ENOMEM. */
int pf_drain_poll(struct pf_drain *drain, bool *moved, struct pf_error *error);

#endif
