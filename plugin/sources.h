/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a translation unit as its source has them today. */
#ifndef PF_PLUGIN_SOURCES_H
#define PF_PLUGIN_SOURCES_H

#include "plugin/outline.h"

/* The linker's, that of the function it was made of, that in debug information, and further ones of the same body. */
#define PF_SOURCE_NAMES 6

struct pf_source_function {
	char *names[PF_SOURCE_NAMES]; /* all strings are owned; NULL behind the last one */
	char *file;
	uint32_t line;
	struct pf_outline outline; /* sorted; of a template, once the function was found: of all that is made of it */
	bool is_whole;             /* it has all of that */
};

struct pf_landmarks;
struct pf_sources;

/* An empty one; NULL when out of memory. */
struct pf_sources *pf_sources_alloc(void);
void pf_sources_free(struct pf_sources *sources);

/* Adds a function of the NAME_COUNT NAMES (further ones than PF_SOURCE_NAMES are left out), declared in LINE of FILE,
 * and takes OUTLINE over.  PF_ENOMEM. */
int pf_sources_add(struct pf_sources *s, const char *const *names, unsigned name_count, const char *file, uint32_t line,
		   struct pf_outline *outline);

/* The function that the profile has as NAME, declared in LINE of FILE: the only one of that name in a file of that
 * name, or the one that is nearest to where LANDMARKS let it be expected, if the next one is twice as far.  NULL if
 * there is none, or nothing tells them apart. */
const struct pf_source_function *pf_sources_find(struct pf_sources *s, const char *name, const char *file,
						 uint32_t line, struct pf_landmarks *landmarks);

/* A function that goes by a name which pf_outline_call makes CALL of; NULL if there is none. */
const struct pf_source_function *pf_sources_called(const struct pf_sources *s, uint64_t call);

/* The only function of NAME, in whatever file; NULL if there is none or there are several. */
const struct pf_source_function *pf_sources_only(struct pf_sources *s, const char *name);

#endif
