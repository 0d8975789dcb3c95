/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sheets that say what was gained. */
#ifndef PF_ANALYSIS_GAIN_SHEETS_H
#define PF_ANALYSIS_GAIN_SHEETS_H

#include "analysis/cells.h"

/* By program, over the best without a profile, as part of instr's gain, on average, and where soft loses most. */
void pf_sheets_gains(struct pf_sheets *sheets, const struct pf_results *results);

/* Lowest and highest of several recordings; no sheet where no variant has several. */
void pf_sheets_recordings(struct pf_sheets *sheets, const struct pf_results *results);

#endif
