/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See monitor-table.h.  The paper's is a cache, whose conflicts the operating system settles; it was simulated large
 * enough to have none, and so is this: an open hash of branches, each with a list of the hot spots that it is in.  The
 * hard case is speed, as every branch of a run is looked up: a branch has one slot however many hot spots have it or
 * had it, and of ranges, which may be thousands, is known what was found last for a branch. */
#include "analysis/monitor-table.h"
#include "support/search.h"

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
		.next = *slot && !t->members.at[*slot - 1].removed ? *slot - 1 : PF_NO_MEMBER,
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
	memset(t->answers, 0, sizeof t->answers);
	return range != NULL;
}

uint32_t pf_monitor_table_first(const struct pf_monitor_table *t, uint32_t hotspot)
{
	struct pf_search search = pf_search_over(t->members.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, t->members.at[search.middle].hotspot < hotspot);
	return (uint32_t)search.low;
}

/* Takes member NUMBER out of its branch's list.  The last one stays there, since the slot is the branch's. */
static void unlink_member(struct pf_monitor_table *t, uint32_t number)
{
	struct pf_monitor_member *member = &t->members.at[number];
	uint32_t *slot = slot_of(t, member->process, member->key), before = *slot - 1;

	member->removed = true;
	if (before == number) {
		if (member->next != PF_NO_MEMBER)
			*slot = member->next + 1;
		return;
	}
	while (t->members.at[before].next != number)
		before = t->members.at[before].next;
	t->members.at[before].next = member->next;
}

void pf_monitor_table_remove(struct pf_monitor_table *t, uint32_t hotspot)
{
	size_t kept = 0;

	for (uint32_t i = pf_monitor_table_first(t, hotspot); i < pf_monitor_table_first(t, hotspot + 1); i++)
		unlink_member(t, i);
	for (size_t i = 0; i < t->ranges.count; i++) {
		if (t->ranges.at[i].hotspot != hotspot)
			t->ranges.at[kept++] = t->ranges.at[i];
	}
	t->ranges.count = kept;
	memset(t->answers, 0, sizeof t->answers);
}

uint32_t pf_monitor_table_find(const struct pf_monitor_table *t, uint32_t process, uint64_t key)
{
	uint32_t slot = t->slot_count ? *slot_of(t, process, key) : 0;

	return slot && !t->members.at[slot - 1].removed ? slot - 1 : PF_NO_MEMBER;
}

/* The number of the range that has KEY of PROCESS, plus 2; 1 if none has. */
static uint32_t find_range(const struct pf_monitor_table *t, uint32_t process, uint64_t key)
{
	for (uint32_t i = 0; i < t->ranges.count; i++) {
		const struct pf_monitor_range *range = &t->ranges.at[i];

		if (range->process == process && key >= range->start && key < range->end)
			return i + 2;
	}
	return 1;
}

const struct pf_monitor_range *pf_monitor_table_range(struct pf_monitor_table *t, uint32_t process, uint64_t key)
{
	struct pf_monitor_answer *answer =
	    &t->answers[((key + process) * 0x9e3779b97f4a7c15u >> 32) % PF_MONITOR_ANSWERS];

	if (t->ranges.count == 0)
		return NULL;
	if (!answer->range || answer->key != key || answer->process != process)
		*answer = (struct pf_monitor_answer) { key, process, find_range(t, process, key) };
	return answer->range > 1 ? &t->ranges.at[answer->range - 2] : NULL;
}
