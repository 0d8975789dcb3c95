/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sightings.h.  The table has a fixed number of sites, and of each site's values a fixed number: those of Misra and
 * Gries (Finding repeated elements, 1982).  A value that is not among them, where no place is free, costs each of them
 * one: so a count is never too high, and lacks at most the ninth part of all sightings; whatever makes up more than
 * that is in the table.  Hard case: the table lies in memory that other users may write, so nothing that is read there
 * is an index. */
#include "runtime/agent/sightings.h"

static uint64_t low_bits(uint64_t value, uint32_t width, bool is_signed)
{
	unsigned int unused = 64 - 8 * width;

	if (unused == 0 || unused >= 64)
		return value;
	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}

static void count_value(struct pf_wire_site *site, int64_t value)
{
	uint32_t free = PF_WIRE_SITE_VALUES;

	for (uint32_t i = 0; i < PF_WIRE_SITE_VALUES; i++) {
		if (site->counts[i] && site->values[i] == value) {
			site->counts[i]++;
			return;
		}
		if (!site->counts[i])
			free = i;
	}
	if (free < PF_WIRE_SITE_VALUES) {
		site->values[free] = value;
		site->counts[free] = 1;
		return;
	}
	for (uint32_t i = 0; i < PF_WIRE_SITE_VALUES; i++)
		site->counts[i]--;
}

static void count_string(struct pf_wire_site *site, const struct pf_sighting *s)
{
	uint32_t alignment = s->second ? (uint32_t)__builtin_ctzll(s->second) : PF_WIRE_MOST_ALIGNED;

	site->classes[alignment < PF_WIRE_MOST_ALIGNED ? alignment : PF_WIRE_MOST_ALIGNED]++;
	site->sum += s->value;
	count_value(site, (int64_t)s->value);
}

static void count_division(struct pf_wire_site *site, const struct pf_sighting *s)
{
	uint32_t width = PF_SIGHT_WIDTH(s->form);
	bool is_signed = PF_SIGHT_IS_SIGNED(s->form);
	uint64_t divisor = low_bits(s->value, width, is_signed), quotient;

	count_value(site, (int64_t)divisor);
	if (is_signed || width < 4 || !divisor)
		return;
	quotient = low_bits(s->second, width, false) / divisor;
	site->classes[quotient < 2 ? quotient : 2]++;
	site->classes[PF_WIRE_POWER] += (divisor & (divisor - 1)) == 0;
}

/* What WIDTH bytes are; arguments have all of a register. */
static void count_word(struct pf_wire_site *site, const struct pf_sighting *s, uint32_t width)
{
	uint64_t value = low_bits(s->value, width, false), stride = value - site->last;

	if (site->row >= 2)
		site->classes[stride == 0 ? PF_NEXT_SAME : stride == site->stride ? PF_NEXT_STRIDED : PF_NEXT_OTHER]++;
	site->row++;
	site->stride = stride;
	site->last = value;
	site->ones |= value;
	site->zeros |= low_bits(~value, width, false);
	count_value(site, (int64_t)value);
}

/* A call through a stub is at the branch that led there: false if that was not recorded. */
static bool leave_stub(struct pf_recording *r, const struct pf_run *run, uint32_t asked, struct pf_sighting *s)
{
	uint64_t back = 0 - s->pc;
	uint32_t edge;

	if (back >= asked || back >= PF_MAX_BRANCHES)
		return false;
	edge = run->buffer[PF_MAX_BRANCHES - back - 1];
	s->form = PF_SIGHT_STRING;
	s->pc = pf_recording_from(r, edge);
	return s->pc;
}

/* The site of S in the table, made if it is new; NULL if there is no room. */
static struct pf_wire_site *find_site(struct pf_recording *r, const struct pf_sighting *s,
				      const struct pf_modules *modules)
{
	struct pf_wire_site *sites = pf_recording_sites(r), *site;
	uint32_t mask = r->site_hash_size - 1, slot = (uint32_t)((s->pc * 0x9e3779b97f4a7c15ull) >> 40) & mask;
	const struct pf_module *module;

	for (; r->site_hash[slot]; slot = (slot + 1) & mask)
		if (sites[r->site_hash[slot] - 1].pc == s->pc && sites[r->site_hash[slot] - 1].form == s->form)
			return &sites[r->site_hash[slot] - 1];
	if (r->sites_used == r->layout.sites.capacity) {
		r->header->lost_sightings++;
		return NULL;
	}
	module = pf_modules_find(modules, s->pc);
	site = &sites[r->sites_used];
	*site = (struct pf_wire_site) { .pc = s->pc, .form = s->form, .map = module ? module->map : PF_NO_MAP };
	r->site_hash[slot] = ++r->sites_used;
	__atomic_store_n(&r->header->sites_used, r->sites_used, __ATOMIC_RELEASE);
	return site;
}

static void add(struct pf_recording *r, const struct pf_sighting *s, const struct pf_modules *modules)
{
	struct pf_wire_site *site = find_site(r, s, modules);

	if (!site)
		return;
	if (site->moment != r->moments) {
		site->moment = r->moments;
		site->looks++;
		site->row = 0;
	}
	site->total++;
	switch (PF_SIGHT_KIND(s->form)) {
	case PF_SIGHT_STRING:
		count_string(site, s);
		break;
	case PF_SIGHT_SWITCH:
		count_value(site, (int64_t)s->value);
		break;
	case PF_SIGHT_LOAD:
	case PF_SIGHT_STORE:
		count_word(site, s, PF_SIGHT_WIDTH(s->form));
		break;
	case PF_SIGHT_ARGUMENT:
		count_word(site, s, 8);
		break;
	default:
		count_division(site, s);
	}
}

void pf_sightings_keep(struct pf_recording *r, const struct pf_run *run, uint32_t most, uint32_t asked,
		       const struct pf_modules *modules)
{
	uint32_t count;
	const struct pf_sighting *noted = pf_sightings_noted(run, most, &count);

	r->moments++;
	for (uint32_t i = 0; r->header && i < count; i++) {
		struct pf_sighting s = noted[i];

		if (s.form != (PF_SIGHT_STRING | PF_SIGHT_IN_STUB) || leave_stub(r, run, asked, &s))
			add(r, &s, modules);
	}
}
