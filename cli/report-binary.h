/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo report PROGRAM`: which of a program's units were compiled for which profile. */
#ifndef PF_CLI_REPORT_BINARY_H
#define PF_CLI_REPORT_BINARY_H

#include <stdbool.h>

struct pf_report_binary {
	const char *profile;   /* that it was meant to be compiled for; NULL: any */
	const char *debug_dir; /* as for convert; NULL: none */
	bool all, json;
};

/* Whether PATH is a program or a library: a regular file in ELF. */
bool pf_report_is_binary(const char *path);

/* Prints what PATH was compiled for; the exit status, which is 1, too, if a part of the profile is in files that were
 * not compiled for it. */
int pf_report_on_binary(const char *path, const struct pf_report_binary *options);

#endif
