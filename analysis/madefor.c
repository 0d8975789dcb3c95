/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See madefor.h.  Builds lose flags: objects that were there already, libraries with makefiles of their own, caches.
 * What that costs is the part of the profile in functions of such files.  The hard case is which file a function is of,
 * as the profile may have been recorded in another folder: that of the same name if there is one, else one alike. */
#include "analysis/madefor.h"
#include "profile/compiled.h"
#include "support/search.h"

#include <stdlib.h>
#include <string.h>

struct key {
	uint32_t hash; /* of the last component of the unit's file */
	size_t unit;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static int compare_units(const void *a, const void *b)
{
	const struct pf_madefor_unit *x = a, *y = b;

	if (x->asked != y->asked)
		return x->asked - y->asked;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->unit->file, y->unit->file);
}

static bool is_for(const struct pf_source_unit *unit, uint32_t hash, const char *path)
{
	return unit->made == PF_MADE_FOR_PROFILE &&
	       (unit->hash ? unit->hash == hash : strcmp(unit->profile, path) == 0);
}

/* Whether the units A and B were compiled for the same profile. */
static bool same_profile(const struct pf_source_unit *a, const struct pf_source_unit *b)
{
	return a->hash || b->hash ? a->hash == b->hash : strcmp(a->profile, b->profile) == 0;
}

static void count_profiles(struct pf_madefor *m)
{
	for (size_t i = 0; i < m->units.count; i++) {
		const struct pf_source_unit *unit = m->units.at[i].unit;
		bool known = unit->made != PF_MADE_FOR_PROFILE;

		for (size_t j = 0; j < i && !known; j++)
			known =
			    m->units.at[j].unit->made == PF_MADE_FOR_PROFILE && same_profile(m->units.at[j].unit, unit);
		m->profiles += !known;
	}
}

/* Adds the function to the units of its file: those of its very name, else those alike. */
static void place(struct pf_madefor *m, const struct key *keys, const struct pf_function *f)
{
	uint32_t hash = pf_compiled_key(f->file);
	struct pf_search search = pf_search_over(m->units.count);
	bool found = false, asked = false;

	while (pf_search_goes_on(&search))
		pf_search_step(&search, keys[search.middle].hash < hash);
	for (int alike = 0; alike < 2 && !found; alike++) {
		for (size_t i = search.low; i < m->units.count && keys[i].hash == hash; i++) {
			struct pf_madefor_unit *unit = &m->units.at[keys[i].unit];

			if (alike ? !pf_compiled_alike(unit->unit->file, f->file)
				  : strcmp(unit->unit->file, f->file) != 0)
				continue;
			unit->total += f->total;
			found = true;
			asked |= unit->asked;
		}
	}
	if (!found)
		m->elsewhere += f->total;
	else if (!asked)
		m->missed += f->total;
}

static int place_all(struct pf_madefor *m, const struct pf_profile *profile)
{
	struct key *keys = calloc(m->units.count + 1, sizeof *keys);

	if (!keys)
		return PF_ENOMEM;
	for (size_t i = 0; i < m->units.count; i++)
		keys[i] = (struct key) { pf_compiled_key(m->units.at[i].unit->file), i };
	qsort(keys, m->units.count, sizeof *keys, compare_keys);
	for (uint32_t i = 0; i < profile->function_count; i++) {
		m->total += profile->functions[i].total;
		place(m, keys, &profile->functions[i]);
	}
	free(keys);
	return PF_OK;
}

int pf_madefor_judge(const struct pf_source *source, const struct pf_profile *profile, uint32_t hash, const char *path,
		     struct pf_madefor *m, struct pf_error *error)
{
	int status = PF_OK;

	*m = (struct pf_madefor) { 0 };
	for (size_t i = 0; i < source->compiled.count && status == PF_OK; i++) {
		const struct pf_source_unit *unit = &source->compiled.at[i];
		struct pf_madefor_unit *new = pf_array_push(&m->units);

		if (!new) {
			status = PF_ENOMEM;
			break;
		}
		*new =
		    (struct pf_madefor_unit) { unit, 0,
					       profile ? is_for(unit, hash, path) : unit->made == PF_MADE_FOR_PROFILE };
		m->asked += new->asked;
		m->by_made[unit->made]++;
	}
	if (status == PF_OK && profile)
		status = place_all(m, profile);
	if (status < 0) {
		pf_madefor_fini(m);
		return pf_fail(error, PF_ENOMEM, "out of memory for %zu units", source->compiled.count);
	}
	count_profiles(m);
	pf_array_sort(&m->units, compare_units);
	return PF_OK;
}

void pf_madefor_fini(struct pf_madefor *m)
{
	pf_array_fini(&m->units);
}
