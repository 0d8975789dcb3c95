/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program counted that was compiled with -fplugin-arg-pathfdo-instrument=paths: NAME.PID.paths
 * (doc/paths-format.md).  Each function has its own flow graph in the file, that of the compiler when it instrumented.
 */
#ifndef PF_ANALYSIS_COUNTEDPATHS_H
#define PF_ANALYSIS_COUNTEDPATHS_H

#include "flow/pathnumber.h"
#include "support/array.h"
#include "support/cursor.h"
#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_counted_line {
	const char *file;
	uint32_t line;
};

struct pf_counted_path {
	uint64_t number, count;
	uint64_t took; /* of the metric, without what calls took; 0 if there is none */
};

struct pf_counted_function {
	const char *name; /* as the linker knows it */
	struct pf_counted_line where;
	struct pf_graph *graph; /* after pf_counted_finish, block and edge counts are what the paths add up to */
	bool *cut, *stands_in;  /* of each edge: what the compiler wanted cut; what code could not be put on */
	struct pf_pathnumber numbers;
	PF_ARRAY(struct pf_counted_line) lines;
	uint32_t *first_line; /* of each block, and one more */
	PF_ARRAY(struct pf_counted_path) paths;
	uint64_t entries;    /* 0: not counted, all that enters leaves */
	uint64_t total;      /* after pf_counted_finish: of all paths */
	uint64_t took;       /* after it: the same */
	uint64_t unfinished; /* after it: paths that were begun and never ended (exit, longjmp, an exception) */
};

struct pf_counted {
	PF_ARRAY(struct pf_counted_function) functions;
	PF_ARRAY(uint8_t *) windows; /* the files, into which names point */
	uint64_t lost;               /* executions that the program had no memory to count */
	uint64_t total, took;        /* after pf_counted_finish */
	const char *metric;          /* that was measured: "cycles", or an event; NULL: none */
	bool plain;                  /* a file had executions, and measured nothing besides */
	const char *module;          /* of the file that was read last */
};

/* Whether PATH is such a file, by its first bytes; false if it cannot be read. */
bool pf_counted_is(const char *path);

/* What files measured adds up if it is the same METRIC: sets *SO_FAR, or says what differs.  PF_EMISMATCH. */
int pf_counted_metric_add(const char **so_far, const char *metric, const char *path, struct pf_error *error);

/* Nor does what was measured add up with PLAIN counts: says so if there are both.  PF_EMISMATCH. */
int pf_counted_metric_check(const char *metric, bool plain, const char *path, struct pf_error *error);

/* Reads PATH, and adds it to C, which is zeroed before the first.  PF_EIO, PF_ENOMEM, PF_EFORMAT (no such file, or
 * fields that contradict each other), PF_ETRUNCATED, PF_EVERSION, PF_EMISMATCH (it measured something else than what is
 * in C).  *C is the caller's, to pf_counted_fini, in any case. */
int pf_counted_read(struct pf_counted *c, const char *path, struct pf_error *error);

/* The same from SIZE bytes at BYTES, which are copied; PATH is for messages. */
int pf_counted_parse(struct pf_counted *c, const void *bytes, size_t size, const char *path, struct pf_error *error);

/* Reads a graph with its numbers and lines, behind the names of their files, from C into F, which is zeroed, as
 * doc/context-format.md has them.  PATH is for messages; errors as above.  *F is to be released in any case. */
int pf_counted_parse_graph(struct pf_cursor *c, struct pf_counted_function *f, const char *path,
			   struct pf_error *error);

/* Orders functions by their graphs; 0 if these are the same. */
int pf_counted_compare_graphs(const struct pf_counted_function *a, const struct pf_counted_function *b);

/* Puts together what several units and files have of the same function, sorts paths (the most frequent first) and
 * functions (that with the most executions first), and projects paths on blocks and edges.  PF_ENOMEM; PF_EFORMAT where
 * that is more work than paths of a program can be. */
int pf_counted_finish(struct pf_counted *c, struct pf_error *error);

/* Releases what one function has. */
void pf_counted_release(struct pf_counted_function *f);

void pf_counted_fini(struct pf_counted *c);

/* The blocks of the path NUMBER of F in BLOCKS, which has room for as many as the graph has; returns how many.  Entry
 * and exit of the graph are left out. */
uint32_t pf_counted_blocks(const struct pf_counted_function *f, uint64_t number, uint32_t *blocks);

#endif
