/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the functions of a file that was edited are today, by those that are known. */
#ifndef PF_PLUGIN_LANDMARKS_H
#define PF_PLUGIN_LANDMARKS_H

#include "support/array.h"
#include "support/error.h"

/* A function that is known by its name: where it is declared in the profile, and today. */
struct pf_landmark {
	uint32_t profiled, today;
};

/* Those of one file; a zeroed one has none. */
struct pf_landmarks {
	PF_ARRAY(struct pf_landmark) list; /* in order, once they are settled */
	bool settled;
};

/* PF_ENOMEM. */
int pf_landmarks_add(struct pf_landmarks *landmarks, uint32_t profiled, uint32_t today);
void pf_landmarks_fini(struct pf_landmarks *landmarks);

/* How far the line TODAY is from where the function that line PROFILED declares in the profile is to be expected: 0 if
 * as far from that as one above or below it, UINT32_MAX if one of them would have been passed.  Where there is none,
 * only the same line is known.  Settles LANDMARKS first; without memory for that they are none. */
uint32_t pf_landmarks_distance(struct pf_landmarks *landmarks, uint32_t profiled, uint32_t today);

/* Whether lines were put into what line PROFILED declared, which line TODAY declares now, or taken out of it: what
 * stands below it has moved otherwise.  So it is with all where half of the file's functions are longer or shorter than
 * they were. Of what is last, or is on line 0 as it has none, the file's end tells.  Settles LANDMARKS as above. */
bool pf_landmarks_edited(struct pf_landmarks *landmarks, uint32_t profiled, uint32_t today);

#endif
