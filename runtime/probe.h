/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries each source of the recorder on this machine, for real. */
#ifndef PF_RUNTIME_PROBE_H
#define PF_RUNTIME_PROBE_H

#include "support/error.h"

#include <stdbool.h>

struct pf_probe {
	bool works;
	char text[1024]; /* what was seen; or why it does not work, and the command that would change it */
};

/* Opens the branch-stack event. */
void pf_probe_lbr(struct pf_probe *probe);

/* Runs a short shell loop under the recorder library and counts its bursts. */
void pf_probe_soft(struct pf_probe *probe);

/* Samples itself for some 20 ms. */
void pf_probe_clock(struct pf_probe *probe);

#endif
