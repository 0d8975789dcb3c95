/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile says of the blocks and edges of one function. */
#ifndef PF_PLUGIN_EVIDENCE_H
#define PF_PLUGIN_EVIDENCE_H

#include "plugin/landings.h"
#include "plugin/movable.h"
#include "plugin/place.h"
#include "plugin/report.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* How often the jump of BRANCH went anywhere. */
uint64_t count_outcomes(const pf_record *branch);

/* Whether BB ends in a condition that is one of order. */
bool compares_order(basic_block bb);

/* Collects the evidence for the current function, and counts its graph by it. */
class evidence
{
      public:
	/* FLOW is the graph of the CFG (counts.h), FUNCTION what the profile knows; both outlive this.  BODY: the node
	 * that the current function is there, as a placer has it. */
	evidence(pf_graph *flow, const pf_function *function, uint32_t body = 0);
	~evidence();
	/* Needs dominators and loops.  False when out of memory. */
	bool collect();
	/* Writes counts into the graph, the profile's times SCALE.  ENTRIES, in the unit of the graph, is how often the
	 * function is entered for certain; 0: as the record says.  REPORT counts how blocks got theirs.  False when out
	 * of memory. */
	bool run(uint64_t scale, uint64_t entries, function_report *report);

      private:
	pf_graph *graph;
	const pf_function *record;
	uint32_t root;
	placer places;
	movables moved;
	pf_estimate estimate;
	auto_vec<pf_vote> votes;
	auto_vec<uint32_t> sharers;    /* of each record: how many conditions have it */
	auto_vec<uint32_t> ordered;    /* of each record: how many of them compare by order */
	auto_vec<uint32_t> neighbours; /* of the first record of each column: how many conditions are in that */
	auto_vec<bool> taken;          /* of each record: whether its outcomes are known to be those of some block */

	bool add_vote(pf_estimate_block *block, const pf_place *place, uint32_t factor, uint64_t least);
	void collect_block(basic_block bb);
	void set_branch(pf_estimate_block *block, const pf_record *branch);
	void count_sharers();
	void collect_turns();
	void collect_outcomes(basic_block bb);
	void swap_vote(basic_block bb, uint32_t from, uint32_t to);
	void find_outcomes(basic_block bb);
	void add_copies(basic_block bb);
	bool classify();
	uint64_t runs_elsewhere(gimple *stmt, const pf_place &place);
	bool is_fatal(basic_block bb);
	bool is_asserted(basic_block bb, const pf_record *branch);
	bool is_idle(basic_block bb, uint64_t runs);
	edge only_live(basic_block bb, uint64_t runs);
	bool copies_idly(edge e);
	edge best_successor(basic_block bb, landings *behind, const pf_outcome *outcome);
	void add_outcomes(basic_block bb, const pf_record *branch, edge *choice);
	bool has_one_jump(const pf_record *branch);
	void go_by_senses(basic_block bb, const pf_record *branch, edge *choice);
	void drop_votes(basic_block bb, uint32_t whose);
	void go_by_order(basic_block bb, const pf_record *branch, edge *choice);
	bool recognise(basic_block bb, const pf_record *branch, bool own, auto_vec<edge> *choice);
	void match_outcomes(basic_block bb, const pf_record *branch);
	void match_copies(basic_block bb);
	void drop_strangers(basic_block bb, const pf_record *branch, edge *choice);
	void settle_last(basic_block bb, edge *choice, const pf_record *branch);
};

} // namespace pathfdo

#endif
