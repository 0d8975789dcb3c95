/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of the plugin in GCC's order of passes. */
#ifndef PF_PLUGIN_PASSES_H
#define PF_PLUGIN_PASSES_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* What is done beside one of GCC's passes, or in its place. */
struct pass_step {
	opt_pass_type kind;
	const char *name; /* of its dump file */
	timevar_id_t timed_as;
	const char *at; /* GCC's pass */
	int instance;   /* of that pass, from 1 on; 0 for each */
	pass_positioning_ops position;
	bool (*gate)(function *);        /* NULL: always; its function is NULL where the step is of a whole unit */
	unsigned (*execute)(function *); /* returns TODO_ flags */
};

/* Before the first step is added, in plugin_init.  WANTED is asked in front of each gate: whether the plugin has to do
 * with this unit at all, which is known when the passes of the whole unit begin. */
void passes_begin(const char *plugin_name, bool (*wanted)());

/* In plugin_init.  Of steps in front of the same pass, what was added last runs last. */
void passes_add(const pass_step &step);

} // namespace pathfdo

#endif
