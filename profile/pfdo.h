/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .pfdo file (doc/pfdo-format): writer, whole reader, and the reader of single functions that a compile uses:
 * it maps the file and touches only the header, the index and the functions that it asks for. */
#ifndef PF_PROFILE_PFDO_H
#define PF_PROFILE_PFDO_H

#include "profile/model.h"

/* Canonicalises PROFILE and writes it to PATH ("-": standard output); whole or not at all.  The same profile gives the
 * same bytes. PF_ENOMEM, PF_EIO, PF_EINVAL. */
int pf_pfdo_write(struct pf_profile *profile, const char *path, struct pf_error *error);

/* Reads the whole file ("-": standard input) and checks all of it.  *PROFILE is canonical and the caller's, to
 * pf_profile_free.  PF_EIO, PF_EFORMAT (foreign or damaged; the text has the offset), PF_ETRUNCATED, PF_EVERSION,
 * PF_ELIMIT (no regular file, and more than 1 GiB), PF_ENOMEM. */
int pf_pfdo_read(const char *path, struct pf_profile **profile, struct pf_error *error);

struct pf_pfdo; /* an open, mapped file */

/* Maps PATH and checks header, chunk table and summary: constant time; the rest is checked where it is touched.
 * Errors as pf_pfdo_read. */
int pf_pfdo_open(const char *path, struct pf_pfdo **file, struct pf_error *error);
void pf_pfdo_close(struct pf_pfdo *file);

const struct pf_summary *pf_pfdo_summary(const struct pf_pfdo *file);
const struct pf_agreement *pf_pfdo_agreement(const struct pf_pfdo *file);
enum pf_count_unit pf_pfdo_unit(const struct pf_pfdo *file);

/* A hash of all that is in the file, in constant time: the header's CRC, which covers those of the chunks.  Build
 * systems and compiler caches compare flags, not the files that these name; with the hash among them, another profile
 * is another command.  Two files that were written before version 1.3 of the format may differ in single counts and not
 * in this. */
uint32_t pf_pfdo_hash(const struct pf_pfdo *file);

/* Appends the recordings that FILE's counts come from to those of PROFILE, and reads nothing else of it.  PF_EFORMAT,
 * PF_ENOMEM. */
int pf_pfdo_provenances(struct pf_pfdo *file, struct pf_profile *profile, struct pf_error *error);

/* Finds out-of-line function records: *FOUND is how many functions have linkage name NAME; reads them into the arrays
 * of PROFILE (a caller's pf_profile, to which they are appended; functions from *FIRST on).  A name that is absent is
 * *FOUND = 0 and PF_OK.  PF_EFORMAT (damaged function; the text has the offset), PF_ENOMEM. */
int pf_pfdo_find(struct pf_pfdo *file, const char *name, struct pf_profile *profile, uint32_t *first, uint32_t *found,
		 struct pf_error *error);

/* Calls VISIT with the name of every out-of-line function that has an inlined instance of NAME (each once, sorted):
 * a compile adds up the instances that it does not replay.  Stops when VISIT returns non-zero and returns that.
 * PF_OK, also when there is none; PF_EFORMAT (damaged), PF_ENOMEM. */
int pf_pfdo_hosts(struct pf_pfdo *file, const char *name, int (*visit)(const char *host, void *closure), void *closure);

/* Whether the profiled binaries were compiled from a file such as NAME (folded, from the root where possible; compared
 * as pf_compiled_alike says): 1 or 0.  PF_ENOTFOUND (the profile does not say what they were compiled from; *ERROR is
 * not set), PF_EFORMAT (damaged), PF_ENOMEM. */
int pf_pfdo_compiled(struct pf_pfdo *file, const char *name, struct pf_error *error);

/* Whether the profiled binaries were compiled from the file NAME, folded, under this very name.  Two files that are
 * both listed are two.  A damaged list has no names. */
bool pf_pfdo_lists(struct pf_pfdo *file, const char *name);

#endif
