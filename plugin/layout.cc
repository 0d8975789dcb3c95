/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block layout.  It stands right behind GCC's own reordering (bbro), whose duplicates of small blocks it keeps, and
 * puts the blocks of the hot part in the order of flow/exttsp.h where that is better than GCC's by the same measure.
 * The cold part stays as it is.
 *
 * Counts come here through some two hundred passes, some of which join ways and do not tell the block where they join,
 * or make blocks without a count; so they are settled first.
 *
 * The hard case is an edge that may not fall through whatever the order (of a table jump, an exception, an abnormal
 * one, or from the hot part to the cold): it is no arc.  GCC's layout mode makes or drops the jumps for all others. */
#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"
#include "plugin/layout.h"
#include "plugin/passes.h"
#include "plugin/settings.h"

namespace pathfdo
{

namespace
{

/* The hot part of the current function. */
struct hot_part {
	auto_vec<basic_block> blocks;
	auto_vec<uint64_t> sizes, counts;
	auto_vec<pf_arc> arcs;
};

uint64_t size_of(basic_block bb)
{
	uint64_t size = 0;
	rtx_insn *insn;

	FOR_BB_INSNS(bb, insn)
	{
		if (NONDEBUG_INSN_P(insn))
			size += get_attr_min_length(insn);
	}
	return size;
}

uint64_t count_of(profile_count count)
{
	return count.initialized_p() ? (uint64_t)count.to_gcov_type() : 0;
}

/* Whether the jump at the end of BB may be turned around or dropped. */
bool is_flexible(basic_block bb)
{
	rtx_insn *end = BB_END(bb);

	return !JUMP_P(end) || (onlyjump_p(end) && (any_condjump_p(end) || any_uncondjump_p(end)));
}

void collect_arcs(hot_part *part, basic_block bb)
{
	edge_iterator ei;
	edge e;

	FOR_EACH_EDGE(e, ei, bb->succs)
	{
		bool inside = e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun) && BB_PARTITION(e->dest) == BB_PARTITION(bb);

		if (inside && !(e->flags & (EDGE_COMPLEX | EDGE_CROSSING)) &&
		    (is_flexible(bb) || e->flags & EDGE_FALLTHRU))
			part->arcs.safe_push({ (uint32_t)(size_t)bb->aux, (uint32_t)(size_t)e->dest->aux,
					       count_of(e->count()), EDGE_COUNT(bb->succs) == 1 });
	}
}

/* While blocks have numbers of their own, these are in AUX. */
void collect(hot_part *part)
{
	basic_block bb, first = ENTRY_BLOCK_PTR_FOR_FN(cfun)->next_bb;

	FOR_EACH_BB_FN(bb, cfun)
	{
		if (BB_PARTITION(bb) != BB_PARTITION(first))
			continue;
		bb->aux = (void *)(size_t)part->blocks.length();
		part->blocks.safe_push(bb);
		part->sizes.safe_push(size_of(bb));
		part->counts.safe_push(count_of(bb->count));
	}
	for (basic_block b : part->blocks)
		collect_arcs(part, b);
}

/* Links the blocks by AUX, as layout mode wants it: the hot part as ORDER says, then the others as they are. */
void link_blocks(const hot_part &part, const uint32_t *order)
{
	basic_block bb, last = part.blocks[order[0]], first = last;

	for (unsigned i = 1; i < part.blocks.length(); i++) {
		last->aux = part.blocks[order[i]];
		last = part.blocks[order[i]];
	}
	FOR_EACH_BB_FN(bb, cfun)
	{
		if (BB_PARTITION(bb) != BB_PARTITION(first)) {
			last->aux = bb;
			last = bb;
		}
	}
	last->aux = NULL;
}

/* Passes that let jumps share code, or lead them past a test, do not always tell the block where they come to go: it
 * keeps the count of its other ways in.  What is certain of a block is at least what its jumps bring.  Edges of table
 * jumps are not asked: those of a switch that could not be followed (switches.h) are all equally likely to GCC. */
void settle_counts()
{
	auto_vec<int> order;

	order.safe_grow_cleared(n_basic_blocks_for_fn(cfun), true);
	int blocks = pre_and_rev_post_order_compute_fn(cfun, NULL, order.address(), false);

	for (int i = 0; i < blocks; i++) {
		basic_block bb = BASIC_BLOCK_FOR_FN(cfun, order[i]);
		profile_count brought = profile_count::zero();
		edge_iterator ei;
		edge e;

		FOR_EACH_EDGE(e, ei, bb->preds)
		{
			if (e->src == ENTRY_BLOCK_PTR_FOR_FN(cfun) ||
			    (!(e->flags & EDGE_COMPLEX) && is_flexible(e->src)))
				brought += e->count();
		}
		if (brought.initialized_p() && (!bb->count.initialized_p() || brought > bb->count))
			bb->count = brought;
	}
}

void reorder()
{
	pf_exttsp_result result;
	hot_part part;

	collect(&part);
	auto_vec<uint32_t> order;
	order.safe_grow_cleared(part.blocks.length(), true);
	if (pf_exttsp_order(part.blocks.length(), part.sizes.address(), part.counts.address(), part.arcs.address(),
			    part.arcs.length(), order.address(), &result) < 0) {
		for (unsigned i = 0; i < order.length(); i++)
			order[i] = i;
	}
	link_blocks(part, order.address());
}

bool orders_blocks(function *f)
{
	return flag_reorder_blocks && profile_status_for_fn(f) == PROFILE_READ && optimize_function_for_speed_p(f) &&
	       !targetm.cannot_modify_jumps_p() && n_basic_blocks_for_fn(f) > NUM_FIXED_BLOCKS + 2;
}

unsigned order_blocks(function *f)
{
	bool complete = crtl->bb_reorder_complete;
	basic_block bb;

	/* GCC refuses to go back into layout mode once blocks are in order, since a mode switch may move blocks between
	 * the parts; this one has none of the flags that do. */
	crtl->bb_reorder_complete = false;
	settle_counts();
	cfg_layout_initialize(CLEANUP_NO_PARTITIONING);
	reorder();
	cfg_layout_finalize();
	crtl->bb_reorder_complete = complete;
	FOR_EACH_BB_FN(bb, f)
	df_recompute_luids(bb);
	return 0;
}

} // namespace

void layout_setup()
{
	if (!options.layout_gcc)
		passes_add({ RTL_PASS, "pathfdo_layout", TV_REORDER_BLOCKS, "bbro", 1, PASS_POS_INSERT_AFTER,
			     orders_blocks, order_blocks });
}

} // namespace pathfdo
