/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says how far a recording can be believed. */
#ifndef PF_CLI_TRUST_H
#define PF_CLI_TRUST_H

#include "converter/traffic.h"
#include "profile/model.h"

#include <stdbool.h>

/* On standard error: lines of convert's account, unless QUIET: what part was completed, and how far the halves agree;
 * and a warning if that is too little.  Nothing where nothing is known (plain samples). */
void pf_trust_print(const struct pf_traffic *t, const struct pf_agreement *agreement, bool quiet);

#endif
