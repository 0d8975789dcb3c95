/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as several, one for each of its phases. */
#ifndef PF_CLI_PHASE_FILES_H
#define PF_CLI_PHASE_FILES_H

#include "perfdata/perfdata.h"

/* Writes PREFIX.N.data for each phase N, from 1 to COUNT, of the recording PATH: with all that it has but the bursts
 * whose number in PHASES (by burst of VECTORS, the recording's) is another than N - 1.  A phase without a burst has no
 * file. Errors of pf_perf_open, pf_perf_next and the writer. */
int pf_phase_files_write(const char *path, const char *prefix, const struct pf_vectors *vectors, const uint32_t *phases,
			 uint32_t count, struct pf_error *error);

#endif
