/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a built program tells of its making: the options that its compile units were compiled with, and how much code it
 * has. */
#ifndef PF_ANALYSIS_INSPECT_H
#define PF_ANALYSIS_INSPECT_H

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_unit {
	char *name;     /* the source file, as the compiler was given it */
	char *folder;   /* where the compiler ran; "" unknown */
	char *producer; /* compiler and options; "" unknown */
};

struct pf_inspection {
	struct pf_unit *units;
	size_t count;
	uint64_t text_bytes; /* of all executable sections */
	uint64_t hot_bytes;  /* of all function symbols but the .cold parts of functions */
	uint64_t text_digest;
};

/* Looks at the program PATH.  Errors of pf_elf_open; PF_EFORMAT for a script (the text says that it may be libtool's);
 * PF_ENOMEM.  A program without debug information has no units. */
int pf_inspect_program(const char *path, struct pf_inspection *inspection, struct pf_error *error);
void pf_inspection_fini(struct pf_inspection *inspection);

/* A unit without a flag that was asked for. */
struct pf_unlike {
	const char *unit; /* its name, owned by the inspection; NULL: there is none */
	char flag[120];   /* the flag, or its beginning */
};

/* Of the units that GCC's C, C++ and Fortran compilers made, how many were compiled with all of FLAGS (blank-separated;
 * only -O, -f, -m and -g count, and of several -O and -g the last).  *TOTAL is the number of those units; *EXAMPLE one
 * that was not. */
size_t pf_inspect_flags(const struct pf_inspection *inspection, const char *flags, size_t *total,
			struct pf_unlike *example);

/* The language of most units: "C", "C++" or "Fortran". */
const char *pf_inspect_language(const struct pf_inspection *inspection);

#endif
