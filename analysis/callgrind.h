/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each instruction of a binary was executed, exactly: from a file of `valgrind --tool=callgrind
 * --dump-instr=yes` ("Callgrind Format Specification" in Valgrind's manual). */
#ifndef PF_ANALYSIS_CALLGRIND_H
#define PF_ANALYSIS_CALLGRIND_H

#include "support/array.h"
#include "support/error.h"

struct pf_exact_count {
	uint64_t address; /* virtual, as in the binary's file */
	uint64_t count;
};

/* By address, each once. */
struct pf_exact_counts {
	PF_ARRAY(struct pf_exact_count) list;
};

/* Reads the counts of the object whose file is named OBJECT (its last part counts) from PATH.  PF_EIO, PF_EFORMAT (no
 * callgrind file, one without instructions), PF_ENOTFOUND (no such object in it), PF_ENOMEM.  *COUNTS is the caller's,
 * to pf_exact_counts_fini, in any case. */
int pf_callgrind_read(const char *path, const char *object, struct pf_exact_counts *counts, struct pf_error *error);

/* The same from SIZE bytes at BYTES. */
int pf_callgrind_parse(const void *bytes, size_t size, const char *path, const char *object,
		       struct pf_exact_counts *counts, struct pf_error *error);

void pf_exact_counts_fini(struct pf_exact_counts *counts);

/* The count of the instruction at ADDRESS. */
uint64_t pf_exact_count(const struct pf_exact_counts *counts, uint64_t address);

#endif
