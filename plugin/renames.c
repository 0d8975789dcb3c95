/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See renames.h.  A function of a public name is there once, so where it was is where its file was.  The hard case is a
 * function that moved to another file of the same name: then the functions of a file contradict each other, and its own
 * name holds. */
#include "plugin/renames.h"
#include "plugin/match.h"
#include "profile/compiled.h"

static struct pf_rename *find(const struct pf_renames *r, const char *own)
{
	for (size_t i = 0; i < r->list.count; i++) {
		if (strcmp(r->list.at[i].own, own) == 0)
			return &r->list.at[i];
	}
	return NULL;
}

int pf_renames_learn(struct pf_renames *r, const char *own, const char *profiled)
{
	struct pf_rename *known = find(r, own), *new;

	if (!pf_match_same_file(own, profiled))
		return PF_OK;
	if (known) {
		if (known->profiled && strcmp(known->profiled, profiled) != 0) {
			free(known->profiled);
			known->profiled = NULL;
		}
		return PF_OK;
	}
	new = pf_array_push(&r->list);
	if (!new)
		return PF_ENOMEM;
	new->own = strdup(own);
	new->profiled = strdup(profiled);
	if (new->own &&new->profiled)
		return PF_OK;
	free(new->own);
	free(new->profiled);
	r->list.count--;
	return PF_ENOMEM;
}

void pf_renames_fini(struct pf_renames *r)
{
	for (size_t i = 0; i < r->list.count; i++) {
		free(r->list.at[i].own);
		free(r->list.at[i].profiled);
	}
	pf_array_fini(&r->list);
}

const char *pf_renames_of(const struct pf_renames *r, const char *own)
{
	const struct pf_rename *known = find(r, own);

	return known && known->profiled && !pf_compiled_alike(own, known->profiled) ? known->profiled : own;
}
