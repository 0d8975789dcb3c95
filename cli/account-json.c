/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The account of a conversion as JSON, all of it: what is one line for a reader is a list for a script.  The hard case
 * is text that is not UTF-8, as a path may be; what does not fit is replaced, not left out. */
#include "cli/account.h"
#include "cli/output.h"
#include "profile/json.h"
#include "support/jsontext.h"

#include <inttypes.h>

/* What stands between two items of a list, or in front of the first. */
static const char *between(size_t index)
{
	return index ? ",\n " : "\n ";
}

static void put_losses(struct pf_buffer *out, const struct pf_traffic *t)
{
	size_t count = 0;

	for (int drop = 0; drop < PF_DROP_COUNT; drop++) {
		if (t->drops[drop] == 0)
			continue;
		pf_buffer_printf(out, "%s{\"reason\": ", between(count++));
		pf_json_put_string(out, pf_traffic_drop_name((enum pf_drop)drop));
		pf_json_put_count(out, "count", t->drops[drop]);
		pf_json_put_field(out, "cure", pf_traffic_drop_cure((enum pf_drop)drop));
		pf_buffer_printf(out, "}");
	}
}

static void put_recordings(struct pf_buffer *out, const struct pf_conversion *c)
{
	for (size_t i = 0; i < c->recordings.count; i++) {
		const struct pf_recording *r = &c->recordings.at[i];

		pf_buffer_printf(out, "%s{\"event\": ", between(i));
		pf_json_put_string(out, r->event ? r->event : "");
		pf_json_put_field(out, "left_out", r->others ? r->others : "");
		pf_json_put_count(out, "samples", r->samples);
		pf_json_put_count(out, "lost", r->lost);
		pf_buffer_printf(out, "}");
	}
}

/* The other names of what is the same by its build-id. */
static void put_names(struct pf_buffer *out, const struct pf_traffic_module *m)
{
	pf_buffer_printf(out, ", \"names\": [");
	for (size_t i = 0; i < m->names.count; i++) {
		pf_buffer_printf(out, i ? ", " : "");
		pf_json_put_string(out, m->names.at[i]);
	}
	pf_buffer_printf(out, "]");
}

static void put_binaries(struct pf_buffer *out, const struct pf_conversion *c)
{
	for (size_t i = 0; i < c->accounts.count; i++) {
		const struct pf_module_account *a = &c->accounts.at[i];

		pf_buffer_printf(out, "%s{\"path\": ", between(i));
		pf_json_put_string(out, a->path);
		put_names(out, &c->traffic.modules.at[a->module]);
		pf_json_put_flag(out, "asked", a->asked);
		pf_json_put_flag(out, "used", a->state == PF_MODULE_USED);
		pf_json_put_flag(out, "several_builds", a->several);
		pf_json_put_field(out, "reason", a->reason);
		pf_json_put_count(out, "branches", a->branches);
		pf_json_put_count(out, "mapped", a->mapped);
		pf_json_put_count(out, "stubs", a->stubs);
		pf_json_put_count(out, "folded", a->folded);
		pf_json_put_count(out, "folds", a->folds);
		pf_json_put_count(out, "undeclared", a->undeclared);
		pf_json_put_count(out, "abroad", a->abroad);
		pf_json_put_count(out, "functions", a->functions);
		pf_json_put_count(out, "depth", a->depth);
		pf_json_put_count(out, "units", a->units);
		pf_json_put_count(out, "units_damaged", a->units_damaged);
		pf_json_put_count(out, "units_missing", a->units_missing);
		pf_json_put_count(out, "inlined", a->inlined);
		pf_json_put_count(out, "inlined_nowhere", a->inlined_nowhere);
		pf_buffer_printf(out, "}");
	}
}

static void put_pair(struct pf_buffer *out, const char *key, uint64_t read, uint64_t used)
{
	pf_buffer_printf(out, "\"%s\": {\"read\": %" PRIu64 ", \"used\": %" PRIu64 "},\n", key, read, used);
}

int pf_account_json(const struct pf_conversion *c, const char *error)
{
	const struct pf_traffic *t = &c->traffic;
	struct pf_buffer out = { 0 };

	pf_buffer_printf(&out, "{");
	put_pair(&out, "vectors", t->bursts_read, t->bursts_used);
	put_pair(&out, "branches", t->branches_read, t->branches_used);
	put_pair(&out, "samples", t->samples_read, t->samples_used);
	pf_buffer_printf(&out, "\"distinct\": %zu, \"lost\": %" PRIu64 ",\n\"dropped\": [", t->edges.count, t->lost);
	put_losses(&out, t);
	pf_buffer_printf(&out, "],\n\"recordings\": [");
	put_recordings(&out, c);
	pf_buffer_printf(&out, "],\n\"binaries\": [");
	put_binaries(&out, c);
	pf_buffer_printf(&out, "],\n\"agreement\": ");
	pf_json_put_agreement(&out, c->profile ? &c->profile->agreement : &(struct pf_agreement) { 0 });
	pf_buffer_printf(&out, ",\n\"error\": ");
	if (error)
		pf_json_put_string(&out, error);
	else
		pf_buffer_printf(&out, "null");
	pf_buffer_printf(&out, "}\n");
	return pf_output_print("convert", &out);
}
