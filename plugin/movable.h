/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements that the compiler may have moved out of their loops. */
#ifndef PF_PLUGIN_MOVABLE_H
#define PF_PLUGIN_MOVABLE_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* What is known of the names of the current function, and of the loops that it has. */
class movables
{
      public:
	/* Whether STMT computes the same in all turns of the innermost loop that it is in. */
	bool has(const gimple *stmt);

      private:
	hash_map<tree, bool> known; /* of a name: its definition is movable */
	int depth = 0;              /* of definitions that are looked at */
	int listed = 0;             /* the number of the loop whose STORES these are; 0: none */
	auto_vec<gimple *> stores;  /* all of them, or more than are asked about */

	bool is_fixed(tree name, class loop *loop);
	void list_stores(class loop *loop);
	bool is_kept(const gimple *load, class loop *loop);
};

} // namespace pathfdo

#endif
