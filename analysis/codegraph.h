/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow graph of one function as it is in the binary, whatever was recorded of it: two recordings of one binary, and
 * an exact profile of it, see the same graph. */
#ifndef PF_ANALYSIS_CODEGRAPH_H
#define PF_ANALYSIS_CODEGRAPH_H

#include "converter/code.h"
#include "flow/graph.h"

#define PF_NO_CODE_BLOCK UINT32_MAX

/* Instructions that run one after the other: a block ends at each transfer, calls too, since a call need not return.
 * Known not to are those of exit, longjmp and their kind (noreturn.h). */
struct pf_code_block {
	uint32_t first, count; /* instructions of the code */
	uint64_t callee;       /* entry of what it calls directly at its end; 0: nothing */
	bool filler;           /* nothing but what fills gaps */
	bool ends;             /* its call never comes back: control does not go on to what stands behind it */
};

struct pf_codegraph {
	struct pf_graph *graph; /* its blocks are these, then entry and exit; no two edges join the same two blocks */
	struct pf_code_block *blocks;
	uint32_t block_count;
	uint32_t *block_of; /* of each instruction */
};

/* The graph of CODE of ELF, which is entered at ENTRY.  Direct jumps out of it, returns and indirect jumps without a
 * table lead to the exit.  What no edge leads to is entered from the entry and from the indirect jumps without a table:
 * it is a landing pad of an exception, a label of a computed goto, or dead.  PF_ENOMEM; *M is the caller's, to
 * pf_codegraph_fini, in any case. */
int pf_codegraph_read(struct pf_codegraph *m, const struct pf_elf *elf, const struct pf_code *code, uint64_t entry);
void pf_codegraph_fini(struct pf_codegraph *m);

/* The block that begins at ADDRESS; PF_NO_CODE_BLOCK if none does. */
uint32_t pf_codegraph_block_at(const struct pf_codegraph *m, const struct pf_code *code, uint64_t address);

/* The edge from FROM to TO; UINT32_MAX if there is none. */
uint32_t pf_codegraph_edge(const struct pf_codegraph *m, uint32_t from, uint32_t to);

/* The block that runs on from BLOCK if its end does not jump; PF_NO_CODE_BLOCK if there is none. */
uint32_t pf_codegraph_next(const struct pf_codegraph *m, const struct pf_code *code, uint32_t block);

#endif
