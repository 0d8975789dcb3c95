/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See monitor-table.h.  The paper's is a cache, whose conflicts the operating system settles; it was simulated large
 * enough to have none, and so is this: an open hash of branches, each with a list of the hot spots that it is in.  The
 * hard case is speed, as every branch of a run is looked up: a branch has one slot however many hot spots have it, and
 * what is removed stays in the lists as long as the table. */
#include "analysis/monitor-table.h"

#define FIRST_SLOTS 4096u

void pf_monitor_table_fini(struct pf_monitor_table *t)
{
	pf_array_fini(&t->members);
	pf_array_fini(&t->ranges);
	free(t->slots);
	*t = (struct pf_monitor_table) { 0 };
}

static uint32_t *slot_of(const struct pf_monitor_table *t, uint32_t process, uint64_t key)
{
	size_t mask = t->slot_count - 1, at = ((key + process) * 0x9e3779b97f4a7c15u >> 32) & mask;

	for (; t->slots[at]; at = (at + 1) & mask) {
		const struct pf_monitor_member *member = &t->members.at[t->slots[at] - 1];

		if (member->key == key && member->process == process)
			break;
	}
	return &t->slots[at];
}

static bool grow(struct pf_monitor_table *t)
{
	size_t before = t->slot_count;
	uint32_t *slots = t->slots;

	if (t->branch_count * 4 < before)
		return true;
	t->slots = calloc(before ? before * 2 : FIRST_SLOTS, sizeof *t->slots);
	if (!t->slots) {
		t->slots = slots;
		return false;
	}
	t->slot_count = before ? before * 2 : FIRST_SLOTS;
	for (size_t i = 0; i < before; i++) {
		if (slots[i])
			*slot_of(t, t->members.at[slots[i] - 1].process, t->members.at[slots[i] - 1].key) = slots[i];
	}
	free(slots);
	return true;
}

bool pf_monitor_table_add(struct pf_monitor_table *t, uint32_t process, uint64_t key, uint32_t hotspot, uint32_t tag)
{
	struct pf_monitor_member *member;
	uint32_t *slot;

	if (!grow(t) || t->members.count >= PF_NO_MEMBER - 1)
		return false;
	slot = slot_of(t, process, key);
	member = pf_array_push(&t->members);
	if (!member)
		return false;
	t->branch_count += *slot == 0;
	*member = (struct pf_monitor_member) {
		.key = key,
		.process = process,
		.hotspot = hotspot,
		.next = *slot ? *slot - 1 : PF_NO_MEMBER,
		.tag = tag,
	};
	*slot = (uint32_t)t->members.count;
	return true;
}

bool pf_monitor_table_add_range(struct pf_monitor_table *t, uint32_t process, uint64_t start, uint64_t end,
				uint32_t hotspot)
{
	struct pf_monitor_range *range = pf_array_push(&t->ranges);

	if (range)
		*range = (struct pf_monitor_range) { start, end, process, hotspot };
	return range != NULL;
}

void pf_monitor_table_remove(struct pf_monitor_table *t, uint32_t hotspot)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->members.count; i++)
		t->members.at[i].removed |= t->members.at[i].hotspot == hotspot;
	for (size_t i = 0; i < t->ranges.count; i++) {
		if (t->ranges.at[i].hotspot != hotspot)
			t->ranges.at[kept++] = t->ranges.at[i];
	}
	t->ranges.count = kept;
}

uint32_t pf_monitor_table_find(const struct pf_monitor_table *t, uint32_t process, uint64_t key)
{
	uint32_t slot = t->slot_count ? *slot_of(t, process, key) : 0;

	return slot ? slot - 1 : PF_NO_MEMBER;
}

const struct pf_monitor_range *pf_monitor_table_range(const struct pf_monitor_table *t, uint32_t process, uint64_t key)
{
	for (size_t i = 0; i < t->ranges.count; i++) {
		const struct pf_monitor_range *range = &t->ranges.at[i];

		if (range->process == process && key >= range->start && key < range->end)
			return range;
	}
	return NULL;
}
