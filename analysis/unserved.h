/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why recordings tell nothing of a binary. */
#ifndef PF_ANALYSIS_UNSERVED_H
#define PF_ANALYSIS_UNSERVED_H

#include "analysis/subject.h"
#include "perfdata/perfdata.h"

/* Fails with the reason why T, settled, has nothing in the functions of S, and what helps; with VECTORS, nothing whose
 * order is known.  PF_EMISMATCH if another build of S was recorded, else PF_EEMPTY. */
int pf_unserved(struct pf_subject *s, const struct pf_traffic *t, bool vectors, struct pf_error *error);

/* The same for the recording FILE at PATH, of which vectors of the software recorder were sought: V are those that it
 * has, NULL without any. */
int pf_unserved_vectors(const char *path, const struct pf_perf_file *file, const struct pf_vectors *v,
			struct pf_error *error);

#endif
