/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the program to record before it runs: where it is, and whether a library can be preloaded into
 * it. */
#ifndef PF_RUNTIME_TARGET_H
#define PF_RUNTIME_TARGET_H

#include "support/error.h"

#include <limits.h>
#include <sys/types.h>

struct pf_target {
	char path[PATH_MAX]; /* the program, found by PATH */
	pid_t pid;           /* of a process that runs it already; 0: it is to be started */
};

/* Finds COMMAND as execvp would.  PF_ENOTFOUND (no such program), PF_EIO (there, but may not be executed). */
int pf_target_find(struct pf_target *target, const char *command, struct pf_error *error);

/* *PROGRAM becomes what TARGET runs by its arguments ARGV: what the dynamic loader, if it is that, is to run, else
 * TARGET. */
void pf_target_program(const struct pf_target *target, char *const argv[], struct pf_target *program);

/* PF_OK if a library can be preloaded into the program, or for a script into its interpreter, or into what the dynamic
 * loader is to run by its arguments ARGV; PF_EUNSUPPORTED if that is static, set-user-id, for another architecture or
 * another C library, or linked with a sanitizer, or if the loader runs nothing: the text says which and what to do. */
int pf_target_preloadable(const struct pf_target *target, char *const argv[], struct pf_error *error);

#endif
