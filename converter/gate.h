/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether what was mapped is enough for a profile. */
#ifndef PF_CONVERTER_GATE_H
#define PF_CONVERTER_GATE_H

#include "converter/conversion.h"

#define PF_MAPPED_WARNING                                                                                              \
	950                /* permille of a binary's branches outside stubs that should have a source position         \
			    */
#define PF_MAPPED_ERROR 50 /* permille of what the used binaries did, below which there is no profile */
#define PF_USED_ERROR 50   /* the same of all that ran in user space, if no binary was asked for */
#define PF_READ_LEAST 100  /* so few branches or samples need to be a permille of all that was recorded */

/* What was recorded, and what of it can be in no profile of user code: counts of branches, or of plain samples if there
 * are no branches. */
struct pf_gate_input {
	uint64_t read;
	uint64_t aside; /* in the kernel, or left out on purpose */
	enum pf_drop worst;
	uint64_t worst_count; /* the largest loss */
	bool asked;           /* binaries were named with -b */
};

struct pf_gate_input pf_gate_input(const struct pf_traffic *t, bool asked);

/* Checks that of what was recorded enough is in the code of files, and not more than can be added
 * up.  PF_EEMPTY, which tells the largest loss; PF_ELIMIT. */
int pf_gate_recorded(const struct pf_traffic *t, const struct pf_gate_input *input, struct pf_error *error);

/* Checks what ACCOUNTS (by descending branches), of which there are COUNT, say was mapped.  PF_EINTERNAL if it is more
 * than there was (the text asks for a report), PF_EEMPTY if nothing, or nearly nothing of what was recorded, is in
 * user code that has a file, PF_ENODEBUG if too little of the used binaries is mapped, or (unless binaries were asked
 * for) of all that ran, most of which is in a file that is not used: it is named. */
int pf_gate_check(const struct pf_module_account *accounts, size_t count, const struct pf_gate_input *input,
		  struct pf_error *error);

#endif
