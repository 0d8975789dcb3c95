/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source.h: what was read, and what it owns. */
#include "converter/source.h"

char *pf_source_keep(struct pf_source *source, char *text)
{
	char **slot = text ? pf_array_push(&source->strings) : NULL;

	if (slot)
		*slot = text;
	else
		free(text);
	return slot ? text : NULL;
}

void pf_source_fini(struct pf_source *source)
{
	for (size_t i = 0; i < source->functions.count; i++) {
		pf_array_fini(&source->functions.at[i].nodes);
		pf_array_fini(&source->functions.at[i].ranges);
		pf_array_fini(&source->functions.at[i].rows);
	}
	for (size_t i = 0; i < source->strings.count; i++)
		free(source->strings.at[i]);
	pf_array_fini(&source->functions);
	pf_array_fini(&source->origins);
	pf_array_fini(&source->files);
	pf_array_fini(&source->compiled);
	pf_array_fini(&source->split);
	pf_array_fini(&source->folds);
	pf_array_fini(&source->strings);
}
