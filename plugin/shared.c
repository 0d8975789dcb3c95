/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of all that a macro expands to, debug information knows one position; so it is with the parts of a range-based for.
 * A record has the count of the instruction that ran most, so where blocks of several loops share it, the innermost
 * has a right to it.  A loop's test, which runs once more than what it guards, has none beside that: in machine code it
 * stands at the loop's end.  Within one loop it is the block that dominates the others, for an arm runs no more often
 * than what it is an arm of, and nobody knows by how much less.  The others are left to the inference, which has the
 * compiler's guess of how often a loop turns; where that is a constant, the guess is exact.
 *
 * The hard case is the branch: the outcomes of an inner and an outer test in one record cannot be told apart.  Loops
 * beside each other are not settled, as none is more entitled than the other; and what is around several of them, as
 * where a macro has loops of its own, is told by nobody: one of them may have the count, and the others much less. */
#include "plugin/shared.h"
#include "flow/dominators.h"
#include "support/array.h"
#include "support/search.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX

/* Whose claim makes others give way: those of blocks in a loop, for what lies around it; those beside a loop's header,
 * for the header. */
enum claim_kind { FROM_INSIDE, FROM_BESIDE };

struct claim {
	uint32_t record, loop; /* PF_NO_LOOP: the function itself */
	enum claim_kind kind;
};

struct claims {
	const struct pf_estimate *estimate;
	const struct pf_loops *loops;
	struct claim *at; /* sorted before any is looked for */
	size_t count, capacity;
};

static int add_claim(struct claims *c, struct claim new)
{
	struct claim *at = pf_array_push(c);

	if (!at)
		return -1;
	*at = new;
	return 0;
}

/* The header of BLOCK's loop, or NOBODY. */
static uint32_t header_of(const struct claims *c, uint32_t block)
{
	uint32_t loop = c->loops->innermost[block];

	return loop == PF_NO_LOOP ? NOBODY : c->loops->loops[loop].header;
}

/* BLOCK has RECORD: its loop's header and all loops around its own hear of it.  0, or -1 when out of memory. */
static int claim(struct claims *c, uint32_t record, uint32_t block)
{
	uint32_t loop = c->loops->innermost[block], header = header_of(c, block);
	const struct pf_estimate_block *blocks = c->estimate->blocks;
	int status = 0;

	if (header != NOBODY && blocks[header].leader != blocks[block].leader)
		status = add_claim(c, (struct claim) { record, loop, FROM_BESIDE });
	while (loop != PF_NO_LOOP && status == 0) {
		loop = c->loops->loops[loop].parent;
		status = add_claim(c, (struct claim) { record, loop, FROM_INSIDE });
	}
	return status;
}

static int compare_claims(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;

	if (a->record != b->record)
		return a->record < b->record ? -1 : 1;
	if (a->loop != b->loop)
		return a->loop < b->loop ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

static void sort_claims(struct claims *c)
{
	if (c->count > 0)
		qsort(c->at, c->count, sizeof *c->at, compare_claims);
}

static bool is_claimed(const struct claims *c, uint32_t record, uint32_t block, enum claim_kind kind)
{
	struct claim wanted = { record, c->loops->innermost[block], kind };

	return c->count > 0 && bsearch(&wanted, c->at, c->count, sizeof *c->at, compare_claims);
}

static bool gives_way(const struct claims *c, uint32_t record, uint32_t block)
{
	return is_claimed(c, record, block, FROM_INSIDE) ||
	       (header_of(c, block) == block && is_claimed(c, record, block, FROM_BESIDE));
}

/* Of a record: the loop of those who do not give way, whether they are in several, and whether others do. */
struct right {
	uint32_t loop;
	bool known, several, claimed;
};

static void note_right(struct right *r, const struct claims *c, uint32_t record, uint32_t block)
{
	uint32_t loop = c->loops->innermost[block];

	if (is_claimed(c, record, block, FROM_INSIDE)) {
		r->claimed = true;
	} else if (!gives_way(c, record, block)) {
		r->several |= r->known && r->loop != loop;
		r->loop = loop;
		r->known = true;
	}
}

/* The rights of all records of which votes are; NULL when out of memory. */
static struct right *note_rights(const struct pf_estimate *e, const struct claims *c)
{
	struct right *rights;
	uint32_t last = 0;

	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		for (uint32_t i = 0; i < e->blocks[b].vote_count; i++) {
			uint32_t record = e->votes[e->blocks[b].first_vote + i].record;

			last = record > last ? record : last;
		}
	}
	rights = calloc((size_t)last + 1, sizeof *rights);
	for (uint32_t b = 0; rights && b < e->graph->block_count; b++) {
		for (uint32_t i = 0; i < e->blocks[b].vote_count; i++) {
			uint32_t record = e->votes[e->blocks[b].first_vote + i].record;

			note_right(&rights[record], c, record, b);
		}
	}
	return rights;
}

static void keep_entitled(struct pf_estimate *e, const struct claims *c, const struct right *rights)
{
	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		struct pf_estimate_block *block = &e->blocks[b];
		struct pf_vote *votes = e->votes + block->first_vote;
		uint32_t kept = 0;

		for (uint32_t i = 0; i < block->vote_count; i++) {
			const struct right *r = &rights[votes[i].record];

			if (!(r->several && r->claimed) && !gives_way(c, votes[i].record, b))
				votes[kept++] = votes[i];
		}
		if (kept == 0 && block->vote_count > 0)
			block->idle = false;
		block->vote_count = kept;
	}
}

static int settle_votes(struct pf_estimate *e, struct claims *c)
{
	struct right *rights;

	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		for (uint32_t i = 0; i < e->blocks[b].vote_count; i++) {
			if (claim(c, e->votes[e->blocks[b].first_vote + i].record, b) != 0)
				return -1;
		}
	}
	sort_claims(c);
	rights = note_rights(e, c);
	if (!rights)
		return -1;
	keep_entitled(e, c, rights);
	free(rights);
	return 0;
}

/* A block that has a record; sorted, so that those of one record and one loop are together. */
struct voter {
	uint32_t record, loop, block;
};

struct voters {
	const struct pf_estimate *estimate;
	struct pf_dominators tree;
	struct voter *at;
	size_t count;
};

static int compare_voters(const void *left, const void *right)
{
	const struct voter *a = left, *b = right;

	if (a->record != b->record)
		return a->record < b->record ? -1 : 1;
	if (a->loop != b->loop)
		return a->loop < b->loop ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static int gather_voters(struct voters *v, const struct pf_loops *loops)
{
	const struct pf_estimate *e = v->estimate;
	size_t size = 1;

	for (uint32_t b = 0; b < e->graph->block_count; b++)
		size += e->blocks[b].vote_count;
	v->at = malloc(size * sizeof *v->at);
	if (!v->at)
		return -1;
	for (uint32_t b = 0; b < e->graph->block_count; b++) {
		for (uint32_t i = 0; i < e->blocks[b].vote_count; i++)
			v->at[v->count++] =
			    (struct voter) { e->votes[e->blocks[b].first_vote + i].record, loops->innermost[b], b };
	}
	qsort(v->at, v->count, sizeof *v->at, compare_voters);
	return 0;
}

/* The first voter that is not before WANTED. */
static size_t first_voter(const struct voters *v, const struct voter *wanted)
{
	struct pf_search search = pf_search_over(v->count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, compare_voters(&v->at[search.middle], wanted) < 0);
	return search.low;
}

/* Whether a block that dominates BLOCK in its loop, and may run more often, has RECORD as well. */
static bool is_dominated(const struct voters *v, uint32_t record, uint32_t loop, uint32_t block)
{
	const struct pf_estimate_block *blocks = v->estimate->blocks;
	struct voter wanted = { record, loop, 0 };

	for (size_t i = first_voter(v, &wanted); i < v->count; i++) {
		uint32_t above = v->at[i].block;

		if (v->at[i].record != record || v->at[i].loop != loop)
			break;
		if (blocks[above].leader != blocks[block].leader && pf_dominates(&v->tree, above, block))
			return true;
	}
	return false;
}

static int settle_dominated(struct pf_estimate *e, const struct pf_loops *loops)
{
	struct voters v = { .estimate = e };

	if (pf_dominators_init(&v.tree, e->graph) != 0)
		return -1;
	int status = gather_voters(&v, loops);
	for (uint32_t b = 0; b < e->graph->block_count && status == 0; b++) {
		struct pf_estimate_block *block = &e->blocks[b];
		struct pf_vote *votes = e->votes + block->first_vote;
		uint32_t kept = 0;

		for (uint32_t i = 0; i < block->vote_count; i++) {
			if (!is_dominated(&v, votes[i].record, loops->innermost[b], b))
				votes[kept++] = votes[i];
		}
		block->vote_count = kept;
	}
	free(v.at);
	pf_dominators_fini(&v.tree);
	return status;
}

static void forget_outcomes(struct pf_estimate *e, uint32_t b)
{
	const struct pf_graph *graph = e->graph;

	e->blocks[b].outcomes = e->blocks[b].missed = 0;
	for (uint32_t i = graph->out_first[b]; i < graph->out_first[b + 1]; i++)
		e->edge_outcomes[graph->out_edges[i]] = 0;
}

static int settle_branches(struct pf_estimate *e, struct claims *c)
{
	bool *contested = calloc(e->record_count, sizeof *contested);
	int status = contested ? 0 : -1;

	c->count = 0;
	for (uint32_t b = 0; b < e->graph->block_count && status == 0; b++) {
		if (e->blocks[b].branch < e->record_count)
			status = claim(c, e->blocks[b].branch, b);
	}
	sort_claims(c);
	for (uint32_t b = 0; b < e->graph->block_count && status == 0; b++) {
		if (e->blocks[b].branch < e->record_count && is_claimed(c, e->blocks[b].branch, b, FROM_INSIDE))
			contested[e->blocks[b].branch] = true;
	}
	for (uint32_t b = 0; b < e->graph->block_count && status == 0; b++) {
		if (e->blocks[b].branch < e->record_count && contested[e->blocks[b].branch])
			forget_outcomes(e, b);
	}
	free(contested);
	return status;
}

int pf_shared_settle(struct pf_estimate *e, const struct pf_loops *loops)
{
	struct claims c = { .estimate = e, .loops = loops };
	int status;

	if (e->record_count == 0)
		return 0;
	status = settle_votes(e, &c);
	if (status == 0)
		status = settle_dominated(e, loops);
	if (status == 0)
		status = settle_branches(e, &c);
	free(c.at);
	return status;
}
