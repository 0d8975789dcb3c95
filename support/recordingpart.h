/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording can be a folder (perf record --threads): the file data in it, then data.0, data.1 and so on. */
#ifndef PF_SUPPORT_RECORDINGPART_H
#define PF_SUPPORT_RECORDINGPART_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The name of file NUMBER, from 0 on, of the recording at PATH, to PART; false if there is none.  What is no folder is
 * its own file 0. */
bool pf_recording_part(const char *path, uint32_t number, char part[PATH_MAX]);

#endif
