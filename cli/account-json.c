/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The account of a conversion as JSON, all of it: what is one line for a reader is a list for a script.  The hard case
 * is text that is not UTF-8, as a path may be; what does not fit is replaced, not left out. */
#include "cli/account.h"
#include "profile/agreement.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UTF8_MOST 4

/* TEXT as a string; each byte that belongs to no character is a question mark. */
static json_t *string_of(const char *text)
{
	json_t *string = json_string(text);
	char *copy;

	if (string || !(copy = strdup(text)))
		return string;
	for (char *c = copy; *c;) {
		json_t *character = NULL;
		size_t length = 0, left = strlen(c);

		while (!character && length < UTF8_MOST && length < left)
			character = json_stringn(c, ++length);
		if (!character)
			*c = '?';
		c += character ? length : 1;
		json_decref(character);
	}
	string = json_string(copy);
	free(copy);
	return string;
}

static json_t *integer(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* LIST with ITEM, both taken over; NULL when out of memory, so that no list lacks an item. */
static json_t *with(json_t *list, json_t *item)
{
	if (json_array_append_new(list, item) == 0)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *losses_of(const struct pf_traffic *t)
{
	json_t *losses = json_array();

	for (int drop = 0; drop < PF_DROP_COUNT; drop++) {
		if (t->drops[drop] > 0)
			losses = with(losses,
				      json_pack("{s:s, s:o, s:s}", "reason", pf_traffic_drop_name((enum pf_drop)drop),
						"count", integer(t->drops[drop]), "cure",
						pf_traffic_drop_cure((enum pf_drop)drop)));
	}
	return losses;
}

static json_t *recordings_of(const struct pf_conversion *c)
{
	json_t *recordings = json_array();

	for (size_t i = 0; i < c->recordings.count; i++) {
		const struct pf_recording *r = &c->recordings.at[i];

		recordings =
		    with(recordings, json_pack("{s:o, s:o, s:o, s:o}", "event", string_of(r->event ? r->event : ""),
					       "left_out", string_of(r->others ? r->others : ""), "samples",
					       integer(r->samples), "lost", integer(r->lost)));
	}
	return recordings;
}

static json_t *binaries_of(const struct pf_conversion *c)
{
	json_t *binaries = json_array();

	for (size_t i = 0; i < c->accounts.count; i++) {
		const struct pf_module_account *a = &c->accounts.at[i];

		binaries = with(binaries, json_pack("{s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:i}",
						    "path", string_of(a->path), "asked", a->asked, "used",
						    a->state == PF_MODULE_USED, "reason", string_of(a->reason),
						    "branches", integer(a->branches), "mapped", integer(a->mapped),
						    "stubs", integer(a->stubs), "functions", (int)a->functions, "depth",
						    (int)a->depth, "units", (int)a->units, "units_damaged",
						    (int)a->units_damaged, "units_missing", (int)a->units_missing));
	}
	return binaries;
}

static json_t *agreement_of(const struct pf_agreement *agreement)
{
	uint32_t permille = pf_agreement_permille(agreement);

	if (permille == PF_AGREEMENT_UNKNOWN)
		return json_null();
	return json_pack("{s:i, s:o}", "permille", (int)permille, "looks", integer(agreement->looks));
}

static json_t *pair(uint64_t read, uint64_t used)
{
	return json_pack("{s:o, s:o}", "read", integer(read), "used", integer(used));
}

int pf_account_json(const struct pf_conversion *c, const char *error)
{
	const struct pf_traffic *t = &c->traffic;
	json_t *root =
	    json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "vectors", pair(t->bursts_read, t->bursts_used),
		      "branches", pair(t->branches_read, t->branches_used), "samples",
		      pair(t->samples_read, t->samples_used), "distinct", integer(t->edges.count), "lost",
		      integer(t->lost), "dropped", losses_of(t), "recordings", recordings_of(c), "binaries",
		      binaries_of(c), "agreement", c->profile ? agreement_of(&c->profile->agreement) : json_null());
	int status = root && json_object_set_new(root, "error", error ? string_of(error) : json_null()) == 0 ? 0 : -1;

	if (status == 0)
		status = json_dumpf(root, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(root);
	return status;
}
