/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From branch vectors to paths (Shye 2005, sections 3.4, 3.5 and 4.4): straight code is followed through the flow graph
 * of the binary, so that branches which were not taken are known, too, and is cut into what belongs to one invocation
 * of a function and one acyclic path of it.
 *
 * A call does not end a caller's path: it is set aside, and taken up again when the callee returns.  What a vector's
 * ends cut off is made good where the flow graph leaves no choice. */
#ifndef PF_ANALYSIS_WALK_H
#define PF_ANALYSIS_WALK_H

#include "analysis/subject.h"
#include "flow/pathnumber.h"

#define PF_WALK_CROSSINGS 5 /* 0 to 3 function boundaries, and 4 or more */

/* Straight code that ran, and how control left it. */
struct pf_walk_range {
	uint32_t function;    /* of the subject; PF_NO_FUNCTION: elsewhere */
	uint32_t first, last; /* its blocks */
	uint32_t instructions;
	bool through;  /* it ends where its last block does */
	uint8_t kind;  /* enum pf_edge_kind */
	uint64_t back; /* address behind its last instruction: where a call returns to */
};

/* Where control went. */
struct pf_walk_place {
	uint32_t function, block;
	bool entrance; /* where the block begins */
	uint64_t address;
};

/* What ran before a path, in the same vector: what the cut between the two would lose. */
enum pf_walk_link {
	PF_LINK_NONE, /* not known, or not a whole path */
	PF_LINK_LOOP, /* a path of the same invocation, from which an edge that is cut leads here: BEFORE is its number
		       */
	PF_LINK_CALL, /* a call: BEFORE is the number of the block that made it */
};

/* A whole path, or what was seen of one. */
struct pf_walk_path {
	uint32_t function,
	    start; /* start: its first block, which is the graph's entry for one that enters the function */
	const uint32_t *edges;
	uint32_t count;
	bool head, tail; /* it begins, it ends, where a path does */
	uint32_t seen;   /* of its blocks: those that ran; the others follow from the flow graph */
	uint64_t weight; /* in 1/256 */
	enum pf_walk_link link;
	uint32_t before_function;
	uint64_t before;
};

struct pf_walk_frame {
	uint32_t function, block, start;
	bool head, opened;      /* opened: the vector began here */
	uint64_t back;          /* where it is returned to; 0 if it calls nothing at the moment */
	enum pf_walk_link link; /* of the path that is open */
	uint32_t before_function;
	uint64_t before;
	PF_ARRAY(uint32_t) steps;
};

/* What the vectors were like; lengths in instructions. */
struct pf_walk_statistics {
	uint64_t vectors, instructions;        /* that have code of the subject; in it */
	uint64_t extended;                     /* instructions that the flow graph adds at both ends */
	uint64_t function_pieces, loop_pieces; /* after a cut at each function boundary; and at each end of a path */
	uint64_t crossings[PF_WALK_CROSSINGS]; /* vectors by the function boundaries in them */
	uint64_t strays;                       /* transfers that the flow graph does not have */
};

struct pf_walk {
	struct pf_subject *subject;                                  /* the caller's */
	struct pf_pathnumber *numbers;                               /* one a function; graph NULL: not yet made */
	uint64_t limit;                                              /* ways of a region */
	int (*take)(void *context, const struct pf_walk_path *path); /* PF_OK, or an error that ends the walk */
	void *context;
	struct pf_walk_statistics statistics;
	PF_ARRAY(struct pf_walk_frame) frames;
	size_t depth;
	uint32_t inside;  /* function of the subject that was walked last in this vector */
	uint32_t crossed; /* boundaries in this vector */
	bool crossing;    /* the transfer before was one between functions */
};

/* Starts a walk over SUBJECT whose paths go to TAKE.  PF_ENOMEM. */
int pf_walk_init(struct pf_walk *w, struct pf_subject *subject,
		 int (*take)(void *context, const struct pf_walk_path *path), void *context);
void pf_walk_fini(struct pf_walk *w);

/* The range from START to FROM and where it leads: virtual addresses of the subject where INSIDE says so.  KIND 0: as
 * the code says.  PF_ENOMEM. */
struct pf_walk_move {
	struct pf_walk_range range;
	struct pf_walk_place to;
};
int pf_walk_resolve(struct pf_walk *w, const uint64_t start_from_to[3], const bool inside[2], uint8_t kind,
		    struct pf_walk_move *move);

/* The numbers of function INDEX; NULL when out of memory. */
const struct pf_pathnumber *pf_walk_numbers(struct pf_walk *w, uint32_t index);

/* Goes on by MOVE, which weighs WEIGHT.  PF_ENOMEM and the errors of TAKE. */
int pf_walk_move(struct pf_walk *w, const struct pf_walk_move *move, uint64_t weight);

/* Ends the vector: what is open is handed on as it is.  Errors of TAKE. */
int pf_walk_end(struct pf_walk *w, uint64_t weight);

#endif
