/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hotspot-phases.h.  The detector knows a hot spot only from the moment on when it is found; afterwards its
 * branches are known, and bursts from before are looked at again.  Of hot spots that share branches, as those of one
 * loop that goes different ways do, the one with more of them in the burst has it; of equals the first. */
#include "analysis/hotspot-phases.h"

struct census {
	const struct pf_hotspot_run *run;
	uint32_t *first, *next; /* members of each end, as lists */
	uint32_t *counts;       /* by hot spot, of the burst at hand */
	uint32_t branches;
};

static void list_members(struct census *c)
{
	const struct pf_monitor_table *monitor = &c->run->detector.monitor;

	memset(c->first, 0xff, c->run->steps.ends.count * sizeof *c->first);
	for (uint32_t i = 0; i < monitor->members.count; i++) {
		c->next[i] = c->first[monitor->members.at[i].tag];
		c->first[monitor->members.at[i].tag] = i;
	}
}

/* With directions in the key a branch of a hot spot is one that goes the same way. */
static void count_step(struct census *c, uint32_t process, const struct pf_branch_step *step)
{
	const struct pf_hotspots *d = &c->run->detector;
	uint64_t key = d->parameters.direction ? step->address << 1 | step->taken : step->address;

	for (uint32_t i = c->first[step->end]; i != PF_NO_MEMBER; i = c->next[i]) {
		const struct pf_monitor_member *member = &d->monitor.members.at[i];

		if (member->process == process && member->key == key)
			c->counts[member->hotspot]++;
	}
	c->branches++;
}

static uint32_t phase_of(struct census *c, const struct pf_vec_burst *burst)
{
	uint32_t spots = (uint32_t)c->run->detector.spots.count, best = PF_NO_HOTSPOT;

	memset(c->counts, 0, spots * sizeof *c->counts);
	c->branches = 0;
	for (uint32_t i = 0; i < burst->edge_count; i++) {
		const struct pf_edge_steps *edge = &c->run->steps.edges.at[burst->edges[i]];

		for (uint32_t k = 0; k < edge->count; k++)
			count_step(c, edge->process, &c->run->steps.steps.at[edge->first + k]);
	}
	for (uint32_t h = 0; h < spots; h++) {
		if (c->counts[h] * 2ul >= c->branches && c->counts[h] &&
		    (best == PF_NO_HOTSPOT || c->counts[h] > c->counts[best]))
			best = h;
	}
	return best;
}

uint32_t *pf_hotspot_phases(const struct pf_hotspot_run *r, const struct pf_vectors *v)
{
	struct census c = { .run = r,
			    .first = calloc(r->steps.ends.count + 1, sizeof *c.first),
			    .next = calloc(r->detector.monitor.members.count + 1, sizeof *c.next),
			    .counts = calloc(r->detector.spots.count + 1, sizeof *c.counts) };
	uint32_t *phases = calloc(v->burst_count + 1, sizeof *phases);

	if (c.first && c.next && c.counts && phases) {
		list_members(&c);
		for (uint64_t i = 0; i < v->burst_count; i++)
			phases[i] = phase_of(&c, &v->bursts[i]);
	} else {
		free(phases);
		phases = NULL;
	}
	free(c.first);
	free(c.next);
	free(c.counts);
	return phases;
}
