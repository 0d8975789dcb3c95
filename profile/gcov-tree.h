/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as GCC's -fauto-profile can use it: functions known by name alone, positions by line (from GCC 13 on by
 * line and discriminator), one inlined instance for each callee of a position.  What the profile knows beyond that is
 * merged here. */
#ifndef PF_PROFILE_GCOV_TREE_H
#define PF_PROFILE_GCOV_TREE_H

#include "profile/gcov-names.h"

/* The largest count: GCC multiplies counts by 2^27 in 64 bits, and adds up those of a function's edges before. */
#define PF_GCOV_COUNT_MAX (UINT64_C(1) << 32)

#define PF_GCOV_ROOT 0 /* the instance whose children are the functions */

struct pf_gcov_target {
	uint32_t instance;
	uint32_t offset;
	uint32_t name;
	uint64_t count; /* not 0 */
};

struct pf_gcov_line {
	uint32_t instance;
	uint32_t
	    offset; /* the line's from the function's, modulo 2^16, in the upper half; the discriminator in the lower */
	uint64_t count;                       /* not 0 */
	const struct pf_gcov_target *targets; /* by name */
	uint32_t target_count;
};

/* A function or an inlined instance. */
struct pf_gcov_instance {
	uint32_t parent;
	uint32_t name;                    /* number in the names */
	uint32_t site;                    /* offset of the call in the parent */
	uint64_t head;                    /* of a function: how often it was entered, at least 1 */
	uint64_t total;                   /* of the profile's counts; 0: nothing of it ran */
	bool kept;                        /* it is in a function that ran */
	uint32_t functions;               /* of a function: how many of the profile have this name */
	const struct pf_gcov_line *lines; /* by line */
	uint32_t line_count;
	const uint32_t *children; /* indices of those that are kept, by site and name */
	uint32_t child_count;
};

struct pf_gcov_tree {
	struct pf_gcov_names names;
	struct pf_gcov_instance *instances; /* parents before children */
	uint32_t instance_count;
	struct pf_gcov_line *lines;
	struct pf_gcov_target *targets;
	uint32_t *children;
	uint64_t largest; /* count before scaling; above PF_GCOV_COUNT_MAX all counts were scaled to that */
	uint32_t unnamed; /* functions and inlined instances left out because GCC leaves nothing of their name */
	uint64_t far;     /* records that ran and whose line offset does not fit in 16 bits */
};

/* Makes the tree of a canonical profile, which must outlive it, with all discriminators 0 unless DISCRIMINATORS are
 * told apart.  To pf_gcov_tree_fini.  PF_ENOMEM, PF_ELIMIT. */
int pf_gcov_tree_build(const struct pf_profile *profile, bool discriminators, struct pf_gcov_tree *tree,
		       struct pf_error *error);
void pf_gcov_tree_fini(struct pf_gcov_tree *tree);

/* COUNT in the scale of the tree's counts; what is above zero stays so. */
uint64_t pf_gcov_tree_scale(const struct pf_gcov_tree *tree, uint64_t count);

#endif
