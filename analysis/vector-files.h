/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings as vectors in their order, for the analyses that need more than sums. */
#ifndef PF_ANALYSIS_VECTOR_FILES_H
#define PF_ANALYSIS_VECTOR_FILES_H

#include "converter/intake.h"

/* Adds the COUNT perf.data FILES to T, settled, weighed by WEIGHTING, and tells LISTENER of their vectors.  Errors of
 * pf_known_files_add (one named twice) and pf_intake_file. */
int pf_vector_files_read(struct pf_traffic *t, const char *const *files, size_t count, enum pf_weighting weighting,
			 const struct pf_listener *listener, struct pf_error *error);

#endif
