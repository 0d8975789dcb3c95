/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a site of the recording says of an instruction's values, as the numbers of a list. */
#ifndef PF_RUNTIME_SITES_H
#define PF_RUNTIME_SITES_H

#include "perfdata/vectors.h"
#include "runtime/agent/wire.h"

#define PF_SITE_NUMBERS 24 /* no site has more */

/* Puts the numbers of SITE, which any user may have written, into VALUES, whose maps are the caller's to set; returns
 * how many.  The process stands for WEIGHT such, each of which would have seen the same; but nobody has looked more
 * often for that. */
uint32_t pf_site_numbers(const struct pf_wire_site *site, uint32_t weight, struct pf_vec_value *values);

#endif
