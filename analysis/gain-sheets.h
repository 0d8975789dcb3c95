/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sheets that say what was gained. */
#ifndef PF_ANALYSIS_GAIN_SHEETS_H
#define PF_ANALYSIS_GAIN_SHEETS_H

#include "analysis/cells.h"

/* By program, as part of instr's gain, on average, and where soft loses most. */
void pf_sheets_gains(struct pf_sheets *sheets, const struct pf_results *results);

#endif
