/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A path profile as a text file:
 *
 *	pathfdo-paths 1
 *	build-id HEX                    ("-": the binary has none)
 *	function ADDRESS PATHS NAME     hexadecimal; how many paths the function has, which tells if it is the same
 *	NUMBER COUNT                    of that function; the count may have a fraction
 */
#ifndef PF_ANALYSIS_PATHFILE_H
#define PF_ANALYSIS_PATHFILE_H

#include "analysis/pathprofile.h"
#include "support/buffer.h"

struct pf_pathfile_function {
	uint64_t address, paths;
	uint64_t line; /* in the file */
};

struct pf_pathfile_count {
	size_t function; /* index */
	uint64_t number;
	double count;
};

struct pf_pathfile {
	char build_id[41];
	PF_ARRAY(struct pf_pathfile_function) functions;
	PF_ARRAY(struct pf_pathfile_count) counts;
};

/* Reads PATH.  PF_EIO, PF_EFORMAT, PF_EVERSION, PF_ENOMEM.  *F is the caller's, to pf_pathfile_fini, in any case. */
int pf_pathfile_read(struct pf_pathfile *f, const char *path, struct pf_error *error);

/* The same from SIZE bytes at BYTES. */
int pf_pathfile_parse(struct pf_pathfile *f, const void *bytes, size_t size, const char *path, struct pf_error *error);
void pf_pathfile_fini(struct pf_pathfile *f);

/* Counts what F, read from PATH, has into P as whole paths.  PF_EMISMATCH (another binary, or numbered otherwise),
 * PF_ENOMEM. */
int pf_pathfile_load(const struct pf_pathfile *f, const char *path, struct pf_path_profile *p, struct pf_error *error);

/* Appends the flows of P. */
void pf_pathfile_put(struct pf_buffer *out, struct pf_path_profile *p);

#endif
