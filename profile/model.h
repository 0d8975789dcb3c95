/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile in memory: what ran, keyed by source position, so that it survives other compiler options and small
 * edits of the source, and can be read by people.
 *
 * One pf_function is one out-of-line function of the profiled binaries.  What the profiled compiler inlined into it
 * is a tree of pf_node; a position is always relative to the function (inlined or not) whose source it is in.  All
 * the arrays of a function are flat and refer to each other by index, so that a function is read from a mapped file
 * in one pass.
 *
 * The hard case is identity.  A function is found by its linkage name (clone suffixes elided), or, where the
 * language gives it none (static functions of C++, lambdas), by its plain name; FILE and LINE then tell two of one
 * name apart. */
#ifndef PF_PROFILE_MODEL_H
#define PF_PROFILE_MODEL_H

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in a function's source: the key of everything.  Compared exactly first; readers may fall back to
 * (line, column) or line alone. */
struct pf_position {
	int32_t line;           /* source line minus the declaration line of the function it belongs to */
	uint32_t column;        /* 1-based; 0 unknown */
	uint32_t discriminator; /* 0 for the first block of a line */
};

/* A position together with the inlined instance that it is in. */
struct pf_place {
	uint32_t node; /* index into pf_function.nodes */
	struct pf_position position;
};

#define PF_MAX_INLINE_DEPTH 1000 /* of nodes below node 0; a deeper tree is refused by every reader and writer */

/* The function itself (node 0) or one inlined instance of a callee. */
struct pf_node {
	uint32_t parent;         /* index of the node it was inlined into, smaller than its own; 0 for node 0 */
	struct pf_position site; /* position of the call in the parent; zero for node 0 */
	const char *name;        /* linkage name as in pf_function.name */
	const char *file;        /* file of its declaration, as the debug information spells it */
	uint32_t line;           /* line of its declaration; positions are offsets from it */
	uint64_t entries;        /* how often it was entered: the count of the call */
};

/* A callee of a call at a record's position, with how often it was called from there. */
struct pf_target {
	const char *name; /* linkage name as in pf_function.name */
	uint64_t count;
};

/* What holds of the two things that a conditional jump has compared. */
enum pf_sense {
	PF_SENSE_NONE, /* not known */
	PF_SENSE_EQUAL,
	PF_SENSE_DIFFERENT,
	PF_SENSE_LESS, /* the first is less than a constant, or than or equal to one */
	PF_SENSE_GREATER,
	PF_SENSES
};

/* "equal", "different", "less" and "greater"; NULL for PF_SENSE_NONE. */
const char *pf_sense_name(enum pf_sense sense);

/* What holds where SENSE does not. */
enum pf_sense pf_sense_opposite(enum pf_sense sense);

/* Where a conditional or indirect jump at a record's position went. */
struct pf_outcome {
	struct pf_place to; /* first source position executed at the destination, in the same function */
	bool taken;         /* the jump was taken (false: fell through) */
	uint8_t sense;      /* enum pf_sense: what is known to hold on this way */
	uint64_t count;
};

/* What values are counted of (profile/value-list.h). */
enum pf_value_kind {
	PF_VALUE_SIZE = 1, /* bytes that a call of memcpy or its kin is asked for */
	PF_VALUE_ALIGN,    /* of the memory that such a call writes: a power of two, at most 64 */
	PF_VALUE_DIVISOR,  /* of a division or remainder */
	PF_VALUE_POWER,    /* 1: the divisor is a power of two, 0: it is none */
	PF_VALUE_QUOTIENT, /* of an unsigned division; 2 stands for all from 2 on */
	PF_VALUE_SWITCH,   /* of one that has a jump table: the entry, 0 is the lowest case */
	/* What was loaded, stored, and handed to a function in a register, with the aspects behind each. */
	PF_VALUE_LOAD,
	PF_VALUE_STORE = PF_VALUE_LOAD + 4,
	PF_VALUE_ARGUMENT = PF_VALUE_STORE + 4, /* the first of PF_VALUE_ARGUMENTS */
	PF_VALUE_KINDS = PF_VALUE_ARGUMENT + 6 * 4
};
#define PF_VALUE_ARGUMENTS 6

enum pf_value_aspect {
	PF_VALUE_ITSELF,
	PF_VALUE_NEXT,  /* 1: it was the one before; 2: that and the difference of the last two; 0: neither */
	PF_VALUE_ONES,  /* a mask of the bits that were ever 1 */
	PF_VALUE_ZEROS, /* ...ever 0 */
	PF_VALUE_ASPECTS
};

/* What a number counts. */
enum pf_value_part {
	PF_VALUE_ONE,   /* sightings of one value */
	PF_VALUE_OTHER, /* sightings of values that are not listed */
	PF_VALUE_LOOKS, /* moments of which some sighting is: bursts */
	PF_VALUE_SUM,   /* no sightings: the sum of all values, those not listed included */
	PF_VALUE_PARTS
};

struct pf_value {
	uint8_t kind, part; /* enum pf_value_kind, enum pf_value_part */
	int64_t value;      /* 0 unless the part is PF_VALUE_ONE */
	uint64_t count;
};

/* What is known of one position. */
struct pf_record {
	struct pf_place place;
	uint64_t count;        /* executions of the statement, as the converter estimates it (see doc/profile-format) */
	uint64_t max;          /* highest execution count of any instruction of the position */
	uint32_t instructions; /* machine instructions that carry the position in the profiled binaries */
	uint32_t target_count, outcome_count, value_count;
	struct pf_target *targets;   /* by descending count, then name */
	struct pf_outcome *outcomes; /* by descending count, then place */
	struct pf_value *values;     /* by kind, part, descending count, value */
};

/* Decisions that were taken one after the other, from branch vectors: in turn the place of a conditional or indirect
 * jump and the place where it went on, as the outcomes of that jump's record have them.  A path ends with each
 * decision, so that the paths that end alike add up to how often that end ran; light beginnings are cut off. */
struct pf_path {
	uint64_t count;
	uint32_t place_count;
	struct pf_place *places;
};

struct pf_function {
	const char *name;
	const char *file;
	uint32_t line;
	uint64_t head;  /* times entered from outside: calls and tail calls */
	uint64_t total; /* sum of the counts of its records, those of its inlined instances included */
	uint32_t rank;  /* place in the order of the program's functions, from 1 on; 0: unknown.  For a reader of single
			 * functions, which cannot compute it (ranking.h); everyone else leaves it 0 */
	uint32_t node_count, record_count, path_count;
	struct pf_node *nodes;       /* [0] is the function itself; parents before children */
	struct pf_record *records;   /* by node, line, column, discriminator */
	struct pf_path *paths;       /* by descending count */
	uint64_t dropped_paths;      /* distinct paths left out */
	uint64_t dropped_path_count; /* the sum of their counts */
};

enum pf_count_unit {
	PF_UNIT_EXECUTIONS = 1, /* one sighting in a branch vector: proportional to executions everywhere */
	PF_UNIT_SAMPLES = 2,    /* one program-counter sample: proportional to time */
};

enum pf_source_kind {
	PF_SOURCE_LBR = 1,   /* hardware branch stacks */
	PF_SOURCE_SOFT = 2,  /* branch vectors of the software recorder */
	PF_SOURCE_CLOCK = 3, /* plain samples */
	PF_SOURCE_OTHER = 4, /* made by hand or from exact counts */
};

/* Where the counts come from, one for each recording and binary. */
struct pf_provenance {
	enum pf_source_kind kind;
	const char *event;          /* as perf spells it: "br_inst_retired:near_taken", "cpu-clock", "pathfdo-soft" */
	const char *binary;         /* path when it was recorded */
	const char *build_id;       /* lower-case hexadecimal, "" unknown */
	uint64_t period;            /* of the event; 0 unknown */
	uint64_t samples;           /* samples or vectors used */
	uint64_t lost;              /* samples known to be lost or dropped */
	uint64_t first_ns, last_ns; /* time span in the recording's clock */
	const char *tool;           /* "pathfdo 0.1.0" */
};

/* One step of the count distribution: the hottest positions that make up PERMILLE of the profile's sum all have a
 * count of at least MINIMUM, and there are POSITIONS of them.  As GCC's and LLVM's working-set summaries. */
struct pf_cutoff {
	uint32_t permille;
	uint64_t minimum;
	uint64_t positions;
};

#define PF_CUTOFF_COUNT 15

/* What a compile must know before it looks at a function. */
struct pf_summary {
	uint64_t total;     /* sum of all records' counts */
	uint64_t maximum;   /* highest record count */
	uint64_t positions; /* records with a count above zero */
	uint32_t function_count;
	struct pf_cutoff cutoffs[PF_CUTOFF_COUNT]; /* 10, 100, 200 ... 900, 950, 990, 995, 999, 1000 permille */
};

/* How far two halves of the recordings agree (profile/agreement.h). */
struct pf_agreement {
	uint64_t looks;  /* bursts or stacks, each at a moment of its own; 0: nothing is known */
	uint64_t square; /* of looks times the halves' distance in permille, summed over the recordings */
	uint64_t alone;  /* of looks times the permille of it that a single look saw; 0: unknown */
};

/* Owns everything in it, through one arena; strings are interned and live as long as the profile. */
struct pf_profile {
	enum pf_count_unit unit;
	uint32_t function_count, provenance_count;
	struct pf_function *functions; /* by name, file, line */
	struct pf_provenance *provenances;
	/* The source files of the profiled binaries' compilation units, sorted; those in which nothing ran as well, so
	 * that a compile can tell a file that did not run from a foreign one.  None: unknown. */
	const char **compiled;
	uint32_t compiled_count;
	struct pf_agreement agreement;
	struct pf_profile_arena *arena;
};

/* A new empty profile; NULL when out of memory.  It may grow to half of the machine's memory. */
struct pf_profile *pf_profile_alloc(enum pf_count_unit unit);

/* Releases the profile and all it owns; NULL is accepted. */
void pf_profile_free(struct pf_profile *profile);

/* The profile's own copy of STRING; equal strings give equal pointers.  NULL when out of memory. */
const char *pf_profile_intern(struct pf_profile *profile, const char *string);

/* SIZE zeroed bytes aligned to 8 that live as long as the profile; NULL when out of memory. */
void *pf_profile_reserve(struct pf_profile *profile, size_t size);

/* Appends a zeroed function (or provenance) and returns it, valid until the next append; NULL when out of memory. */
struct pf_function *pf_profile_add_function(struct pf_profile *profile);
struct pf_provenance *pf_profile_add_provenance(struct pf_profile *profile);

#define PF_MAX_COMPILED_NAME 4095 /* bytes: what Linux takes for a path */

/* Appends a source file of the profiled binaries; NAME, which should be folded (support/filename.h), is copied.
 * PF_ELIMIT (longer than PF_MAX_COMPILED_NAME), PF_ENOMEM. */
int pf_profile_add_compiled(struct pf_profile *profile, const char *name);

/* Brings the profile into its canonical order (as the fields above say), adds up what has the same key (functions
 * of one name, file and line; records of one place; equal paths, targets, outcomes; nodes of one parent, site and
 * name; source files), fills in FUNCTION.total.  Every writer calls it.  PF_ENOMEM, PF_EINVAL (an index out of range: a
 * bug of the producer, named in the text), PF_ELIMIT (inlined too deep, or more than 2^32 parts of a function). */
int pf_profile_canonicalise(struct pf_profile *profile, struct pf_error *error);

/* Computes the summary of a canonical profile.  PF_ENOMEM. */
int pf_profile_summarise(const struct pf_profile *profile, struct pf_summary *summary, struct pf_error *error);

/* <0, 0, >0 by line, column, discriminator; by node first for places. */
int pf_position_compare(const struct pf_position *a, const struct pf_position *b);
int pf_place_compare(const struct pf_place *a, const struct pf_place *b);

/* Length of NAME without the suffixes that GCC and LLVM give to clones: .constprop.N .isra.N .part.N .cold
 * .lto_priv.N .llvm.N .localalias .clone.N, any number of them in any order.  A name's own dots stay. */
size_t pf_name_elide(const char *name);

#endif
