/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recorded edge ran, branch by branch: the conditional jumps inside its straight code, which were not taken, and
 * the transfer at its end, each with the instructions in front of it.  From the code of the binaries that ran. */
#ifndef PF_ANALYSIS_BRANCH_STEPS_H
#define PF_ANALYSIS_BRANCH_STEPS_H

#include "converter/elf.h"
#include "perfdata/vectors.h"

#define PF_NO_BLOCK UINT32_MAX

/* A place in a binary, or in memory where there is no binary: the end of a block, which is a branch but where the
 * recorder had to leave the program alone. */
struct pf_block_end {
	uint32_t module;
	uint64_t address;      /* virtual, as the binary has it; in memory where the module is PF_NO_BLOCK */
	uint32_t instructions; /* of the longest block that was seen to end here */
	uint64_t executed;     /* instructions of all of its executions; the reader's to count */
};

/* One block of an edge. */
struct pf_branch_step {
	uint32_t end;          /* index of struct pf_block_end */
	uint32_t instructions; /* with the branch itself */
	uint64_t address;      /* of the branch, in memory */
	uint8_t kind;          /* enum pf_edge_kind */
	bool taken;
};

struct pf_edge_steps {
	uint32_t first, count; /* of the steps */
	uint32_t tail;         /* instructions behind the last branch, of an edge that ends without one */
	uint32_t tail_end;     /* where these end; PF_NO_BLOCK: there are none */
	uint32_t process;
	uint64_t start, to;
	bool unread; /* the code could not be read: there is the last branch alone */
};

struct pf_steps_module {
	char *path; /* owned */
	uint8_t build_id[20];
	uint8_t build_id_size;
	bool tried, usable, named; /* named: its symbols were loaded */
	struct pf_elf elf;
};

struct pf_branch_steps {
	PF_ARRAY(struct pf_steps_module) modules;
	PF_ARRAY(struct pf_block_end) ends;
	PF_ARRAY(struct pf_branch_step) steps;
	PF_ARRAY(struct pf_edge_steps) edges;
	uint32_t *slots; /* of the ends, plus 1 */
	size_t slot_count;
};

void pf_branch_steps_fini(struct pf_branch_steps *s);

/* PF_EINVAL if one of the binaries would be lost by writing to OUTPUT (pf_outfile_spares). */
int pf_branch_steps_spare(const struct pf_branch_steps *s, const char *output, struct pf_error *error);

/* Adds EDGE as the next of s->edges, by its mapping FROM (NULL: none is known).  PF_ENOMEM. */
int pf_branch_steps_add(struct pf_branch_steps *s, const struct pf_vec_edge *edge, const struct pf_vec_map *from);

/* The function that END is in, by the binary's symbols; NULL if that is not known.  Lives as long as S. */
const char *pf_branch_steps_function(struct pf_branch_steps *s, const struct pf_block_end *end);
/* The binary that END is in; "" if there is none. */
const char *pf_branch_steps_module(const struct pf_branch_steps *s, const struct pf_block_end *end);

#endif
