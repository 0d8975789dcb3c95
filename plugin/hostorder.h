/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which the functions of a translation unit are annotated. */
#ifndef PF_PLUGIN_HOSTORDER_H
#define PF_PLUGIN_HOSTORDER_H

#include "plugin/bodies.h"

/* A profile of which records are read when they are asked for. */
struct pf_host_source {
	struct pf_pfdo *file;
	/* *FUNCTIONS are the COUNT out-of-line records of NAME, until the next call.  PF_EFORMAT, PF_ENOMEM. */
	int (*load)(void *closure, const char *name, const struct pf_function **functions, uint32_t *count);
	/* Whether NODE, which has a name of WHO, may be an instance or the own record of WHO. */
	bool (*may_be)(void *closure, const struct pf_identity *who, const struct pf_node *node);
	void *closure;
};

/* Writes to ORDER the numbers of the COUNT functions WHO so that each stands behind those of them that have an instance
 * of it in SOURCE, or an instance in which there is one, and else as early as it was.  Where two have each other
 * inlined the one that stands first in WHO may stand behind the other.  PF_EFORMAT (damaged), PF_ENOMEM: ORDER is
 * undefined. */
int pf_host_order(const struct pf_host_source *source, const struct pf_identity *const *who, uint32_t count,
		  uint32_t *order);

#endif
