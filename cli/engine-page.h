/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good estimates of invariance are, as a page for a browser. */
#ifndef PF_CLI_ENGINE_PAGE_H
#define PF_CLI_ENGINE_PAGE_H

#include "cli/engine-output.h"

/* Appends the page on COUNT programs, whose scores are known or not: one file that needs nothing else.  NAME is what
 * was looked at, foreign text.  False when out of memory. */
bool pf_engine_page_put(struct pf_buffer *out, const struct pf_engine_told *told, uint32_t count, const char *name);

#endif
