/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sheets that say what it costs, and what all of it stands on. */
#ifndef PF_ANALYSIS_COSTS_H
#define PF_ANALYSIS_COSTS_H

#include "analysis/cells.h"

/* Tool cost and noise; of several programs overheads, compile time and sizes too, which are in the sheet of a single
 * one already (variant-sheet.h). */
void pf_sheets_costs(struct pf_sheets *sheets, const struct pf_results *results);

/* The programs, and all runs. */
void pf_sheets_runs(struct pf_sheets *sheets, const struct pf_results *results);

#endif
