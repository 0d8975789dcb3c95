/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sheet of what the processor counted, beside the gains: it tells why a gain by cycles came about. */
#ifndef PF_ANALYSIS_COUNTED_SHEET_H
#define PF_ANALYSIS_COUNTED_SHEET_H

#include "analysis/cells.h"

/* No sheet where nothing was counted. */
void pf_sheets_counted(struct pf_sheets *sheets, const struct pf_results *results);

#endif
