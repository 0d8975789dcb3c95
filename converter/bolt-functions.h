/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a binary as BOLT takes and calls them: by symbols alone, local ones with a number, since several can
 * have one name. */
#ifndef PF_CONVERTER_BOLT_FUNCTIONS_H
#define PF_CONVERTER_BOLT_FUNCTIONS_H

#include "converter/elf.h"
#include "support/buffer.h"

struct pf_bolt_function {
	uint64_t start, end;
	const char *name; /* in the file */
	uint32_t number;  /* of a local one among the symbols of its name, from 1 on; 0: global */
};

/* By address; a zeroed one is empty. */
struct pf_bolt_functions {
	PF_ARRAY(struct pf_bolt_function) list;
};

/* Reads .symtab of ELF, which must outlive F.  PF_EEMPTY (no symbols: the text tells the cure), PF_ENOMEM and the
 * errors of pf_elf_contents.  F is the caller's, to pf_bolt_functions_fini, in any case. */
int pf_bolt_functions_read(struct pf_elf *elf, struct pf_bolt_functions *f, struct pf_error *error);
void pf_bolt_functions_fini(struct pf_bolt_functions *f);

/* The function that has ADDRESS, or NULL. */
const struct pf_bolt_function *pf_bolt_functions_at(const struct pf_bolt_functions *f, uint64_t address);

/* Appends the name of F: "main", "init/2". */
void pf_bolt_function_print(struct pf_buffer *out, const struct pf_bolt_function *f);

#endif
