/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a program and how often each ran: what vectors show whole is counted, what they show in part is credited
 * to the paths that it can be a part of (Shye 2005, section 3.5.3; ours in doc/paths.md). */
#ifndef PF_ANALYSIS_PATHPROFILE_H
#define PF_ANALYSIS_PATHPROFILE_H

#include "analysis/walk.h"

/* How parts are credited. */
enum pf_path_credit {
	PF_CREDIT_LIKELY, /* by how likely each path is, found by expectation-maximisation; by the part's share of it */
	PF_CREDIT_EQUAL,  /* the same to all paths that have the part, as the thesis does */
	PF_CREDIT_NONE,   /* not at all: whole paths only */
};

struct pf_path_whole {
	uint32_t function;
	uint64_t number;
	double whole;   /* seen from its start to its end */
	double shares;  /* seen in part, and known by the flow graph to be no other path: the parts' shares of it */
	double touches; /* the same parts, each as one */
};

/* Edges in the profile's pool. */
struct pf_path_partial {
	uint32_t function, start, count, seen;
	size_t first;
	bool head, tail;
	double weight;
};

/* What a cut between paths would lose: how often a path ran behind another turn of its loop, or called from a block. */
struct pf_path_link {
	enum pf_walk_link kind;
	uint32_t before_function, function;
	uint64_t before, number;
	double weight;
};

/* A path and what it is credited with, in sightings. */
struct pf_path_flow {
	uint32_t function;
	uint64_t number;
	double weight;
};

struct pf_path_index {
	uint32_t *slots; /* 1 + index; 0 is empty */
	size_t capacity, used;
};

struct pf_path_profile {
	struct pf_walk walk;
	PF_ARRAY(struct pf_path_whole) wholes;
	PF_ARRAY(struct pf_path_partial) partials;
	PF_ARRAY(uint32_t) pool;
	PF_ARRAY(struct pf_path_link) links; /* after pf_path_profile_credit: the most frequent first */
	struct pf_path_index whole_index, partial_index, link_index;
	PF_ARRAY(struct pf_path_flow) flows; /* after pf_path_profile_credit: the hottest first */
	double total;                        /* of the flows */
	double unspread;                     /* weight of parts that fit more paths than are enumerated */
};

/* An empty profile of SUBJECT, which must outlive it.  PF_ENOMEM. */
int pf_path_profile_init(struct pf_path_profile *p, struct pf_subject *subject);
void pf_path_profile_fini(struct pf_path_profile *p);

/* Counts the path NUMBER of FUNCTION as seen whole, WEIGHT times.  PF_ENOMEM. */
int pf_path_profile_count(struct pf_path_profile *p, uint32_t function, uint64_t number, double weight);

/* Makes the flows from what was walked.  PF_ENOMEM. */
int pf_path_profile_credit(struct pf_path_profile *p, enum pf_path_credit credit);

/* The order by path, for sorting and searching. */
int pf_path_flow_compare(const void *a, const void *b);

/* Has each path once in the flows of P, the hottest first, and adds up the total. */
void pf_path_profile_settle(struct pf_path_profile *p);

/* Blocks of the path that COUNT EDGES make up; where the last edge leads is the next path's. */
uint32_t pf_path_length(const struct pf_pathnumber *n, const uint32_t *edges, uint32_t count);

/* The blocks of machine code of FLOW, a flow of P, in BLOCKS, which has room for as many as the function's graph has;
 * returns how many. */
uint32_t pf_path_blocks(const struct pf_path_profile *p, const struct pf_path_flow *flow, uint32_t *blocks);

#endif
