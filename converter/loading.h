/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the traffic of a recording to all of its binaries, as program.h has them. */
#ifndef PF_CONVERTER_LOADING_H
#define PF_CONVERTER_LOADING_H

#include "converter/program.h"

/* Opens all binaries and reads what the samples touch.  What is wrong with a binary that was not asked for is noted in
 * its module.  PF_EMISMATCH, PF_ENODEBUG (none of the programs that ran has any debug information), PF_ENOTFOUND,
 * PF_ENOMEM and the errors of pf_binary_open and pf_source_read.  P is the caller's, to pf_program_fini, in any case.
 */
int pf_program_load(struct pf_program *p, const struct pf_traffic *t, const struct pf_locate_options *options,
		    struct pf_error *error);

#endif
