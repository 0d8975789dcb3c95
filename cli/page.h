/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as a page for a browser. */
#ifndef PF_CLI_PAGE_H
#define PF_CLI_PAGE_H

#include "profile/model.h"

#define PF_PAGE_FOLDERS 16

struct pf_page {
	const char *folders[PF_PAGE_FOLDERS + 2]; /* where sources are looked for, besides "." */
	int folder_count;
	const char *report; /* a build's, NULL without */
};

/* Writes the page on PROFILE, which the user knows as NAME, to PATH: one file that needs nothing else.  Errors of
 * reading the report (buildlog.h) and of writing; PF_ENOMEM. */
int pf_page_write(const struct pf_profile *profile, const char *name, const struct pf_page *page, const char *path,
		  struct pf_error *error);

#endif
