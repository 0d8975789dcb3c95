/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branch vectors in their compact form: tables of processes, mappings and edges, and bursts that are sequences of
 * 32-bit edge ids, oldest first.  Lives in a section of its own of a perf.data file, under a header feature bit that
 * perf passes over (doc/vectors-format).
 *
 * An edge is one executed control transfer together with the straight code in front of it: executing edge e means
 * that every instruction from e.start up to and including the one at e.from ran once, and that control then went to
 * e.to.  Conditional jumps inside the straight code were not taken.  In one burst, edge i+1 starts where edge i went.
 */
#ifndef PF_PERFDATA_VECTORS_H
#define PF_PERFDATA_VECTORS_H

#include "support/error.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct pf_vec_process {
	uint32_t pid, ppid;
	const char *comm; /* owned by the vectors */
	const char *exe;
};

/* A mapping of executable memory.  A mapping that was unmapped and whose range was used again gives another entry. */
struct pf_vec_map {
	uint32_t process;    /* index */
	uint64_t start, end; /* runtime addresses [start, end) */
	uint64_t offset;     /* file offset of start */
	const char *path;    /* "[vdso]", "//anon" as perf spells them */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0 unknown */
	uint64_t time;         /* ns, when it was first seen */
};

enum pf_edge_kind {
	PF_EDGE_COND = 1, /* taken conditional jump */
	PF_EDGE_JUMP,     /* direct jump */
	PF_EDGE_INDIRECT, /* indirect jump */
	PF_EDGE_CALL,     /* direct call */
	PF_EDGE_INDIRECT_CALL,
	PF_EDGE_RETURN,
	PF_EDGE_FALL, /* no branch: the burst (or the translator's block) ended here and control went to `to` = next */
};

/* Whether an edge of KIND (enum pf_edge_kind) is a jump, in a function or out of it (a tail call). */
static inline bool pf_edge_is_jump(uint8_t kind)
{
	return kind == PF_EDGE_COND || kind == PF_EDGE_JUMP || kind == PF_EDGE_INDIRECT;
}

static inline bool pf_edge_is_call(uint8_t kind)
{
	return kind == PF_EDGE_CALL || kind == PF_EDGE_INDIRECT_CALL;
}

/* Why a burst ended before its length. */
enum pf_burst_end {
	PF_END_LENGTH = 0, /* it did not: all branches were recorded */
	PF_END_SYSCALL,
	PF_END_UNHANDLED, /* an instruction that the translator leaves to the processor */
	PF_END_FAULT,
	PF_END_ANONYMOUS, /* code without a file: JIT, trampolines */
	PF_END_OWN_TEXT,  /* the recorder's own code */
	PF_END_RSEQ,      /* about to enter a restartable sequence */
	PF_END_CACHE_FULL,
	PF_END_COUNT
};

struct pf_vec_edge {
	uint32_t process;          /* index */
	uint32_t from_map, to_map; /* index of the mapping, UINT32_MAX: none known */
	uint8_t kind;              /* enum pf_edge_kind */
	uint64_t start, from, to;  /* runtime addresses; from is the address of the branch instruction itself */
};

struct pf_vec_burst {
	uint32_t process, tid;
	uint64_t time;    /* ns, CLOCK_MONOTONIC */
	uint64_t period;  /* its weight: ns of thread CPU time since the previous burst of the thread, or events (see
			   * pf_vectors_begun_by) that it stands for; 0: not known */
	uint64_t elapsed; /* ns spent in the burst; 0: not known */
	uint64_t repeat;  /* this sequence was seen so often (aggregated vectors), else 1 */
	uint32_t edge_count;
	uint8_t end_reason;    /* enum pf_burst_end; a newer writer may have others */
	bool after_wait;       /* it began at once behind a system call, or a wait for another thread in a loop */
	const uint32_t *edges; /* indices of the edge table, oldest first */
};

/* Edges that were only counted, after the size limit of a process was reached. */
struct pf_vec_count {
	uint32_t edge;
	uint64_t count;
};

/* How long the program took for some branches, with its caches warm: COUNT times EDGE and so on. */
struct pf_vec_share {
	uint32_t edge, count;
};

struct pf_vec_timing {
	uint64_t elapsed; /* ns, the recording of the branches included, the translation of their code not */
	uint32_t share_count;
	const struct pf_vec_share *shares; /* by edge, each once */
};

/* What instructions worked on; the numbers are those of profile/model.h. */
enum pf_vec_value_kind {
	PF_VEC_SIZE = 1, /* bytes that a call of memcpy or its kin is asked for */
	PF_VEC_ALIGN,    /* of what such a call writes: a power of two, at most 64 */
	PF_VEC_DIVISOR,
	PF_VEC_POWER,    /* 1: the divisor is a power of two, 0: it is none */
	PF_VEC_QUOTIENT, /* 0, 1, or 2 for all above */
	PF_VEC_SWITCH,   /* the entry of a jump table */
	/* What was loaded, stored, and handed to a function, with the aspects behind each. */
	PF_VEC_LOAD_VALUE,
	PF_VEC_STORE_VALUE = PF_VEC_LOAD_VALUE + 4,
	PF_VEC_ARGUMENT = PF_VEC_STORE_VALUE + 4, /* the first of six */
	PF_VEC_KINDS = PF_VEC_ARGUMENT + 6 * 4
};

enum pf_vec_value_aspect {
	PF_VEC_ITSELF,
	PF_VEC_NEXT,  /* 1: it was the one before; 2: that and the difference of the last two; 0: neither */
	PF_VEC_ONES,  /* a mask of the bits that were ever 1 */
	PF_VEC_ZEROS, /* ...ever 0 */
	PF_VEC_ASPECTS
};

enum pf_vec_value_part {
	PF_VEC_ONE,   /* sightings of one value */
	PF_VEC_OTHER, /* of values that are not listed */
	PF_VEC_LOOKS, /* bursts that had some */
	PF_VEC_SUM,   /* the sum of all values */
	PF_VEC_PARTS
};

struct pf_vec_value {
	uint32_t map;       /* index of the mapping that the instruction is in */
	uint8_t kind, part; /* enum pf_vec_value_kind, enum pf_vec_value_part */
	uint64_t address;   /* in the instruction */
	int64_t value;      /* 0 unless the part is PF_VEC_ONE */
	uint64_t count;
};

/* A load or store of a whole run that was asked for them; what it accesses of more than 8 bytes is known by the
 * lowest 8. */
struct pf_vec_access {
	uint32_t form, pad; /* enum pf_vec_access_kind, and the size in bytes above it, 0: not known */
	uint64_t pc;        /* of the instruction, in memory */
	uint64_t value;     /* that is loaded, if PF_VEC_VALUE is set */
	uint64_t address;
};

enum pf_vec_access_kind {
	PF_VEC_LOAD = 1,
	PF_VEC_STORE = 2, /* behind the load, if it is both */
	PF_VEC_VALUE = 4,
};
#define PF_VEC_ACCESS_SIZE(form) ((form) >> 8 & 0xff)

struct pf_vectors {
	uint32_t process_count, map_count, edge_count, timing_count;
	uint64_t burst_count, count_count, value_count;
	uint32_t nominal_length; /* branches asked for a burst */
	uint32_t frequency;      /* bursts a second of thread CPU time asked for */
	uint64_t cpu_ns;         /* CPU time of the recorded threads as far as the recorder saw it */
	uint64_t cost_ns;        /* of which spent in the recorder */
	struct pf_vec_process *processes;
	struct pf_vec_map *maps;
	struct pf_vec_edge *edges;
	struct pf_vec_burst *bursts;
	struct pf_vec_count *counts;
	struct pf_vec_timing *timings;
	struct pf_vec_value *values;
	struct pf_vec_memory *memory; /* owns what the pointers above point to */
	const char *event; /* the name of the file's event; lives as long as the file, NULL: PF_VECTORS_EVENT */
};

/* Vectors in a file; with "/" and its name behind it where an event began the bursts. */
#define PF_VECTORS_EVENT "pathfdo-soft"

/* What began the bursts: an event as perf spells it, or NULL: the timer of CPU time. */
const char *pf_vectors_begun_by(const struct pf_vectors *vectors);

/* Releases what pf_vectors_alloc gave, then VECTORS itself, which was allocated by malloc; NULL is fine. */
void pf_vectors_free(struct pf_vectors *vectors);

/* Zeroed memory for COUNT elements of SIZE bytes that lives as long as VECTORS; NULL without memory. */
void *pf_vectors_alloc(struct pf_vectors *vectors, size_t count, size_t size);

#endif
