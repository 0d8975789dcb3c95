/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks of where statements begin.  The hard case is a fault of GCC 12: a block's discriminator depends on the position
 * of what stands first in it (assign_discriminators), and with -g that is a mark.  The profiled binary was compiled
 * with -g; a compile without would look its blocks up under other keys, and the code would depend on -g.  So every
 * compile has the marks until its counts are written. */
#include "plugin/gcc-compat.h"
#include "plugin/markers.h"

namespace pathfdo
{

namespace
{

bool borrowed;

void remove_marks(function *f)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi);) {
			if (gimple_debug_nonbind_marker_p(gsi_stmt(gsi)))
				gsi_remove(&gsi, true);
			else
				gsi_next(&gsi);
		}
	}
}

/* The options that the compiler keeps by function were made while the marks were borrowed.  They are changed in place,
 * for the compiler takes options that differ in this alone for the same. */
void forget_marks(tree options)
{
	if (options)
		TREE_OPTIMIZATION(options)->x_debug_nonbind_markers_p = 0;
}

} // namespace

void markers_borrow()
{
	borrowed = !debug_nonbind_markers_p;
	debug_nonbind_markers_p = 1;
}

void markers_return()
{
	cgraph_node *node;

	if (!borrowed)
		return;
	FOR_EACH_FUNCTION(node)
	{
		function *f = DECL_STRUCT_FUNCTION(node->decl);

		forget_marks(DECL_FUNCTION_SPECIFIC_OPTIMIZATION(node->decl));
		if (!gimple_has_body_p(node->decl) || !f->cfg)
			continue;
		push_cfun(f);
		remove_marks(f);
		pop_cfun();
	}
	forget_marks(optimization_default_node);
	debug_nonbind_markers_p = 0;
	borrowed = false;
}

} // namespace pathfdo
