/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact counts of one object from a callgrind output file (--dump-instr=yes --collect-jumps=yes). */
#ifndef PF_TEST_CALLGRIND_FILE_H
#define PF_TEST_CALLGRIND_FILE_H

#include <stddef.h>
#include <stdint.h>

struct cg_instruction {
	uint64_t address, count;
};

/* A jump and its count; a conditional one also says how often it was executed at all. */
struct cg_jump {
	uint64_t from, to, count, executed; /* executed: 0 for an unconditional jump */
};

struct cg_object {
	struct cg_instruction *instructions; /* by address, each once */
	struct cg_jump *jumps;               /* by from, to */
	size_t instruction_count, jump_count, instruction_capacity, jump_capacity;
};

/* Reads what PATH says about the object whose file name ends in NAME.  0, or -1 with a message on stderr. */
int cg_read(const char *path, const char *name, struct cg_object *object);
void cg_free(struct cg_object *object);

#endif
