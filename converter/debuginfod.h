/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug information that neither the binary nor a package here has, from the servers that $DEBUGINFOD_URLS names, as
 * gdb and perf ask them: elfutils' libdebuginfod does it, and keeps what it gets (debuginfod_find_debuginfo(3)).  The
 * hard case is a machine without that library: it is looked for when it is needed, and not linked. */
#ifndef PF_CONVERTER_DEBUGINFOD_H
#define PF_CONVERTER_DEBUGINFOD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether $DEBUGINFOD_URLS names any. */
bool pf_debuginfod_is_set(void);

/* Asks for the debug information of what has the build-id ID of SIZE bytes, and writes to PATH where it is now.  That
 * may take as long as $DEBUGINFOD_TIMEOUT allows.  False, and REASON, of REASON_SIZE bytes, tells why: no server is
 * named (REASON stays as it is), the library is not there, or no server has it. */
bool pf_debuginfod_find(const uint8_t *id, uint64_t size, char path[PATH_MAX], char *reason, size_t reason_size);

#endif
