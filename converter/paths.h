/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From sequences of transfers to paths, function by function: which decisions were taken one after the other.  With
 * each decision of a sequence a path ends, so that those with equal last decisions add up to how often these ran. */
#ifndef PF_CONVERTER_PATHS_H
#define PF_CONVERTER_PATHS_H

#include "converter/building.h"

#define PF_PATHS_PER_FUNCTION 256

/* Part of a sequence that lies in one function. */
struct pf_segment {
	uint32_t module, function;
	uint32_t first, count; /* edges: in the traffic's pool */
	uint32_t past;         /* so many of them, the first, only tell what ran before */
	uint64_t weight;
};

struct pf_paths {
	PF_ARRAY(struct pf_segment) segments; /* by module, function */
};

/* Cuts all sequences at the functions' borders.  PF_ENOMEM. */
int pf_paths_prepare(struct pf_paths *paths, const struct pf_program *program);
void pf_paths_fini(struct pf_paths *paths);

/* Fills in the paths of FUNCTION.  PF_ENOMEM. */
int pf_paths_build(const struct pf_paths *paths, const struct pf_building *b, struct pf_function *function);

#endif
