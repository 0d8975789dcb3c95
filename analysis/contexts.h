/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program counted that was compiled with -fplugin-arg-pathfdo-instrument=context: NAME.PID.context
 * (doc/context-format.md), the calling context tree of Ammons, Ball and Larus (1997, section 4).
 *
 * A node is a call of a function as it was come to over one chain of callers.  A recursive call leads back to the node
 * of the ancestor of the same function: it is a node without children, which says where it leads.  With
 * instrument=paths,context a node that is no recursive call has the paths that its function ran there. */
#ifndef PF_ANALYSIS_CONTEXTS_H
#define PF_ANALYSIS_CONTEXTS_H

#include "analysis/countedpaths.h"

#define PF_CONTEXT_NOTHING UINT32_MAX

/* Slots of the root, node 0, which is no function. */
enum { PF_CONTEXT_OUTSIDE, PF_CONTEXT_SIGNALS };

struct pf_context_function {
	const char *name; /* as the linker knows it */
	const char *file;
	uint32_t line;
	uint32_t first_site, site_count;   /* in the sites' lines */
	struct pf_counted_function *paths; /* its graph, and their numbers; NULL if they were not counted */
};

struct pf_context_path {
	uint32_t node;
	uint64_t number, count;
	uint64_t took; /* of the metric, without what calls took; 0 if there is none */
};

struct pf_context_node {
	uint32_t parent, function;
	uint32_t site;  /* of the parent; 0 for all if sites are not told apart */
	uint32_t leads; /* to itself, or to an ancestor */
	uint64_t count; /* calls from the parent */
	uint64_t took;  /* of the metric in these calls and what they called; 0 if there is none */
	/* After pf_contexts_finish, of calls, or of the metric without what callees took. */
	uint64_t own;
	uint64_t below;                  /* in the whole subtree, the node included */
	uint32_t first;                  /* child, the one with the most below it; PF_CONTEXT_NOTHING without */
	uint32_t next;                   /* of the same parent */
	uint32_t depth;                  /* 0 for the root */
	uint32_t first_path, path_count; /* in the paths */
	uint64_t ran;                    /* executions of these */
};

struct pf_contexts {
	PF_ARRAY(struct pf_context_function) functions;
	PF_ARRAY(uint32_t) sites;
	PF_ARRAY(struct pf_context_node) nodes; /* parents in front of their children */
	PF_ARRAY(struct pf_context_path) paths; /* after pf_contexts_finish by node, the most frequent first */
	PF_ARRAY(uint8_t *) windows;            /* the files, into which names point */
	uint64_t lost;                          /* calls and paths that the program had no memory to count */
	uint64_t bytes;                         /* of the files */
	const char *module;                     /* of the file that was read last */
	const char *metric;                     /* "cycles", or an event; NULL: none was measured */
	bool plain;                             /* a file had calls, and measured nothing besides */
	bool by_site, by_metric;                /* after pf_contexts_finish: as it was asked for */
};

/* Table 3 of the paper. */
struct pf_context_statistics {
	uint64_t records;   /* nodes that are no recursive calls, without the root */
	uint64_t recursive; /* nodes that are */
	uint64_t functions; /* that were called */
	double record_size; /* bytes of memory, on average */
	double out_degree;  /* records that a record with any has below it, on average */
	double height;      /* of leaves, on average */
	uint64_t most_height;
	uint64_t replication;       /* the most records that a function has */
	uint32_t replicated;        /* which; PF_CONTEXT_NOTHING without records */
	uint64_t sites, used_sites; /* of all records; the second only where sites are told apart */
};

/* Whether PATH is such a file, by its first bytes; false if it cannot be read. */
bool pf_contexts_is(const char *path);

/* Reads PATH, and adds it to C, which is zeroed before the first.  PF_EIO, PF_ENOMEM, PF_EFORMAT (no such file, or
 * fields that contradict each other), PF_ETRUNCATED, PF_EVERSION, PF_EMISMATCH (it measured something else than what is
 * in C).  *C is the caller's, to pf_contexts_fini, in any case. */
int pf_contexts_read(struct pf_contexts *c, const char *path, struct pf_error *error);

/* The same from SIZE bytes at BYTES, which are copied; PATH is for messages. */
int pf_contexts_parse(struct pf_contexts *c, const void *bytes, size_t size, const char *path, struct pf_error *error);

/* Puts together what threads and files have of the same context, with call sites told apart or not, leaves out what was
 * not called, and orders children, by calls or by the metric.  To be called once.  PF_ENOMEM. */
int pf_contexts_finish(struct pf_contexts *c, bool by_site, bool by_metric, struct pf_error *error);

/* Adds up over all contexts of C, which is not finished, how often the paths of each function ran, and moves that and
 * all that names point into to *COUNTED: what the program would have counted with instrument=paths.  C is of no use
 * afterwards, but still to be released.  PF_ENOMEM; PF_EMISMATCH if no paths were counted; PATH is for messages. */
int pf_contexts_take_paths(struct pf_contexts *c, struct pf_counted *counted, const char *path, struct pf_error *error);

/* Of a finished tree.  PF_ENOMEM. */
int pf_contexts_measure(const struct pf_contexts *c, struct pf_context_statistics *s, struct pf_error *error);

/* The node behind NODE in a finished tree: its first child, or what follows; PF_CONTEXT_NOTHING behind the last. */
uint32_t pf_contexts_next(const struct pf_contexts *c, uint32_t node);

/* The line of the call that NODE is for; 0 if that is not known, or sites are not told apart. */
uint32_t pf_contexts_line(const struct pf_contexts *c, uint32_t node);

void pf_contexts_fini(struct pf_contexts *c);

#endif
