/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the counters of a translation unit are and mean, for the run-time library (doc/paths-format.md). */
#ifndef PF_PLUGIN_PATHUNIT_H
#define PF_PLUGIN_PATHUNIT_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* A function's counters.  Those of its own are a static array of 64-bit words: the first counts its entries, those
 * behind it its paths.  Those of each call record are WORDS words in front of the record, behind them as many for
 * cycles if these are counted; entries are not, since records know them.  Where the paths are too many for words, one
 * word is the address of a table. */
struct path_counters {
	tree array;  /* NULL_TREE: in each call record */
	tree record; /* the variable that has its address */
	tree began;  /* of a record: when the path began; NULL_TREE without cycles */
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

/* The function NAME of the library, of type void (ARGUMENT...), which comes back at once. */
tree pathunit_library(const char *name, tree argument = NULL_TREE, tree other = NULL_TREE);

/* Makes the counters of the current function, and describes it as put_graph does. */
path_counters pathunit_add(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges);

/* Has the unit, if anything was added, tell the library of its counters before main. */
void pathunit_finish();

} // namespace pathfdo

#endif
