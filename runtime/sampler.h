/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The perf_event side of the recorder, for plain clock samples and for hardware branch stacks alike: one event on every
 * CPU, inherited by all that the program starts, drained into a perf.data file. */
#ifndef PF_RUNTIME_SAMPLER_H
#define PF_RUNTIME_SAMPLER_H

#include "perfdata/perfdata.h"
#include "runtime/launch.h"
#include "runtime/ring.h"

#include <stdbool.h>

/* What the samples of both sources hold, besides the branch stack of one. */
#define PF_SAMPLER_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

struct pf_sampler_options {
	struct perf_event_attr attr; /* by pf_sampler_attr_clock or pf_lbr_choose */
	uint64_t limit;              /* bytes of samples after which it stops recording */
	uint32_t budget_ppm;         /* of CPU time that the recorder may use itself */
	bool fixed;                  /* the period stays the same while the budget lets it */
};

struct pf_sampler_counts {
	uint64_t samples, branches, bytes;
	uint64_t lost;      /* events that did not fit into the ring buffer */
	uint64_t throttled; /* times that the kernel throttled the event */
	uint64_t cost_ns;   /* CPU time of the recorder while the program ran */
	bool limited;       /* the limit was reached */
	bool slowed;        /* the rate was lowered to keep the budget */
};

/* Fills ATTR for cpu-clock at FREQUENCY Hz, user space only. */
void pf_sampler_attr_clock(struct perf_event_attr *attr, uint32_t frequency);

/* Fills in what both sources share: which records are wanted, user space only, wake-up, enabling at exec. */
void pf_sampler_attr_common(struct perf_event_attr *attr);

struct pf_sampler;

/* Opens the event on every CPU for PID: a process that was launched and is not yet released, or, with enable_on_exec
 * cleared, a thread that runs.  Errors as pf_ring_open and
 * pf_ring_map, PF_ENOMEM.  *SAMPLER is the caller's, to pf_sampler_free.  WRITER must outlive it. */
int pf_sampler_alloc(struct pf_sampler **sampler, const struct pf_sampler_options *options, pid_t pid,
		     struct pf_perf_writer *writer, struct pf_error *error);
void pf_sampler_free(struct pf_sampler *sampler);

/* The same for another thread that runs.  Threads and processes that it starts from now on are sampled, too. */
int pf_sampler_add_thread(struct pf_sampler *sampler, pid_t tid, struct pf_error *error);
/* Writes what the kernel will not tell, as it was before: a mapping, a name.  PF_ENOMEM and errors of the writer. */
int pf_sampler_add_event(struct pf_sampler *sampler, const struct pf_event *event, struct pf_error *error);

/* Begins; WAKE, a descriptor, ends a step early. */
void pf_sampler_begin(struct pf_sampler *sampler, int wake);
/* Waits a tenth of a second at most, and drains.  Errors of the ring and of WRITER, also of the end. */
int pf_sampler_step(struct pf_sampler *sampler, struct pf_error *error);
int pf_sampler_end(struct pf_sampler *sampler, struct pf_error *error);

/* All of that until the launched program has ended. */
int pf_sampler_run(struct pf_sampler *sampler, struct pf_launch *launch, struct pf_error *error);

/* Adds the build-ids of the files that were mapped.  PF_ENOMEM and errors of the writer. */
int pf_sampler_add_build_ids(struct pf_sampler *sampler, struct pf_error *error);

const struct pf_sampler_counts *pf_sampler_counts(const struct pf_sampler *sampler);

#endif
