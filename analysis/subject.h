/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one binary that coverage and paths are about, with all of its functions, those that never ran too.  A function's
 * code and flow graph are made when they are first asked for. */
#ifndef PF_ANALYSIS_SUBJECT_H
#define PF_ANALYSIS_SUBJECT_H

#include "analysis/codegraph.h"
#include "converter/program.h"

#define PF_NO_FUNCTION UINT32_MAX

struct pf_subject_function {
	const char *name; /* of NAME_SIZE characters; owned by the module */
	size_t name_size;
	uint64_t entry;
	struct pf_code code;
	struct pf_codegraph machine;
	bool read; /* code and machine are there */
};

struct pf_subject {
	struct pf_program_module module;                /* of which an extent's function is an index of FUNCTIONS */
	PF_ARRAY(struct pf_subject_function) functions; /* as in the module's source */
	bool other_id;                                  /* a recording has a binary of its name and another build-id */
};

/* Opens FILE and its debug information, which DEBUG_DIR and SYMFS (NULL: none) help to find.  PF_ENODEBUG, PF_EIO,
 * PF_ENOMEM and the errors of pf_elf_open and pf_source_read.  *S is the caller's, to pf_subject_close, in any case. */
int pf_subject_open(struct pf_subject *s, const char *file, const char *debug_dir, const char *symfs,
		    struct pf_error *error);
void pf_subject_close(struct pf_subject *s);

/* Whether MODULE of a recording is the binary: by its build-id or, if either has none, by its name; where the recording
 * has neither, that is the binary which was asked for. */
bool pf_subject_is(struct pf_subject *s, const struct pf_traffic_module *module);

/* The virtual address that OFFSET of MODULE, which is the binary, is; false if there is none. */
bool pf_subject_address(const struct pf_subject *s, const struct pf_traffic_module *module, uint64_t offset,
			uint64_t *address);

/* Whether the code can have made what T, settled, has of it: PF_EMISMATCH if not, PF_ENOMEM. */
int pf_subject_check(struct pf_subject *s, const struct pf_traffic *t, struct pf_error *error);

/* Index of the function at ADDRESS; PF_NO_FUNCTION if none is known there. */
uint32_t pf_subject_find(const struct pf_subject *s, uint64_t address);

/* Function INDEX with its code and its flow graph; NULL when out of memory. */
const struct pf_subject_function *pf_subject_function(struct pf_subject *s, uint32_t index);

/* Index of the instruction of F at or in front of ADDRESS, which is in F. */
uint32_t pf_subject_insn(const struct pf_subject_function *f, uint64_t address);

/* Source file and line of instruction INSN of function INDEX, which is read; "" and 0 if it has none. */
const char *pf_subject_line(const struct pf_subject *s, uint32_t index, uint32_t insn, uint32_t *line);

#endif
