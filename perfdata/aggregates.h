/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pre-aggregated text of perf2bolt (`-pa`): counts of branches, of straight code, and of samples, by the addresses
 *in the binary (llvm-project, bolt/include/bolt/Profile/DataAggregator.h).  One entry a line:
 *
 *	B START END COUNT [MISPREDICTED]         a branch
 *	F|f|r START END COUNT                    straight code from START to the branch at END
 *	T|R BRANCH START END COUNT               a branch and the straight code behind it
 *	S START COUNT                            samples
 *	E EVENT                                  what the samples are of
 *
 * A place is [ID:]OFFSET, both hexadecimal: the object's build-id, X for one that is not known and none for the binary
 *that is meant; and the address as the object itself has it. */
#ifndef PF_PERFDATA_AGGREGATES_H
#define PF_PERFDATA_AGGREGATES_H

#include "support/array.h"
#include "support/error.h"

#define PF_AGGREGATE_UNKNOWN UINT32_MAX

struct pf_perf_file;

enum pf_aggregate_kind { PF_AGGREGATE_BRANCH = 1, PF_AGGREGATE_RUN, PF_AGGREGATE_SAMPLE };

struct pf_aggregate_place {
	uint32_t object; /* index; PF_AGGREGATE_UNKNOWN */
	uint64_t address;
};

struct pf_aggregate {
	enum pf_aggregate_kind kind;
	struct pf_aggregate_place from, to; /* a sample is at `from` */
	uint64_t count, missed;
};

struct pf_aggregate_object {
	uint8_t id[20];
	uint8_t id_size; /* 0: the binary that is meant */
};

/* A zeroed one is empty. */
struct pf_aggregates {
	PF_ARRAY(struct pf_aggregate_object) objects; /* each as often as the text goes over to it */
	PF_ARRAY(struct pf_aggregate) list;
	char *event; /* of the samples; owned; NULL: not said */
};

/* Whether the first line of FILE, which is text, is such an entry. */
bool pf_aggregates_begin(struct pf_perf_file *file);

/* Reads all of FILE.  PF_EFORMAT (a line that is no entry: the text has its number), PF_ENOMEM, PF_EIO.  A is the
 * caller's, to pf_aggregates_fini, in any case. */
int pf_aggregates_read(struct pf_aggregates *a, struct pf_perf_file *file, struct pf_error *error);
void pf_aggregates_fini(struct pf_aggregates *a);

#endif
