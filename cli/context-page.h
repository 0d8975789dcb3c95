/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a calling context tree: a flame graph. */
#ifndef PF_CLI_CONTEXT_PAGE_H
#define PF_CLI_CONTEXT_PAGE_H

#include "analysis/contexts.h"
#include "support/buffer.h"

#include <stdbool.h>

/* Appends the page, a whole HTML document without scripts, of a finished tree whose functions have NAMES.  False
 * without memory. */
bool pf_context_page_put(struct pf_buffer *out, const struct pf_contexts *c, char *const *names);

#endif
