/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table of names.  The hard case is the name that is not one function's: which of those that share it was taken
 * is known by their lines. */
#include "plugin/nametable.h"

#include <stdlib.h>
#include <string.h>

struct pf_taken_line {
	struct pf_taken_line *next;
	uint32_t line;
};

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash % PF_NAME_BUCKETS;
}

struct pf_name *pf_nametable_find(struct pf_nametable *table, const char *name, bool create)
{
	struct pf_name **bucket = &table->buckets[hash_of(name)];

	for (struct pf_name *e = *bucket; e; e = e->next) {
		if (strcmp(e->name, name) == 0)
			return e;
	}
	if (!create)
		return NULL;
	struct pf_name *e = calloc(1, sizeof *e);
	if (!e || !(e->name = strdup(name))) {
		free(e);
		return NULL;
	}
	e->next = *bucket;
	return *bucket = e;
}

static void free_name(struct pf_name *name)
{
	while (name->lines) {
		struct pf_taken_line *t = name->lines;

		name->lines = t->next;
		free(t);
	}
	free(name->name);
	free(name);
}

void pf_nametable_fini(struct pf_nametable *table)
{
	for (uint32_t i = 0; i < PF_NAME_BUCKETS; i++) {
		while (table->buckets[i]) {
			struct pf_name *e = table->buckets[i];

			table->buckets[i] = e->next;
			free_name(e);
		}
	}
}

bool pf_name_take_line(struct pf_name *name, uint32_t line)
{
	struct pf_taken_line *t = malloc(sizeof *t);

	if (!t)
		return false;
	*t = (struct pf_taken_line) { name->lines, line };
	name->lines = t;
	return true;
}

bool pf_name_is_taken(const struct pf_name *name, uint32_t line)
{
	const struct pf_taken_line *t = name->lines;

	while (t && t->line != line)
		t = t->next;
	return name->taken || t;
}
