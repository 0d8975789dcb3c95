/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling context tree of Ammons, Ball and Larus (1997, section 4), as instrumented code and this library know it.
 *
 * A record stands for a function as it was come to over one chain of call sites; it has a slot for each call site of
 * the function.  At the slot hangs a list of arcs, one for each function that was called there.  An arc leads to the
 * callee's record, and counts.  Most arcs made their record and are its beginning; one that leads back to an ancestor,
 * by recursion, is by itself.  Before a call the caller says in a variable of the thread, context_slot, which slot it
 * is at; the callee looks at the first arc there, and if that is not its own, asks this library.
 *
 * Where paths are counted besides, a record has the counters of its function's paths in front of it.
 *
 * There is one tree a thread.  The library is linked into each instrumented module, but the program's is used by all
 * that see its names, so that calls between modules are in the tree.
 *
 * It runs in other people's programs: no heap, no stdio, no lock.  What instrumented code sees is laid out in words of
 * eight bytes (plugin/contextcode.cc). */
#ifndef PF_RUNTIME_CONTEXTTREE_H
#define PF_RUNTIME_CONTEXTTREE_H

#include "runtime/paths/metric.h"
#include "runtime/paths/pathtable.h"

#define PF_CONTEXT_MOST_SLOTS 4096  /* of a record: further call sites share the last one */
#define PF_CONTEXT_MOST_WORDS 16384 /* of counters in front of a record; above that many paths it has a table */

struct pf_context_record;

struct pf_context_arc {
	uint64_t function; /* the callee's number */
	struct pf_context_record *record;
	uint64_t count;
	uint64_t took;                          /* of the metric, in the callee and below; 0 if there is none */
	struct pf_context_arc *next;            /* at the same slot; the last is the record's NONE */
	_Atomic(struct pf_context_arc *) later; /* the next of the tree, in the order in which they were made */
	struct pf_context_record *from;
	uint32_t site; /* FROM's slot */
	uint32_t seen; /* how often the first arc there had counted when this was looked for last, its lower bits */
};

struct pf_context_record {
	struct pf_context_arc arc; /* that made it */
	uint64_t number;           /* in the file */
	uint64_t path_count;       /* of the function; 0 if its paths are not counted */
	uint64_t metric;           /* what is measured of them (enum pf_counting_metric) */
	uint64_t none;             /* stands in for the first word of an arc that is no function's */
	struct pf_context_arc *slots[];
};

/* What the compiler says of a function. */
struct pf_context_function {
	_Atomic uint64_t number; /* 0 until it is called first; never given to another */
	uint64_t slot_count, path_count;
	uint64_t metric; /* enum pf_counting_metric */
	const unsigned char *description;
	uint64_t description_size;
};

/* A copy of it, as the module may be unloaded. */
struct pf_context_known {
	struct pf_context_known *next;
	uint64_t number, size;
	unsigned char description[];
};

struct pf_context_memory {
	_Atomic uint64_t used;
	uint64_t size;
};

/* Of a handler that was entered: where its frame is, and its record. */
struct pf_context_handler {
	const void *frame;
	const struct pf_context_record *record;
};

struct pf_context_tree {
	struct pf_context_tree *next;
	_Atomic int is_free; /* its thread has ended: the next one goes on with it */
	_Atomic int is_moving;
	int rounds; /* of the thread's destructors */
	_Atomic(struct pf_context_memory *) memory;
	struct pf_context_record *root;
	_Atomic(struct pf_context_arc *) last;
	struct pf_context_handler handlers[8];
	uint64_t handler_count;
	uint64_t arc_count; /* that are saved */
};

/* The root's slots. */
enum { PF_CONTEXT_OUTSIDE, PF_CONTEXT_SIGNALS, PF_CONTEXT_ROOTS };

extern _Atomic(struct pf_context_tree *) pf_context_trees;
extern _Atomic(struct pf_context_known *) pf_context_known;

/* Calls, and executions of paths, that there was no memory to count where they belong. */
uint64_t pf_context_lost(void);

/* How many words of counters R has, 0 for a table or none, and where they begin. */
static inline uint64_t pf_context_length(const struct pf_context_record *r)
{
	return r->path_count <= PF_CONTEXT_MOST_WORDS ? r->path_count : 0;
}

static inline pf_path_word *pf_context_words(const struct pf_context_record *r)
{
	uint64_t length = pf_context_length(r), words = r->metric ? 2 * length : length;

	return (pf_path_word *)r - (words ? words : 1);
}

/* In a child of fork, whose calls so far are its parent's. */
void pf_context_forget(void);

/* Instrumented code finds the entries through this variable: a library that is linked with -Bsymbolic-functions would
 * have functions of its own. */
struct pf_context_entries {
	/* The arc of F, which was called at SLOT and whose frame begins below FRAME. */
	struct pf_context_arc *(*enter)(struct pf_context_function *f, struct pf_context_arc **slot,
					void *const *frame);
	/* Before a call that ends the process, or its program, without running destructors. */
	void (*save)(void);
	/* Where a path ends of a function with too many for words in its RECORD, and what it TOOK, 0 without a metric.
	 */
	void (*count_path)(struct pf_context_record *record, uint64_t number, uint64_t took);
	uint64_t (*counter)(void);
};

#define PF_CONTEXT_VISIBLE __attribute__((visibility("default")))

extern PF_CONTEXT_VISIBLE const struct pf_context_entries PF_COUNTING_NAME(context_entries);
extern PF_CONTEXT_VISIBLE _Thread_local struct pf_context_arc **PF_COUNTING_NAME(context_slot);

/* What calls took that have returned since a path began in the function that runs. */
extern PF_CONTEXT_VISIBLE _Thread_local uint64_t PF_COUNTING_NAME(context_spent);

/* What enters through that variable. */
struct pf_context_arc *pf_context_enter(struct pf_context_function *f, struct pf_context_arc **slot,
					void *const *frame);
void pf_context_count_path(struct pf_context_record *record, uint64_t number, uint64_t took);

#endif
