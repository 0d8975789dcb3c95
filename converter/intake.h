/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a recording to traffic: compact vectors, ordinary branch stacks or plain samples, whichever a file has. */
#ifndef PF_CONVERTER_INTAKE_H
#define PF_CONVERTER_INTAKE_H

#include "converter/tap.h"
#include "converter/traffic.h"
#include "profile/model.h"
#include "support/error.h"

/* What a branch of a burst counts for (doc/counts.md says which is the default, and why). */
enum pf_weighting {
	PF_WEIGHT_RATE = 0, /* the branches that it stands for: its period over the time that a branch takes there */
	PF_WEIGHT_PERIOD,   /* the CPU time that the burst stands for, in nominal periods */
	PF_WEIGHT_NONE,     /* one */
};

struct pf_intake_options {
	enum pf_weighting weighting;
	uint32_t warm_up; /* branches to leave out at the start of a burst */
	size_t others;    /* recordings that are added to this one */
	bool bare;        /* keep branches of stacks without the code in front where that is not known (start is from
			   * then, and from_module PF_NO_MODULE if that is not known either) */
	const struct pf_listener *listener; /* is handed the vectors; NULL: nobody */
};

/* What a file was, for provenance; strings are owned. */
struct pf_recording {
	enum pf_source_kind kind;
	char *event, *exe;
	char *others;               /* samples of other events, which are left out; NULL or "" none */
	uint8_t rank;               /* enum pf_event_rank, in a file with plain samples */
	PF_ARRAY(uint32_t) modules; /* in which it has samples */
	uint64_t period, samples, lost, first_ns, last_ns;
};

/* Notes the modules that T saw since pf_traffic_begin.  PF_ENOMEM. */
int pf_recording_end(struct pf_recording *r, const struct pf_traffic *t);
void pf_recording_fini(struct pf_recording *r);

/* Adds what the perf.data file PATH says to T and describes it in *RECORDING (the caller's, to pf_recording_fini,
 * also after an error).  Errors of pf_perf_open, pf_perf_next, pf_events_choose and the listener (which has no
 * sentence: the text says out of memory); PF_EEMPTY if it has no samples; PF_ENOMEM. After the last file comes
 * pf_traffic_settle. */
int pf_intake_file(struct pf_traffic *t, const char *path, const struct pf_intake_options *options,
		   struct pf_recording *recording, struct pf_error *error);

/* Adds vectors.  PF_ENOMEM. */
int pf_intake_vectors(struct pf_traffic *t, const struct pf_vectors *vectors, const struct pf_intake_options *options,
		      struct pf_recording *recording, struct pf_error *error);

#endif
