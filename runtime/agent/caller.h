/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that the caller of a library call names, and that libc would hand to the kernel.  See caller.c. */
#ifndef PF_AGENT_CALLER_H
#define PF_AGENT_CALLER_H

#include <stdbool.h>
#include <stddef.h>

/* SIZE bytes at FROM, which nothing else may read.  False if they are not all there: the call is to be made with what
 * the caller gave, to be refused as it would have been. */
bool pf_caller_reads(void *to, const void *from, size_t size);
/* Is all of a text there, or of a list of texts up to a NULL? */
bool pf_caller_has_text(const char *text);
bool pf_caller_has_list(char *const list[]);

#endif
