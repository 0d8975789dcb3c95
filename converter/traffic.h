/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the samples say, by address: every control transfer with the straight code in front of it, counted once in a
 * hash table; plain program-counter samples; and the sequences of transfers that ran one after the other inside one
 * invocation of a function.  Addresses are file offsets of a module, so that all processes and all load addresses
 * add up; nothing here knows about symbols.
 *
 * The hard case is volume: 40 million vectors must cost no more memory than their distinct edges. */
#ifndef PF_CONVERTER_TRAFFIC_H
#define PF_CONVERTER_TRAFFIC_H

#include "converter/halves.h"
#include "perfdata/vectors.h"
#include "profile/model.h"
#include "support/array.h"
#include "support/error.h"

#include <stdint.h>

#define PF_NO_MODULE UINT32_MAX
#define PF_NO_EDGE UINT32_MAX
#define PF_WEIGHT_ONE 256u /* weights are integers in 1/256 of a sighting: sums are exact in any order */
#define PF_CLOCK_SCALE 16  /* a plain sample is spread over its block's instructions: in 1/16 of one nothing is lost */

/* Why something that was recorded is not in the profile. */
enum pf_drop {
	PF_DROP_NONE = 0,
	PF_DROP_KERNEL,     /* in the kernel */
	PF_DROP_GUEST,      /* in a virtual machine of the host that recorded */
	PF_DROP_ANONYMOUS,  /* in code without a file: JIT */
	PF_DROP_MEMORY,     /* in a memfd of which it is not known what it is a copy of */
	PF_DROP_VDSO,       /* in code that the kernel gives to programs */
	PF_DROP_UNMAPPED,   /* at an address that no mapping covers */
	PF_DROP_WRONG_PATH, /* speculation on the wrong path, aborted transaction */
	PF_DROP_DUPLICATE,  /* newest entry of a stack stored twice by the hardware */
	PF_DROP_BACKWARDS,  /* straight code that would end before its start */
	PF_DROP_LONG,       /* straight code over 1 MiB */
	PF_DROP_OLDEST,     /* oldest entry of a stack: what ran in front of it is not known */
	PF_DROP_WARM_UP,    /* first branches of a burst, as asked */
	PF_DROP_CORRUPT,    /* an index that points nowhere */
	PF_DROP_PLAIN,      /* plain samples beside branch data, which say more */
	PF_DROP_EVENT,      /* of another event than the one that is used */
	PF_DROP_SEQUENCE,   /* a path beyond the table's limit */
	PF_DROP_COUNT
};

/* Hexadecimal text of a build-id; "unknown" for none. */
void pf_build_id_text(const uint8_t *id, uint8_t size, char text[41]);

/* A name for people: "in the kernel". */
const char *pf_traffic_drop_name(enum pf_drop drop);

/* What to do about it; "" nothing. */
const char *pf_traffic_drop_cure(enum pf_drop drop);

struct pf_traffic_module {
	char *path;             /* as it was recorded; owned, as the names are */
	PF_ARRAY(char *) names; /* others of it: files with one build-id are one; best first after pf_traffic_settle */
	size_t names_sorted;    /* so many of them are sorted; behind them some can be there twice until then */
	uint8_t build_id[20];
	uint8_t build_id_size;
	bool several;      /* it has no build-id since a recording has several of `path` */
	bool unnamed;      /* `path` is no file's name; addresses are the binary's own, no offsets in its file */
	uint64_t branches; /* weight of the edges that start here, or of the plain samples here */
	bool seen;         /* since pf_traffic_begin */
};

/* Distinct (start, from, to).  start is in the same module as from. */
struct pf_traffic_edge {
	uint32_t from_module, to_module; /* PF_NO_MODULE: not known */
	uint64_t start, from, to;        /* file offsets */
	uint64_t weight;
	struct pf_dealt dealt; /* of the weight; less where there are mere counts */
	uint64_t missed;       /* of the weight: predicted wrongly */
	uint64_t ended;        /* of the weight: what ran at `to` was not recorded */
	uint64_t look;         /* the number of the burst (or stack) that saw it, PF_SEVERAL_LOOKS, or 0: mere counts */
	uint8_t kind;          /* enum pf_edge_kind; 0: the recording does not say */
};

#define PF_SEVERAL_LOOKS UINT64_MAX

struct pf_traffic_sample {
	uint32_t module;
	uint64_t offset;
	uint64_t weight;
	uint8_t rank; /* of its event: 0 is the best */
	struct pf_dealt dealt;
};

/* One number of an instruction's values. */
struct pf_traffic_value {
	uint32_t module;
	uint64_t offset; /* in the instruction */
	struct pf_value value;
};

/* Edges in the order in which one invocation of a function ran them. */
struct pf_traffic_sequence {
	uint32_t first, count; /* in `pool` */
	uint32_t past;         /* so many of them, the first, were counted with the sequence in front of this one */
	uint64_t weight, hash;
};

struct pf_index {
	uint32_t *slots;
	size_t capacity;
};

/* A zeroed pf_traffic is empty and ready. */
struct pf_traffic {
	PF_ARRAY(struct pf_traffic_module) modules;
	PF_ARRAY(struct pf_traffic_edge) edges;
	PF_ARRAY(struct pf_traffic_sample) samples;
	PF_ARRAY(struct pf_traffic_value) values;
	PF_ARRAY(struct pf_traffic_sequence) sequences;
	PF_ARRAY(uint32_t) pool;
	struct pf_index module_index, edge_index, sample_index, sequence_index;
	double branches_completed;     /* of those read: stand for others behind a cut (reach.h) */
	uint64_t bursts_baseless;      /* of those read: nothing tells what they stand for (reach.h) */
	uint64_t drops[PF_DROP_COUNT]; /* branches (or samples), not weighted */
	uint8_t rank;                  /* of the plain samples that are used; set by pf_traffic_settle */
	bool paced;                    /* weights are by rate, in a unit of their own until pf_traffic_settle */
	uint64_t branches_read, branches_used, samples_read, samples_used, bursts_read, bursts_used, lost;
};

void pf_traffic_fini(struct pf_traffic *t);

/* Index of the module with this build-id, or without one (size 0) the module PATH, added if it is new, as its name PATH
 * is if that is; PF_NO_MODULE when out of memory. */
uint32_t pf_traffic_module(struct pf_traffic *t, const char *path, const uint8_t *build_id, uint8_t build_id_size);

/* The same for the object with this build-id (size 0: the binary that is asked for), whose name is not known. */
uint32_t pf_traffic_object(struct pf_traffic *t, const uint8_t *build_id, uint8_t build_id_size);

/* Index of EDGE's (modules, start, from, to, kind), added with weight 0 if it is new; PF_NO_EDGE when out of memory. */
uint32_t pf_traffic_edge(struct pf_traffic *t, const struct pf_traffic_edge *edge);

/* Adds WEIGHT to an edge and to its module. */
void pf_traffic_count(struct pf_traffic *t, uint32_t edge, uint64_t weight);

/* Burst (or stack) NUMBER, from 1, of all that are read has seen an edge. */
void pf_traffic_look(struct pf_traffic *t, uint32_t edge, uint64_t number);

/* Counts plain samples of an event of RANK, which are of SIDES (pf_halves_sides), or of no time that is known if that
 * is NULL.  PF_ENOMEM. */
int pf_traffic_samples(struct pf_traffic *t, uint32_t module, uint64_t offset, uint8_t rank, uint64_t count,
		       const unsigned *sides);

/* Starts a recording: no module was seen. */
void pf_traffic_begin(struct pf_traffic *t);

/* After the last recording, so that their order does not matter: drops plain samples if there are branches, and those
 * of all but the best rank otherwise, and counts what is dropped.  Weights by rate are brought to a sum of one for each
 * branch that was recorded, so that a count is as good as so many sightings however slow the program is. */
void pf_traffic_settle(struct pf_traffic *t);

/* Counts a sequence of COUNT edge indices, the first PAST of which are only what ran before; beyond a million distinct
 * ones it is dropped and counted.  PF_ENOMEM. */
int pf_traffic_sequence(struct pf_traffic *t, const uint32_t *edges, uint32_t count, uint32_t past, uint64_t weight);

/* Sum that stops at the largest value: counts in a file may be hostile. */
static inline uint64_t pf_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The same of A's B-fold. */
static inline uint64_t pf_multiple(uint64_t a, uint8_t b)
{
	return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

#endif
