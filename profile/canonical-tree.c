/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical inline tree.  Nodes are added up level by level from the root, because which nodes are the same
 * depends on which of their parents are; then they are numbered in preorder.  Hard case: a tree as deep as it has
 * nodes, so nothing here recurses. */
#include "profile/canonical.h"
#include "profile/saturate.h"

#include <stdlib.h>
#include <string.h>

struct tree {
	const struct pf_node *old; /* as the producer left them */
	struct pf_node *merged;    /* by level, then parent, site, identity; parents are indices into it */
	uint32_t *rank;            /* old index -> index into merged */
	uint32_t *depth;           /* of the old nodes */
	uint32_t *order;           /* old indices by depth */
	uint32_t *size;            /* of the subtree below each merged node, itself included */
	uint32_t *preorder;        /* merged index -> final index */
	uint32_t *next;            /* where the next child of a merged node goes */
	uint32_t merged_count;
};

/* Which nodes are one: at one site stand several of one name where a call that the compiler guessed the targets of had
 * two of them inlined, and these are lambdas, or functions of internal linkage, which have no other name than the plain
 * one.  What functions are told apart by tells nodes apart. */
static int compare_nodes(const void *a, const void *b, void *closure)
{
	const struct tree *tree = closure;
	const struct pf_node *x = &tree->old[*(const uint32_t *)a], *y = &tree->old[*(const uint32_t *)b];
	uint32_t p = tree->rank[x->parent], q = tree->rank[y->parent];
	int order = p != q ? (p > q) - (p < q) : pf_position_compare(&x->site, &y->site);

	order = order ? order : strcmp(x->name, y->name);
	order = order ? order : strcmp(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Counting sort by depth; within a level by index, so that the result does not depend on the sort. */
static int order_by_depth(struct tree *tree, uint32_t count)
{
	uint32_t *first = calloc((size_t)count + 1, sizeof *first);

	if (!first)
		return -1;
	for (uint32_t n = 0; n < count; n++) {
		tree->depth[n] = n ? tree->depth[tree->old[n].parent] + 1 : 0;
		first[tree->depth[n] + 1]++;
	}
	for (uint32_t d = 1; d <= count; d++)
		first[d] += first[d - 1];
	for (uint32_t n = 0; n < count; n++)
		tree->order[first[tree->depth[n]]++] = n;
	free(first);
	return 0;
}

static void merge_level(struct tree *tree, uint32_t first, uint32_t end)
{
	qsort_r(tree->order + first, end - first, sizeof *tree->order, compare_nodes, tree);
	for (uint32_t i = first; i < end; i++) {
		uint32_t old = tree->order[i];

		if (i > first && compare_nodes(&tree->order[i - 1], &old, tree) == 0) {
			struct pf_node *sum = &tree->merged[tree->merged_count - 1];

			sum->entries = pf_count_add(sum->entries, tree->old[old].entries);
		} else {
			struct pf_node *node = &tree->merged[tree->merged_count++];

			*node = tree->old[old];
			node->parent = tree->rank[node->parent];
		}
		tree->rank[old] = tree->merged_count - 1;
	}
}

static void merge_levels(struct tree *tree, uint32_t count)
{
	uint32_t first = 1;

	tree->merged[0] = tree->old[0];
	tree->merged[0].parent = 0;
	tree->rank[0] = 0;
	tree->merged_count = 1;
	while (first < count) {
		uint32_t end = first;

		while (end < count && tree->depth[tree->order[end]] == tree->depth[tree->order[first]])
			end++;
		merge_level(tree, first, end);
		first = end;
	}
}

/* Siblings stand in order in MERGED, so each child goes where the one before it ends. */
static void number_in_preorder(struct tree *tree)
{
	for (uint32_t n = tree->merged_count; n-- > 0;) {
		tree->size[n]++;
		if (n)
			tree->size[tree->merged[n].parent] += tree->size[n];
	}
	tree->next[0] = 1;
	for (uint32_t n = 1; n < tree->merged_count; n++) {
		uint32_t *at = &tree->next[tree->merged[n].parent];

		tree->preorder[n] = *at;
		tree->next[n] = *at + 1;
		*at += tree->size[n];
	}
}

static int canonicalise(struct tree *tree, struct pf_function *function, uint32_t *map)
{
	uint32_t count = function->node_count;

	if (order_by_depth(tree, count) < 0)
		return -1;
	merge_levels(tree, count);
	number_in_preorder(tree);
	for (uint32_t n = 0; n < count; n++)
		map[n] = tree->preorder[tree->rank[n]];
	for (uint32_t n = 0; n < tree->merged_count; n++) {
		struct pf_node *node = &function->nodes[tree->preorder[n]];

		*node = tree->merged[n];
		node->parent = tree->preorder[node->parent];
	}
	function->node_count = tree->merged_count;
	return 0;
}

int pf_canonical_tree(struct pf_function *function, uint32_t *map)
{
	size_t count = function->node_count;
	struct tree tree = { .old = function->nodes };
	uint32_t *words;
	int status = -1;

	map[0] = 0;
	if (count == 1)
		return 0;
	words = calloc(count, 6 * sizeof *words);
	tree.merged = calloc(count, sizeof *tree.merged);
	if (words && tree.merged) {
		tree.rank = words;
		tree.depth = words + count;
		tree.order = words + 2 * count;
		tree.size = words + 3 * count;
		tree.preorder = words + 4 * count;
		tree.next = words + 5 * count;
		status = canonicalise(&tree, function, map);
	}
	free(tree.merged);
	free(words);
	return status;
}
