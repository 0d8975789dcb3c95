/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches that some ways pass by, because what was tested before had decided them. */
#ifndef PF_PLUGIN_THREADED_H
#define PF_PLUGIN_THREADED_H

#include "plugin/looptest.h"

/* Marks the branches whose outcomes lack what their arms have, or what came to them: they become partial.  GROUPS has
 * one for each leader.  0, or -1 when out of memory. */
int pf_threaded_settle(struct pf_estimate *estimate, const struct pf_group *groups);

#endif
