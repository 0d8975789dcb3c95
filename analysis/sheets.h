/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of the report. */
#ifndef PF_ANALYSIS_SHEETS_H
#define PF_ANALYSIS_SHEETS_H

#include "analysis/cells.h"

/* Lays out all of RESULTS, which must outlive SHEETS; released by pf_sheets_fini.  PF_ENOMEM; on failure there is
 * nothing to release. */
int pf_sheets_make(struct pf_sheets *sheets, const struct pf_results *results, struct pf_error *error);

#endif
