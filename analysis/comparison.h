/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured comparisons as the JSON holds them, checked: every number is finite and of a size that a measurement can
 * have.  Strings belong to the JSON, which must outlive this. */
#ifndef PF_ANALYSIS_COMPARISON_H
#define PF_ANALYSIS_COMPARISON_H

#include "analysis/counters.h"
#include "support/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define PF_COMPARISON_PROGRAMS 100  /* the most */
#define PF_COMPARISON_REFERENCES 16 /* ...of a program */
#define PF_COMPARISON_NAME 100      /* ...bytes of its name */

/* Runs in all, of all programs; that many take a report half a minute. */
#define PF_COMPARISON_RUNS 1000000

enum pf_variant {
	PF_VARIANT_BASE,
	PF_VARIANT_FLAGS,
	PF_VARIANT_O3,
	PF_VARIANT_INSTR,
	PF_VARIANT_CLOCK,
	PF_VARIANT_SOFT,
	PF_VARIANT_O3_SOFT,
	PF_VARIANT_LBR,
	PF_VARIANT_AFDO,
	PF_VARIANTS
};

extern const char *const pf_variant_names[PF_VARIANTS];

#define PF_VARIANT_LIST "base, flags, O3, instr, clock, soft, O3+soft, lbr, afdo" /* for messages */
#define PF_COMPARED_RECORDINGS 9                                                  /* the most of one variant */

/* Runs of two, the i-th of both in the same round. */
struct pf_compared_pairs {
	double *own;  /* of the variant; owned */
	double *base; /* owned */
	size_t count; /* 0 when it was not measured */
};

/* One reference workload of a variant. */
struct pf_compared_reference {
	const char *command; /* "" when not said */
	struct pf_compared_pairs seconds;
	struct pf_compared_pairs counted[PF_COUNTERS]; /* by the processor, of the same runs */
	double instructions;                           /* by callgrind; -1 when not counted */
};

/* A variant that was made several times, each from a recording of its own: one of them. */
struct pf_compared_recording {
	double text_bytes;
	struct pf_compared_reference *references; /* owned; as many as the variant has, without a command */
	size_t reference_count;
};

/* What is not known is -1. */
struct pf_compared_variant {
	bool present;
	const char *error; /* NULL if sound; otherwise nothing of what follows is there */
	double build_seconds, text_bytes, hot_bytes;
	struct pf_compared_reference *references; /* owned; as many for each sound variant of a program */
	size_t reference_count;
	struct pf_compared_recording recordings[PF_COMPARED_RECORDINGS]; /* of which the references are the means */
	size_t recording_count;                                          /* 0 if there was one, or none */
	struct pf_compared_pairs collecting; /* user + system seconds of the training run, against the plain one */
	double convert_seconds, convert_peak_kb, recording_bytes, profile_bytes;
	const json_t *notes; /* list of strings, or NULL: what is to be said of it that is no error */
};

struct pf_compared_program {
	size_t source;                                                      /* the file that it came from */
	const char *name, *language, *stands_for, *package, *build, *train; /* "" when not said */
	const char *counted; /* the command whose instructions were counted; "" when not said */
	const char *error;   /* NULL if sound */
	struct pf_compared_pairs noise, noise_cycles; /* base against itself */
	struct pf_compared_variant variants[PF_VARIANTS];
};

/* What one file says about where and when. */
struct pf_compared_source {
	const char *file, *date, *cpu, *kernel, *system, *hypervisor; /* "" when not said */
	const char *uncounted; /* why it counts no cycles; "" if it does, or that is not said */
	double cores, memory_kb;
	bool counts[PF_COUNTERS];
	const json_t *versions; /* object of strings, or NULL */
};

struct pf_comparison {
	struct pf_compared_source *sources; /* owned */
	size_t source_count;
	struct pf_compared_program *programs; /* owned; each name once */
	size_t program_count;
};

/* One file of measurements.  Both are borrowed for the call. */
struct pf_compare_source {
	const char *file;   /* its name, for messages and the report */
	const json_t *root; /* what is in it */
};

/* Checks and merges SOURCES.  Errors as pf_compare_report's; on failure there is nothing to release. */
int pf_comparison_read(struct pf_comparison *comparison, const struct pf_compare_source *sources, size_t count,
		       struct pf_error *error);
void pf_comparison_fini(struct pf_comparison *comparison);

#endif
