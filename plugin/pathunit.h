/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the counters of a translation unit are and mean, for the run-time library (doc/paths-format.md). */
#ifndef PF_PLUGIN_PATHUNIT_H
#define PF_PLUGIN_PATHUNIT_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* A function's counters: WORDS words of 64 bits, and behind them as many for what the paths took if there is a metric.
 * Those of its own are in a static array, behind one that counts entries; those of each call record in front of the
 * record; entries are not counted there, since records know them.  Where the paths are too many for words, one word is
 * the address of a table. */
struct path_counters {
	tree array;  /* NULL_TREE: in each call record */
	tree record; /* the variable that has its address */
	tree began;  /* when the path began; NULL_TREE without a metric */
	uint64_t words;
	bool in_table;
};

/* Graphs and lines of functions, as the files have them (doc/paths-format.md). */
class path_texts
{
      public:
	pf_buffer bytes = {};

	/* The graph of the current function, on which N was made with the cuts CUT, and the lines of its blocks.  EDGES
	 * are NULL for edges that stand in for others, on which no code can be put. */
	void put_graph(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges);
	uint32_t file_number(const char *file);
	void put_files(pf_buffer *out) const; /* their number and names */

      private:
	auto_vec<const char *> files;

	void put_lines(basic_block bb);
};

/* The function NAME of the library, of type TYPE, which comes back at once. */
tree pathunit_library(const char *name, tree type);

/* Makes the counters of the current function, and describes it as put_graph does.  BEGAN is as in path_counters. */
path_counters pathunit_add(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges, tree began);

/* Has the unit, if anything was added, tell the library of its counters before main. */
void pathunit_finish();

} // namespace pathfdo

#endif
