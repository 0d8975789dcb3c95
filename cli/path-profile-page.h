/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of the paths of a recording, or of a profile of machine code. */
#ifndef PF_CLI_PATH_PROFILE_PAGE_H
#define PF_CLI_PATH_PROFILE_PAGE_H

#include "analysis/pathprofile.h"
#include "cli/path-page.h"

/* Appends the page of the TOP hottest paths of P, credited, whose functions are SUBJECT's.  What PAGE has besides paths
 * is taken from it.  False without memory. */
bool pf_path_profile_page_put(struct pf_buffer *out, struct pf_subject *subject, const struct pf_path_profile *p,
			      size_t top, const struct pf_path_page *page);

#endif
