/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as several, one for each of its phases. */
#ifndef PF_CLI_PHASE_FILES_H
#define PF_CLI_PHASE_FILES_H

#include "perfdata/perfdata.h"

/* Writes PREFIX.N.data for each phase N, from 1 to COUNT, of the recording PATH: with all that it has but the bursts
 * whose number in PHASES (by burst of VECTORS, the recording's) is another than N - 1.  A phase without a burst has no
 * file; one that is there all the same, or behind the last phase, is told on standard error.  Errors of pf_perf_open,
 * pf_perf_next and the writer. */
int pf_phase_files_write(const char *path, const char *prefix, const struct pf_vectors *vectors, const uint32_t *phases,
			 uint32_t count, struct pf_error *error);

/* Writes phase NUMBER, from 1, of the recording PATH to NAME: the hot spots are those that the detector finds by its
 * defaults.  PF_ENOTFOUND: there is no such; and as above. */
int pf_phase_file_write(const char *path, const char *name, uint32_t number, struct pf_error *error);

#endif
