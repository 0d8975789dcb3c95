/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling context tree in one function (Ammons, Ball and Larus 1997, section 4). */
#ifndef PF_PLUGIN_CONTEXTCODE_H
#define PF_PLUGIN_CONTEXTCODE_H

#include "plugin/gcc-compat.h"
#include "plugin/metriccode.h"
#include "plugin/pathunit.h"

namespace pathfdo
{

/* Code of the current function, which finds its call record and counts there, and tells its callees where they are
 * called. */
class context_code
{
      public:
	/* Finds the call sites: to be made before anything else is inserted.  If all that call the function are
	 * CALLED_BY_COUNTED code, it needs not give back the slot that it was called at. */
	explicit context_code(bool called_by_counted);

	/* Has each record count paths, which are described as path_texts::put_graph does; to be called once, if at all.
	 * Code for that is inserted before this one. */
	path_counters add_paths(const pf_pathnumber &n, const auto_vec<bool> &cut, const auto_vec<edge> &edges);

	/* Describes the function, and inserts the code.  SSA form is to be updated afterwards. */
	void insert();

      private:
	const tree word, pointer;
	const bool restores;
	tree slot, saved, arc, record, function;
	metric_code metric;
	auto_vec<gimple *> sites;
	path_texts paths;
	uint64_t path_count = 0;

	tree describe();
	void ask(basic_block bb);
	void enter();
	void call(gimple *stmt, unsigned site);
	void leave(gimple *stmt);
	void add_to(gimple_stmt_iterator *gsi, uint64_t field, tree value);
};

/* The type of a counter in front of a record. */
tree contextcode_word();

/* Loads a pointer to the function of the library that counts in a record's table: void (RECORD, NUMBER, TOOK). */
gimple *contextcode_load_counter();

/* The same to the one that reads the thread's counter. */
gimple *contextcode_load_reader();

/* Has the tree saved in front of the statement at *GSI. */
void contextcode_save(gimple_stmt_iterator *gsi);

} // namespace pathfdo

#endif
