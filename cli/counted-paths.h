/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instrumented programs counted, shown by `pathfdo paths --exact`. */
#ifndef PF_CLI_COUNTED_PATHS_H
#define PF_CLI_COUNTED_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds up COUNT files NAME.PID.paths and prints their TOP most frequent paths (0: all), as JSON with counts of blocks
 * and edges. The command's status. */
int pf_counted_paths_show(const char *const *files, size_t count, uint32_t top, bool json);

#endif
