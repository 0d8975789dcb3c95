/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a comparison found, as JSON (doc/pathfdo-compare.md has the schema), with what is to be known of the machine. */
#ifndef PF_ANALYSIS_FINDINGS_H
#define PF_ANALYSIS_FINDINGS_H

#include "analysis/contest.h"

/* First lines of `pathfdo --version`, the compilers' and valgrind's --version: an object of strings, without what is
 * not there.  NULL when out of memory or interrupted. */
json_t *pf_findings_versions(const struct pf_plan *plan);

/* The whole document, with VERSIONS.  NULL when out of memory. */
json_t *pf_findings_make(const struct pf_contest *contest, json_t *versions);

#endif
