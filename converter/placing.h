/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brings traffic, which knows offsets in files, to the virtual addresses of the modules' code. */
#ifndef PF_CONVERTER_PLACING_H
#define PF_CONVERTER_PLACING_H

#include "converter/program.h"

/* Adds the traffic of P, without the edges that are IMPOSSIBLE (by index), to its modules.  PF_ENOMEM. */
int pf_placing_run(struct pf_program *p, const bool *impossible, struct pf_error *error);

/* Sorts and adds up what was added to M. */
void pf_placing_sort(struct pf_program_module *m);

#endif
