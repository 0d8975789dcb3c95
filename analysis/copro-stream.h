/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a co-processor from a run's edges, branch by branch, and from traces of memory.  Addresses of code are
 * those of the binaries, so that they are the same in all processes and runs. */
#ifndef PF_ANALYSIS_COPRO_STREAM_H
#define PF_ANALYSIS_COPRO_STREAM_H

#include "analysis/branch-feed.h"
#include "analysis/branch-steps.h"
#include "analysis/copro-program.h"

/* Who gets the samples. */
struct pf_copro_sink {
	void *context;
	void (*sample)(void *context, const struct pf_copro_sample *sample);
	/* What comes next does not follow on what came last. */
	void (*cut)(void *context);
};

/* Of an edge: in memory it lies DISTANCE from where the binary MODULE (PF_NO_BLOCK: none) has it. */
struct pf_copro_edge {
	uint32_t module;
	uint64_t distance;
	uint64_t from; /* in memory: its last instruction */
	uint64_t to;   /* where it leads, as a sample has it; 0: in another mapping */
};

struct pf_copro_stream {
	struct pf_copro_sink sink; /* the caller's */
	struct pf_branch_steps steps;
	PF_ARRAY(struct pf_copro_edge) places; /* one an edge */
	struct pf_copro_sample waiting;        /* for its target */
	bool waits;
	uint64_t waits_for; /* the address in memory */
	uint32_t thread;
	const struct pf_vec_access *accesses; /* of the edges that come */
	uint32_t access_count;
	uint64_t strays; /* accesses that belong to no edge: an instruction that faulted */
	uint64_t unread; /* edges without a binary: what they did not take is not known */
};

/* S, zeroed but for its sink, as one who looks at edges, and with MEMORY at loads and stores. */
struct pf_branch_sink pf_copro_stream_sink(struct pf_copro_stream *s, bool memory);

/* Hands on what waits, at the end. */
void pf_copro_stream_finish(struct pf_copro_stream *s);
void pf_copro_stream_fini(struct pf_copro_stream *s);

/* Where CODE, an address of a sample, is: the binary's path ("": none is known), the address in it, and the function
 * there with the distance from its start; function NULL: not known. */
struct pf_copro_address {
	const char *path, *function;
	uint64_t address;
};
struct pf_copro_address pf_copro_stream_address(struct pf_copro_stream *s, uint64_t code);

/* Reads a trace (doc/engine.md) from the file of that PATH, "-" for standard input, and hands it on.  PF_EIO,
 * PF_EFORMAT, PF_ENOMEM. */
int pf_copro_trace_read(const char *path, const struct pf_copro_sink *sink, struct pf_error *error);

/* The same of the SIZE bytes of TEXT. */
int pf_copro_trace_parse(const char *name, const char *text, size_t size, const struct pf_copro_sink *sink,
			 struct pf_error *error);

#endif
