/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brings records of a profile to today's source. */
#ifndef PF_PLUGIN_EDITS_H
#define PF_PLUGIN_EDITS_H

#include "plugin/align.h"
#include "plugin/sources.h"
#include "profile/pfdo.h"

struct pf_edits;

/* What is known of edits to SOURCES since FILE was profiled: nothing yet.  Both must outlive it.  NULL when out of
 * memory. */
struct pf_edits *pf_edits_alloc(struct pf_sources *sources, struct pf_pfdo *file);
void pf_edits_free(struct pf_edits *edits);

/* Notes that a function which is declared in line PROFILED of FILE in the profile is declared in line TODAY.  Functions
 * that are known by name tell where those of one name are.  PF_ENOMEM. */
int pf_edits_learn(struct pf_edits *edits, const char *file, uint32_t profiled, uint32_t today);

/* The function that NODE's became: one of another name that is called where that was, or one of the same name in a file
 * that is new since the profile was made, and most of what the profile knows is found in it.  NULL if there is none, or
 * not enough is known to say. */
const struct pf_source_function *pf_edits_moved(struct pf_edits *edits, const struct pf_node *node);

/* The function that NODE's is in a file that was there before, by its name and line, or by its name if the file has but
 * one of that.  NULL if there is none. */
const struct pf_source_function *pf_edits_today(struct pf_edits *edits, const struct pf_node *node);

/* The name that the profile probably has for the function NAME of today's, declared in LINE: pf_edits_moved knows.
 * NULL: no other than that. */
const char *pf_edits_former(const struct pf_edits *edits, const char *name, uint32_t line);

/* Moves all positions of FUNCTION to where they are today, those of each node by the source that the node is of; its
 * records are sorted again, and may be several of one place.  Adds to *FOUND how many of its records were moved.
 * A function of which nothing was edited is not touched.  PF_ENOMEM and the errors of pf_pfdo_find. */
int pf_edits_apply(struct pf_edits *edits, struct pf_function *function, uint32_t *found, struct pf_error *error);

#endif
