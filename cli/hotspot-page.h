/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot spots of a run as a page for a browser. */
#ifndef PF_CLI_HOTSPOT_PAGE_H
#define PF_CLI_HOTSPOT_PAGE_H

#include "analysis/hotspot-run.h"
#include "support/buffer.h"

/* Appends the page on R, of which TABLE is told: one file that needs nothing else.  NAME is what was run, SOURCE what
 * was seen of it; both are foreign text.  False when out of memory. */
bool pf_hotspot_page_put(struct pf_buffer *out, struct pf_hotspot_run *r, const struct pf_hotspot_table *table,
			 const char *name, const char *source);

#endif
