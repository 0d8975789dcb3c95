/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The branches of one binary as BOLT reads them, its fdata: a line for each branch, and for each way from one of its
 * basic blocks on to the next, by functions and offsets in them (llvm-project, bolt/include/bolt/Profile/DataReader.h).
 */
#ifndef PF_CONVERTER_FDATA_H
#define PF_CONVERTER_FDATA_H

#include "converter/program.h"
#include "support/buffer.h"

/* What became of the branches (or plain samples). */
struct pf_fdata_account {
	uint64_t weight, known; /* of what ran in the binary; of it in functions with symbols */
	size_t functions;       /* that ran */
};

/* Appends the fdata of MODULE of P, whose branches were read `bare` (intake.h); of plain samples, which are of EVENT,
 * if it has no branches.  The same input gives the same bytes.  PF_EEMPTY (nothing in a function that has a symbol),
 * PF_ENOMEM and the errors of pf_bolt_functions_read. */
int pf_fdata_print(const struct pf_program *p, uint32_t module, const char *event, struct pf_buffer *out,
		   struct pf_fdata_account *account, struct pf_error *error);

#endif
