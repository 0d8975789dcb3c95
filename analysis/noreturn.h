/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions of the language and its run-time library never come back. */
#ifndef PF_ANALYSIS_NORETURN_H
#define PF_ANALYSIS_NORETURN_H

#include "converter/elf.h"

/* Whether the function of ELF that begins at CALLEE, or the one that the stub there leads to, never returns, by its
 * name.  Of others nothing is known. */
bool pf_noreturn_is(const struct pf_elf *elf, uint64_t callee);

#endif
