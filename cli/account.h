/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `pathfdo convert` says of a conversion: for people on standard error, for scripts on standard output. */
#ifndef PF_CLI_ACCOUNT_H
#define PF_CLI_ACCOUNT_H

#include "converter/conversion.h"

/* Prints what was read, used and lost, the largest loss first, then each binary; if it is QUIET only what is wrong with
 * binaries that are used.  After a conversion that FAILED what is lost comes with its cure, and also if it is QUIET;
 * nothing is printed if nothing was read. */
void pf_account_print(const struct pf_conversion *c, bool quiet, bool failed);

/* Prints all of the account as an object of JSON on standard output; ERROR is why the conversion failed, NULL if it did
 * not.  0; PF_EXIT_FAILURE, said, when out of memory. */
int pf_account_json(const struct pf_conversion *c, const char *error);

#endif
