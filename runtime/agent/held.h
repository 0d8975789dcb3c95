/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that the process has locks on.  See held.c. */
#ifndef PF_AGENT_HELD_H
#define PF_AGENT_HELD_H

#include <stdbool.h>

/* Would the calling process lose a lock if it opened and closed PATH in FOLDER? */
bool pf_held(int folder, const char *path, int flags);

#endif
