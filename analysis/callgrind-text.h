/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text that `valgrind --tool=callgrind --dump-instr=yes` writes, record by record ("Callgrind Format Specification"
 * in Valgrind's manual).  Names may be compressed there to numbers, and positions to what they differ by from the line
 * before. */
#ifndef PF_ANALYSIS_CALLGRIND_TEXT_H
#define PF_ANALYSIS_CALLGRIND_TEXT_H

#include "analysis/textfile.h"
#include "support/array.h"
#include "support/error.h"

#define PF_CALLGRIND_NONE UINT64_MAX /* no object, no function */

/* What a record says, by the fields of pf_callgrind_text in capitals. */
enum pf_callgrind_record {
	PF_CALLGRIND_COMMAND = 1, /* the program was run by COMMAND */
	PF_CALLGRIND_OBJECT,      /* what follows is of OBJECT */
	PF_CALLGRIND_COSTS,       /* the instruction at ADDRESS, of FUNCTION, was executed COUNT times */
	PF_CALLGRIND_CALLS,       /* that one has called CALLEE, of CALLEE_OBJECT, COUNT times, at TARGET */
	PF_CALLGRIND_JUMPS,       /* that one has jumped to TARGET COUNT times, of EXECUTED (0: of as many) */
};

/* Names by number; NULL: none yet. */
struct pf_callgrind_names {
	PF_ARRAY(char *) list;
};

struct pf_callgrind_text {
	struct pf_textfile text;
	struct pf_callgrind_names objects, functions;

	/* The record.  Objects are told apart in any case, functions only if the text has numbers for them: else each
	 * is PF_CALLGRIND_NONE. */
	const char *command; /* until the next record */
	uint64_t object, function, callee_object, callee;
	uint64_t address, target, count, executed;

	bool instructions; /* positions are addresses, as of the last part that was read */

	/* The reader's: the columns between the address and the instructions executed, the record that the next line of
	 * costs completes, and the last one that was complete. */
	uint32_t positions, event;
	int pending, record;
};

/* Reads PATH.  Errors of pf_textfile_open.  *T is the caller's, to pf_callgrind_text_close, in any case. */
int pf_callgrind_text_open(struct pf_callgrind_text *t, const char *path, struct pf_error *error);

/* The same over SIZE bytes at BYTES, which must outlive T. */
void pf_callgrind_text_over(struct pf_callgrind_text *t, const void *bytes, size_t size, const char *path);
void pf_callgrind_text_close(struct pf_callgrind_text *t);

/* Goes to the next record: an enum pf_callgrind_record, or 0 at the end; PF_EFORMAT (a line that makes no sense, costs
 * that are not those of instructions, no event Ir), PF_ENOMEM. */
int pf_callgrind_text_next(struct pf_callgrind_text *t, struct pf_error *error);

/* The name with NUMBER; "" if there is none. */
const char *pf_callgrind_text_name(const struct pf_callgrind_names *names, uint64_t number);

/* Fails with PF_EFORMAT: WHAT is wrong with the line. */
int pf_callgrind_text_fail(const struct pf_callgrind_text *t, const char *what, struct pf_error *error);

#endif
