/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of one function while they are made: with each decision of a sequence one ends, its window, which reaches
 * back over the decisions in front of it. */
#ifndef PF_CONVERTER_WINDOWS_H
#define PF_CONVERTER_WINDOWS_H

#include "profile/model.h"
#include "support/array.h"

#define PF_PATH_DECISIONS 6 /* in one window */

/* A jump, and where it went on. */
struct pf_decision {
	struct pf_place from, to;
};

/* What ended with one decision. */
struct pf_window {
	uint32_t last, count; /* in `decisions` */
	uint64_t weight;
};

struct pf_windows {
	PF_ARRAY(struct pf_window) list;
	PF_ARRAY(struct pf_decision) decisions; /* of all sequences, one after the other, as far as windows need them */
	size_t compacted;                       /* decisions when equal windows were last added up */
};

/* What was too light to be kept. */
struct pf_windows_lost {
	uint64_t count, weight;
};

/* Adds the windows of a sequence that ran with WEIGHT, the newest of W's: its decisions are those from number FIRST on,
 * and one window ends with each from FRESH on.  Decisions can have other numbers then.  PF_ENOMEM. */
int pf_windows_add(struct pf_windows *w, uint32_t first, uint32_t fresh, uint64_t weight);

/* Makes equal windows one, and shortens light ones until there are at most MOST, which is not 0.  They are sorted by
 * their newest decision, then by those before it; weights are added up as far as 64 bits go. */
struct pf_windows_lost pf_windows_reduce(struct pf_windows *w, size_t most);

void pf_windows_fini(struct pf_windows *w);

#endif
