/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All binaries of a recording with their source functions, and the traffic brought to virtual addresses: everything
 * that building the profile looks up. */
#ifndef PF_CONVERTER_PROGRAM_H
#define PF_CONVERTER_PROGRAM_H

#include "converter/locate.h"
#include "converter/source.h"
#include "converter/traffic.h"

/* A transfer by virtual addresses. */
struct pf_jump {
	uint64_t start, from, to;
	uint32_t to_module;
	uint8_t kind;
	uint64_t weight;
	uint32_t edge; /* in the traffic */
};

/* Instructions from `address` on ran `sum` times (the sum of all weights up to here). */
struct pf_level {
	uint64_t address;
	uint64_t sum;
};

/* An arrival at an address from outside of the module or by whatever jump. */
struct pf_arrival {
	uint64_t to, from;
	uint32_t from_module;
	uint8_t kind;
	uint64_t weight;
	uint32_t edge; /* in the traffic */
};

enum pf_module_state {
	PF_MODULE_USED = 0,
	PF_MODULE_NOT_ASKED, /* others were named with -b, or it is the recorder */
	PF_MODULE_MISSING,   /* no such file */
	PF_MODULE_NO_DEBUG,
	PF_MODULE_UNUSABLE, /* it or its debug information cannot be read, or it is not what ran */
};

/* What the code says of the branches that were recorded in it; weights. */
struct pf_plausibility {
	uint64_t branches, at_none; /* between files' code; of them from what is no branch instruction */
	uint64_t runs, through;     /* straight code; of it over an instruction that never goes on to the next */
};

struct pf_extent {
	uint64_t start, end;
	uint32_t function;
};

struct pf_program_module {
	enum pf_module_state state;
	char reason[1024]; /* for people, when it is not used */
	bool recorded_id;  /* its build-id is known, and was compared */
	bool asked;        /* it was named with -b: what is wrong with it is an error */
	struct pf_binary binary;
	struct pf_plausibility plausibility;
	struct pf_source source;
	PF_ARRAY(struct pf_jump) jumps;             /* by from */
	PF_ARRAY(struct pf_arrival) arrivals;       /* by to */
	PF_ARRAY(struct pf_level) levels;           /* by address */
	PF_ARRAY(uint64_t) touched;                 /* sorted, distinct */
	PF_ARRAY(struct pf_extent) extents;         /* of functions, by address */
	PF_ARRAY(struct pf_traffic_sample) samples; /* by offset, which is a virtual address here */
	PF_ARRAY(struct pf_traffic_value) values;   /* by offset, likewise */
	uint64_t mapped;                            /* weight that ended at a source position */
};

struct pf_program {
	const struct pf_traffic *traffic;
	struct pf_program_module *modules; /* as many as the traffic has */
	struct pf_jump *edges;             /* the traffic's edges by virtual addresses */
};

/* Whether PATH is the software recorder, which is in every process that it records: no part of what ran, unless it was
 * asked for. */
bool pf_program_is_recorder(const char *path);

/* PF_EINVAL if a file that was read of M would be lost by writing to OUTPUT (pf_outfile_spares). */
int pf_program_spare(const struct pf_program_module *m, const char *output, struct pf_error *error);

/* P is what pf_program_load left, in any case. */
void pf_program_fini(struct pf_program *p);

/* The virtual address that the traffic's OFFSET of MODULE is; false if the module has no file, or not that in it. */
bool pf_program_address(const struct pf_program *p, uint32_t module, uint64_t offset, uint64_t *address);

/* Fills in M's extents from its source.  PF_ENOMEM. */
int pf_program_list_extents(struct pf_program_module *m);

/* Index of the function of M at ADDRESS; UINT32_MAX if none is known there. */
uint32_t pf_program_function(const struct pf_program_module *m, uint64_t address);

/* The name of function FUNCTION of MODULE, of which *LENGTH characters count: its linkage name; C++ functions of
 * internal linkage, lambdas and coroutines have none in the debug information, and go by the symbol at their entry. */
const char *pf_program_name(const struct pf_program_module *module, uint32_t function, size_t *length);

/* Name of the function that starts at exactly ADDRESS, through a PLT stub if that is what is there; its length is
 * *LENGTH (clone suffixes left out).  NULL if no function starts there. */
const char *pf_program_entry(const struct pf_program *p, uint32_t module, uint64_t address, size_t *length);

/* The weight of what ran in the PLT stubs of M, which the linker wrote, and in the compiler's thunks: there can be no
 * source position for it. */
uint64_t pf_program_stub_weight(const struct pf_program_module *m);

/* Index of the first jump from (arrival at) ADDRESS or behind it. */
size_t pf_program_first_jump(const struct pf_program_module *m, uint64_t address);
size_t pf_program_first_arrival(const struct pf_program_module *m, uint64_t address);

/* How often the instruction at ADDRESS ran, in 1/256. */
uint64_t pf_program_level(const struct pf_program_module *m, uint64_t address);

#endif
