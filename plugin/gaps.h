/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions of an edited function that no shift finds: they are looked for in order between those that were found. */
#ifndef PF_PLUGIN_GAPS_H
#define PF_PLUGIN_GAPS_H

#include "plugin/align.h"

/* Adds to ALIGNMENT, of PROFILE with its source, what is found so.  EDITED: it is known that the function has another
 * number of lines.  PF_ENOMEM. */
int pf_gaps_fill(const struct pf_outline *profile, bool edited, struct pf_alignment *alignment);

#endif
