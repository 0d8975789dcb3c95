/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders as a whole: what is in them as one number, fresh ones, and none. */
#ifndef PF_ANALYSIS_TREE_H
#define PF_ANALYSIS_TREE_H

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_DIGEST_START 0xcbf29ce484222325u /* of nothing */

/* The digest of what DIGEST stands for and SIZE further bytes: FNV-1a, for changes, not against forgery. */
uint64_t pf_digest_bytes(uint64_t digest, const void *bytes, size_t size);

/* The same with a string and its NUL; NULL counts as one of its own. */
uint64_t pf_digest_string(uint64_t digest, const char *string);

/* The same with the contents of a file.  PF_EIO. */
int pf_digest_file(uint64_t *digest, const char *path, struct pf_error *error);

/* The same with names, kinds, executable bits and contents of all below PATH, but .git.  PF_EIO, PF_ENOMEM. */
int pf_digest_tree(uint64_t *digest, const char *path, struct pf_error *error);

/* Makes the folder and those above it that are not there.  PF_EIO. */
int pf_tree_make(const char *path, struct pf_error *error);

/* Removes PATH with all below it, write-protected folders too; what is not there is well.  PF_EIO. */
int pf_tree_remove(const char *path, struct pf_error *error);

/* Removes PATH and makes it anew, empty.  PF_EIO. */
int pf_tree_renew(const char *path, struct pf_error *error);

/* Calls VISIT with each regular file below PATH, in an order that depends on the names alone.  Stops at and returns the
 * first result that is not 0.  PF_EIO, PF_ENOMEM. */
int pf_tree_walk(const char *path, int (*visit)(void *context, const char *path), void *context,
		 struct pf_error *error);

bool pf_tree_has(const char *path);

#endif
