/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the profiling co-processor of Zilles and Sohi (A Programmable Co-processor for Profiling, HPCA 2001):
 * arrays of slots, counters, and a handler for each class of instructions.  It is read from text (doc/engine.md) and is
 * checked as a whole before any of it runs: a handler has no loop, so its steps are no more than its operations (of
 * which 'find' and 'clear' may look at each slot of an array), and memory is what its arrays and the limits here say.
 */
#ifndef PF_ANALYSIS_COPRO_PROGRAM_H
#define PF_ANALYSIS_COPRO_PROGRAM_H

#include "support/array.h"
#include "support/error.h"

#define PF_COPRO_ARRAYS 8u
#define PF_COPRO_FIELDS 8u
#define PF_COPRO_COUNTERS 16u
#define PF_COPRO_SLOTS 65536u    /* of one array */
#define PF_COPRO_OPERATIONS 4096 /* of all handlers */
#define PF_COPRO_STACK 32        /* values under way in an expression */
#define PF_COPRO_NESTING 32      /* of blocks and parentheses */
#define PF_COPRO_NAME 31         /* bytes */
#define PF_COPRO_TEXT (1u << 20) /* bytes of a program's text */
#define PF_NO_HANDLER UINT32_MAX
#define PF_NO_FIELD UINT8_MAX

/* The class of an instruction, which the opcode filter looks at. */
enum pf_copro_class {
	PF_COPRO_LOAD,
	PF_COPRO_STORE,
	PF_COPRO_COND,
	PF_COPRO_JUMP,
	PF_COPRO_INDIRECT,
	PF_COPRO_CALL,
	PF_COPRO_INDIRECT_CALL,
	PF_COPRO_RETURN,
	PF_COPRO_CLASSES
};

/* One executed instruction; what its class does not have is 0. */
struct pf_copro_sample {
	uint8_t class; /* enum pf_copro_class */
	uint8_t size;  /* of a load or store: bytes */
	bool taken;
	bool valued; /* of a load: VALUE is known, and else 0 */
	uint32_t thread;
	uint64_t pc, address, value, target;
};

/* What a program can read of a sample; PF_COPRO_PARTS of them. */
enum pf_copro_part {
	PF_COPRO_PC,
	PF_COPRO_ADDRESS,
	PF_COPRO_VALUE,
	PF_COPRO_TARGET,
	PF_COPRO_TAKEN,
	PF_COPRO_SIZE,
	PF_COPRO_THREAD,
	PF_COPRO_PARTS
};

enum pf_copro_code {
	/* Each pushes a value. */
	PF_COPRO_NUMBER,  /* number */
	PF_COPRO_PART,    /* of the sample: number */
	PF_COPRO_COUNTER, /* number */
	PF_COPRO_FIELD,   /* of the array's slot at hand */
	PF_COPRO_FOUND,   /* did the array's last find match? */
	PF_COPRO_RANDOM,  /* below number */
	PF_COPRO_TIMES,   /* how often this key was saved */
	PF_COPRO_SEEN,    /* samples handled since the last interrupt */
	/* Each takes two values and pushes one. */
	PF_COPRO_OR,
	PF_COPRO_AND,
	PF_COPRO_EQUAL,
	PF_COPRO_UNEQUAL,
	PF_COPRO_LESS,
	PF_COPRO_NO_MORE,
	PF_COPRO_MORE,
	PF_COPRO_NO_LESS,
	PF_COPRO_BITS_OR,
	PF_COPRO_BITS_XOR,
	PF_COPRO_BITS_AND,
	PF_COPRO_LEFT,
	PF_COPRO_RIGHT,
	PF_COPRO_PLUS,
	PF_COPRO_MINUS,
	PF_COPRO_PRODUCT,
	/* Takes one, pushes one. */
	PF_COPRO_NOT,
	/* Statements; those with values take them from the stack. */
	PF_COPRO_FIND,  /* the array's slot with these keys, if there is one, is the one at hand */
	PF_COPRO_NEXT,  /* the slot that is next up for replacement is */
	PF_COPRO_AT,    /* the slot of this number is, modulo the array's size */
	PF_COPRO_TAKE,  /* the slot at hand is emptied, and is matched by these keys from now on */
	PF_COPRO_OFF,   /* ...is no longer matched, but keeps what it has */
	PF_COPRO_CLEAR, /* all slots of the array are emptied */
	PF_COPRO_SET_COUNTER,
	PF_COPRO_ADD_COUNTER, /* saturates */
	PF_COPRO_SUB_COUNTER, /* stops at 0 */
	PF_COPRO_SET_FIELD,
	PF_COPRO_ADD_FIELD,
	PF_COPRO_SUB_FIELD,
	PF_COPRO_BRANCH_ZERO, /* to operation number, which is further on */
	PF_COPRO_BRANCH,
	PF_COPRO_MASK,   /* instructions at this address are not looked at any more */
	PF_COPRO_DIVIDE, /* the part of the program that is looked at into number parts */
	PF_COPRO_ROTATE, /* on to the next part */
	PF_COPRO_JOIN,   /* the part with the one that it was divided from */
	PF_COPRO_SAVE,   /* interrupts: what has sums goes to the profile and is emptied */
	PF_COPRO_DROP,   /* interrupts: it is emptied */
	PF_COPRO_DONE,
};

struct pf_copro_operation {
	uint8_t code; /* enum pf_copro_code */
	uint8_t array, field;
	uint64_t number;
};

struct pf_copro_field {
	char name[PF_COPRO_NAME + 1];
	uint8_t bits;
	bool key, label, sum; /* label: tells rows of one key apart; sum: is added up in the profile */
	bool code;            /* is shown as a place in the program */
};

struct pf_copro_array {
	char name[PF_COPRO_NAME + 1];
	uint32_t slots;
	uint8_t field_count, key_count; /* keys are the first */
	bool saved;                     /* has sums */
	struct pf_copro_field fields[PF_COPRO_FIELDS];
	uint32_t on_save; /* operation, or PF_NO_HANDLER */
	/* What invariance is estimated from, see copro-estimate.h; value PF_NO_FIELD: nothing is. */
	uint8_t value, hit, miss, total;
};

struct pf_copro_program {
	char *name; /* of the file */
	uint32_t array_count, counter_count;
	struct pf_copro_array arrays[PF_COPRO_ARRAYS];
	struct {
		char name[PF_COPRO_NAME + 1];
		uint8_t bits;
	} counters[PF_COPRO_COUNTERS];
	uint32_t mask_bits, mask_hashes; /* a power of two; how many of them each address has */
	uint32_t on_class[PF_COPRO_CLASSES], on_cut, on_every;
	uint64_t every; /* samples of the program's classes, looked at or not, since the last interrupt; 0: never */
	PF_ARRAY(struct pf_copro_operation) operations;
};

/* Reads the program in the SIZE bytes of TEXT; NAME is for messages, "NAME:LINE:COLUMN: what is wrong and what is
 * wanted".  PF_EFORMAT, PF_ELIMIT, PF_ENOMEM. */
int pf_copro_parse(const char *name, const char *text, size_t size, struct pf_copro_program **program,
		   struct pf_error *error);

/* The same from a file; PF_EIO too. */
int pf_copro_read(const char *path, struct pf_copro_program **program, struct pf_error *error);

/* NULL is fine. */
void pf_copro_program_free(struct pf_copro_program *program);

/* The classes by their names in the text form. */
extern const char *const pf_copro_class_names[PF_COPRO_CLASSES];

#endif
