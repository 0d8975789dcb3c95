/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PF_RUNTIME_BUILDID_H
#define PF_RUNTIME_BUILDID_H

#include <stdint.h>

/* Puts the GNU build-id of the ELF file PATH into ID and returns its size, 1 to 20; 0 if there is none or the file
 * cannot be read. */
uint8_t pf_buildid_read(const char *path, uint8_t id[20]);

#endif
