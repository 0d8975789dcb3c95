/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says how far a recording agrees with itself. */
#ifndef PF_CLI_TRUST_H
#define PF_CLI_TRUST_H

#include "profile/model.h"

#include <stdbool.h>

/* On standard error: a line of convert's account, unless QUIET, and a warning if the halves agree too little.  Nothing
 * where nothing is known (plain samples). */
void pf_trust_print(const struct pf_agreement *agreement, bool quiet);

#endif
