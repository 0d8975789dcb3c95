/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Superblocks.  The pass stands in front of GCC's own tail duplication (tracer), which goes by edges: a branch behind a
 * join is half this and half that to it.  Where the profile's paths say that it depends on the way that led there, the
 * join and what follows are copied for that way (flow/superblock.h), and the copy's branch has its own probabilities.
 * The tracer then takes the copies for what they are, and so do the passes behind it that thread jumps and order
 * blocks.
 *
 * The hard case is what must not be copied: a loop's header (a second entry would make it no loop), what an exception
 * or a computed goto reaches, calls that return twice, and whatever GCC itself says.  Sizes leave out debug statements,
 * so that the code does not depend on -g. */
#include "plugin/superblock-pass.h"
#include "plugin/counts.h"
#include "plugin/passes.h"
#include "plugin/settings.h"
#include "plugin/trails.h"

namespace pathfdo
{

namespace
{

const double prior_sightings = 16;

/* The current function as the algorithm sees it. */
struct picture {
	pf_graph *graph;
	auto_vec<basic_block> blocks; /* by number */
	auto_vec<uint32_t> decisions, sizes;
	auto_vec<bool> fixed, rigid;
	uint64_t size;
	bool known; /* the paths know some of the branches */
};

uint64_t count_of(profile_count count)
{
	return count.initialized_p() ? (uint64_t)count.to_gcov_type() : 0;
}

bool has_abnormal_edges(basic_block bb)
{
	edge_iterator ei;
	edge e;

	FOR_EACH_EDGE(e, ei, bb->preds)
	{
		if (e->flags & EDGE_COMPLEX)
			return true;
	}
	FOR_EACH_EDGE(e, ei, bb->succs)
	{
		if (e->flags & (EDGE_ABNORMAL | EDGE_ABNORMAL_CALL))
			return true;
	}
	return false;
}

bool may_copy(basic_block bb)
{
	gimple *last = pf_gcc_last_stmt(bb);

	if (bb->loop_father->header == bb || optimize_bb_for_size_p(bb) || has_abnormal_edges(bb) ||
	    !can_duplicate_block_p(bb))
		return false;
	return !last || !(gimple_code(last) == GIMPLE_TRANSACTION ||
			  (is_gimple_call(last) && gimple_call_flags(last) & ECF_RETURNS_TWICE));
}

uint32_t size_of(basic_block bb)
{
	uint32_t size = 0;

	for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb(bb); !gsi_end_p(gsi); gsi_next_nondebug(&gsi))
		size += estimate_num_insns(gsi_stmt(gsi), &eni_size_weights);
	return size;
}

/* A block's edges get all of its count: what roundings and missing probabilities leave goes to the likeliest. */
void spread_count(pf_graph *graph, uint32_t b)
{
	uint64_t left = graph->blocks[b].count;
	pf_graph_edge *most = NULL;

	for (uint32_t i = graph->out_first[b]; i < graph->out_first[b + 1]; i++) {
		pf_graph_edge *e = &graph->edges[graph->out_edges[i]];

		e->count = MIN(left, (uint64_t)(e->guess > 0 ? e->guess * (double)graph->blocks[b].count + 0.5 : 0));
		left -= e->count;
		most = !most || e->guess > most->guess ? e : most;
	}
	if (most)
		most->count += left;
}

void draw_blocks(picture *p)
{
	basic_block bb;

	p->fixed.safe_grow_cleared(p->graph->block_count, true);
	p->blocks.safe_grow_cleared(p->graph->block_count, true);
	p->sizes.safe_grow_cleared(p->graph->block_count, true);
	FOR_ALL_BB_FN(bb, cfun)
	{
		p->blocks[bb->index] = bb;
		p->graph->blocks[bb->index].count = count_of(bb->count);
		spread_count(p->graph, bb->index);
		if (bb->index < NUM_FIXED_BLOCKS)
			continue;
		p->sizes[bb->index] = size_of(bb);
		p->size += p->sizes[bb->index];
		p->fixed[bb->index] = !may_copy(bb);
	}
}

void draw_edges(picture *p)
{
	basic_block bb;

	FOR_ALL_BB_FN(bb, cfun)
	{
		edge_iterator ei;
		edge e;

		FOR_EACH_EDGE(e, ei, bb->succs)
		{
			uint32_t decision = trails_decision(e);

			p->decisions.safe_push(decision);
			p->rigid.safe_push(bb->index == ENTRY_BLOCK || e->flags & EDGE_COMPLEX);
			p->known |= decision != 0;
		}
	}
}

/* Makes the copies and tells GCC of them; what was copied is in BLOCKS then, by its number. */
void make_copies(picture *p, const pf_superblocks &superblocks)
{
	initialize_original_copy_tables();
	for (uint32_t i = 0; i < superblocks.count; i++) {
		const pf_superblock_copy &wanted = superblocks.copies[i];
		basic_block from = p->blocks[wanted.from], block = p->blocks[wanted.block];
		edge e = find_edge(from, block);
		basic_block copy = duplicate_block(block, e, from);

		flush_pending_stmts(e);
		add_phi_args_after_copy(&copy, 1, NULL);
		p->blocks.safe_push(copy);
		if (dump_file)
			fprintf(dump_file, "behind %d, block %d is copied as %d\n", from->index, block->index,
				copy->index);
	}
	free_original_copy_tables();
	free_dominance_info(CDI_DOMINATORS);
	loops_state_set(LOOPS_NEED_FIXUP);
}

/* COUNT as it is written for a block that had OLD: a sampled zero is a guess. */
profile_count share_of(profile_count old, uint64_t count)
{
	uint64_t all = count_of(old);

	return count && all ? old.apply_scale(count, all) : profile_count::guessed_zero();
}

/* The counts of the copies and of what they leave to their originals. */
void write_counts(const picture &p, const pf_superblocks &superblocks, const auto_vec<profile_count> &counts)
{
	const pf_graph *graph = superblocks.graph;
	auto_vec<uint32_t> touched, origin;

	for (uint32_t b = 0; b < p.graph->block_count; b++)
		origin.safe_push(b);
	for (uint32_t i = 0; i < superblocks.count; i++) {
		origin.safe_push(origin[superblocks.copies[i].block]);
		touched.safe_push(superblocks.copies[i].block);
		touched.safe_push(superblocks.copies[i].copy);
	}
	for (uint32_t b : touched) {
		uint64_t count = graph->blocks[b].count;

		p.blocks[b]->count = share_of(counts[origin[b]], count);
		for (uint32_t k = graph->out_first[b]; k < graph->out_first[b + 1] && count; k++) {
			const pf_graph_edge *flow = &graph->edges[graph->out_edges[k]];
			edge e = find_edge(p.blocks[b], p.blocks[flow->to]);

			e->probability = profile_probability::probability_in_gcov_type(flow->count, count).adjusted();
		}
	}
}

bool form(picture *p)
{
	pf_superblocks superblocks;
	pf_superblock_task task = {};
	auto_vec<profile_count> counts;
	bool changed = false;

	task.graph = p->graph;
	task.history = trails_history();
	task.decisions = p->decisions.address();
	task.sizes = p->sizes.address();
	task.fixed = p->fixed.address();
	task.rigid = p->rigid.address();
	task.least = param_tracer_min_branch_probability_feedback / 100.0;
	task.prior = prior_sightings;
	task.price = MAX((double)get_hot_bb_threshold(), 1);
	task.budget = p->size * param_tracer_max_code_growth / 100;
	if (pf_superblocks_form(&task, &superblocks) != 0)
		return false;
	if (superblocks.count) {
		for (basic_block bb : p->blocks)
			counts.safe_push(bb ? bb->count : profile_count::uninitialized());
		make_copies(p, superblocks);
		write_counts(*p, superblocks, counts);
		changed = true;
	}
	if (dump_file)
		fprintf(dump_file, "%u copies, %lu of %lu instructions, save %.0f taken branches\n", superblocks.count,
			(unsigned long)superblocks.size, (unsigned long)p->size, superblocks.saved);
	pf_superblocks_fini(&superblocks);
	return changed;
}

bool forms_superblocks(function *f)
{
	return flag_tracer && flag_reorder_blocks && profile_status_for_fn(f) == PROFILE_READ && current_loops &&
	       n_basic_blocks_for_fn(f) > NUM_FIXED_BLOCKS + 2 && trails_history();
}

unsigned form_superblocks(function *)
{
	picture drawn = {};
	bool changed = false;

	drawn.graph = graph_of_cfg();
	if (!drawn.graph)
		return 0;
	draw_edges(&drawn);
	if (drawn.known) {
		draw_blocks(&drawn);
		changed = form(&drawn);
	}
	pf_graph_free(drawn.graph);
	return changed ? TODO_cleanup_cfg | TODO_update_ssa : 0;
}

} // namespace

void superblock_setup()
{
	if (options.superblocks)
		passes_add({ GIMPLE_PASS, "pathfdo_superblock", TV_TRACER, "tracer", 1, PASS_POS_INSERT_BEFORE,
			     forms_superblocks, form_superblocks });
}

} // namespace pathfdo
