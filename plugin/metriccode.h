/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calls and paths take of a metric in one function: cycles or an event (Ammons, Ball and Larus 1997, section 3).
 */
#ifndef PF_PLUGIN_METRICCODE_H
#define PF_PLUGIN_METRICCODE_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Code at both ends of the current function; without a metric it inserts nothing. */
class metric_code
{
      public:
	metric_code();

	/* When the path that is under way began; NULL_TREE without a metric. */
	tree path_began() const;

	/* In front of the statement at *GSI the function begins, and its first path if WITH_PATHS. */
	void begin(gimple_stmt_iterator *gsi, bool with_paths);

	/* In front of it the function is left; returns what it took, which is for its caller a call's; NULL_TREE
	 * without a metric. */
	tree end(gimple_stmt_iterator *gsi, bool with_paths);

      private:
	tree began, path, spent;
};

/* The metric's value, read in front of the statement at *GSI. */
tree metriccode_read(gimple_stmt_iterator *gsi);

/* The thread's variable of what calls took since a path began (pathunits.h, contexttree.h). */
tree metriccode_spent();

/* The call in BB that must be a tail call, which nothing but the return may follow; NULL if there is none. */
gimple *metriccode_tail(basic_block bb);

/* The statements in front of which the current function is left: returns, and calls that must be tail calls. */
void metriccode_exits(auto_vec<gimple *> *exits);

} // namespace pathfdo

#endif
