/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of the current function: from the profile into a flow graph, from a flow graph into GCC's CFG. */
#ifndef PF_PLUGIN_COUNTS_H
#define PF_PLUGIN_COUNTS_H

#include "plugin/gcc-compat.h"
#include "plugin/report.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* The current function's CFG as a flow graph: blocks by index, edges in the order of FOR_ALL_BB_FN and of each block's
 * successors.  NULL when out of memory. */
pf_graph *graph_of_cfg();

/* Counts GRAPH from the evidence that RECORD holds; needs dominators and loops.  SCALE multiplies what the profile
 * counted.  False when out of memory. */
bool count_graph(pf_graph *graph, const pf_function *record, uint64_t scale, function_report *report);

/* The same, in the profile's unit, where the current function is the instance INSTANCE of RECORD. */
bool count_instance(pf_graph *graph, const pf_function *record, uint32_t instance);

/* The same from all parts of BODY: counts of each, for what it leaves open guessed by those of the sum, are added up.
 * CALLED is how often counted calls enter the function, in the unit of the graph. */
bool count_body(pf_graph *graph, const pf_body &body, uint64_t scale, uint64_t called, function_report *report);

/* Adds counts to GRAPH as the compiler guesses them, MOST to its most frequent block.  Without memory it adds none. */
void add_doubt(pf_graph *graph, uint64_t most);

/* Counts GRAPH by nothing but its guesses, for so many ENTRIES.  False when out of memory. */
bool guess_graph(pf_graph *graph, uint64_t entries);

/* Scales the counts of GRAPH, which is entered, to ENTRIES; what is not 0 stays so. */
void enter_graph(pf_graph *graph, uint64_t entries);

/* How far a graph's counts can be trusted. */
enum class trust {
	sampled, /* estimated: a zero is a small number unless the compiler says so as well */
	exact,   /* gcov's own: every zero is one */
};

/* Writes the counts of GRAPH into the current function: blocks, edge probabilities, loop bounds, the function's
 * frequency.  If BOLD, a block of the function that was never seen is cold for certain. */
void write_graph(const pf_graph *graph, trust quality, bool bold);

} // namespace pathfdo

#endif
