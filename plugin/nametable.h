/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bodies.c knows of each name of the profile and of the translation unit. */
#ifndef PF_PLUGIN_NAMETABLE_H
#define PF_PLUGIN_NAMETABLE_H

#include <stdbool.h>
#include <stdint.h>

#define PF_NAME_BUCKETS 4096u

struct pf_name {
	struct pf_name *next; /* in the bucket */
	char *name;
	bool defined, taken;
	bool elsewhere, asked; /* of what is defined, as pf_identity has them */
	struct pf_taken_line *lines; /* of the functions taken that share this plain name */
	bool loaded;                 /* FIRST and FOUND are known */
	uint32_t first, found;       /* records that were read of it */
	uint32_t left;               /* most recent left instance plus one, 0 none */
};

/* A zeroed table is empty.  Entries stay where they are. */
struct pf_nametable {
	struct pf_name *buckets[PF_NAME_BUCKETS];
};

/* The entry of NAME; with CREATE NULL only when out of memory. */
struct pf_name *pf_nametable_find(struct pf_nametable *table, const char *name, bool create);
void pf_nametable_fini(struct pf_nametable *table);

/* Notes that the function at LINE is taken of those that share the name.  False when out of memory. */
bool pf_name_take_line(struct pf_name *name, uint32_t line);

/* Whether the function of this name and LINE was taken. */
bool pf_name_is_taken(const struct pf_name *name, uint32_t line);

#endif
