/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the counters of a translation unit are and mean, for the run-time library (doc/paths-format.md). */
#ifndef PF_PLUGIN_PATHUNIT_H
#define PF_PLUGIN_PATHUNIT_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* A function's counters: the first counts its entries, those behind it its paths.  Where the paths are too many for an
 * array, the second word is the table's that the library keeps. */
struct path_counters {
	tree array; /* of 64-bit words, static */
	bool in_table;
};

/* The function NAME of the library, of type void (ARGUMENT...), which comes back at once. */
tree pathunit_library(const char *name, tree argument = NULL_TREE, tree other = NULL_TREE);

/* Makes the counters of the current function, and describes its graph, on which N was made with the cuts CUT, and the
 * lines of its blocks.  EDGES are NULL for edges that stand in for others, on which no code can be put. */
path_counters pathunit_add(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges);

/* Has the unit, if anything was added, tell the library of its counters before main. */
void pathunit_finish();

} // namespace pathfdo

#endif
