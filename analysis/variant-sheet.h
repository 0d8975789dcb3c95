/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sheet of a single program: a row for each variant. */
#ifndef PF_ANALYSIS_VARIANT_SHEET_H
#define PF_ANALYSIS_VARIANT_SHEET_H

#include "analysis/cells.h"

/* Gains, costs and sizes of the first program of RESULTS. */
void pf_sheets_variants(struct pf_sheets *sheets, const struct pf_results *results);

#endif
