/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Monitor Table of Merten and others, section 2.2: which branches of which process are in hot spots that are known
 * already; and the coarse table of ranges of section 2.5. */
#ifndef PF_ANALYSIS_MONITOR_TABLE_H
#define PF_ANALYSIS_MONITOR_TABLE_H

#include "support/array.h"

#define PF_NO_MEMBER UINT32_MAX
#define PF_MONITOR_ANSWERS 4096u

/* A branch as one hot spot has it.  There may be several of one branch. */
struct pf_monitor_member {
	uint64_t key;
	uint32_t process, hotspot;
	uint32_t next; /* of the same branch, none of those removed; PF_NO_MEMBER: none */
	uint32_t tag;  /* of the reader's */
	bool removed;
};

struct pf_monitor_range {
	uint64_t start, end; /* of keys: [start, end) */
	uint32_t process, hotspot;
};

/* What was found for a branch in the ranges as they are. */
struct pf_monitor_answer {
	uint64_t key;
	uint32_t process;
	uint32_t range; /* plus 2; 1: none; 0: nothing was looked for yet */
};

/* A zeroed one is empty and ready. */
struct pf_monitor_table {
	PF_ARRAY(struct pf_monitor_member) members;
	PF_ARRAY(struct pf_monitor_range) ranges;
	uint32_t *slots; /* first member of a branch, plus 1 */
	size_t slot_count, branch_count;
	struct pf_monitor_answer answers[PF_MONITOR_ANSWERS]; /* of ranges, by the branch */
};

void pf_monitor_table_fini(struct pf_monitor_table *t);

/* Puts the branch KEY of PROCESS into HOTSPOT.  The members of one hot spot follow each other.  False when out of
 * memory.
 */
bool pf_monitor_table_add(struct pf_monitor_table *t, uint32_t process, uint64_t key, uint32_t hotspot, uint32_t tag);

/* Has the keys from START up to END of PROCESS count as HOTSPOT's.  False when out of memory. */
bool pf_monitor_table_add_range(struct pf_monitor_table *t, uint32_t process, uint64_t start, uint64_t end,
				uint32_t hotspot);

/* The first member of HOTSPOT, or of the next one that has any: the number of all if none has. */
uint32_t pf_monitor_table_first(const struct pf_monitor_table *t, uint32_t hotspot);

/* Takes all of HOTSPOT out; its members stay where they are. */
void pf_monitor_table_remove(struct pf_monitor_table *t, uint32_t hotspot);

/* The first member of the branch KEY of PROCESS, others by their NEXT; PF_NO_MEMBER if there is none, or none that was
 * not removed. */
uint32_t pf_monitor_table_find(const struct pf_monitor_table *t, uint32_t process, uint64_t key);

/* The range that has KEY of PROCESS, or NULL. */
const struct pf_monitor_range *pf_monitor_table_range(struct pf_monitor_table *t, uint32_t process, uint64_t key);

#endif
