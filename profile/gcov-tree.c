/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges a profile down to what GCC can look up.
 *
 * Positions of one line in one function ran in the same or in alternative blocks, and GCC gives the line's count to all
 * of them: the highest count is the least wrong, and adding would count executions twice.  So it is with two inlined
 * instances of one callee on a line.  Different functions of one name (statics of two files) have nothing in common but
 * the name: their counts are added, as if they were one function that does both.
 *
 * Hard case: the targets of calls.  GCC takes those of a line for the targets of any indirect call on it, and the
 * profile does not say which calls are indirect.  So a line has the targets of one call: of the one with most of them,
 * which is an indirect one if any is. */
#include "profile/gcov-tree.h"
#include "profile/gcov-reduce.h"
#include "profile/saturate.h"

#include <stdlib.h>
#include <string.h>

#define NO_INSTANCE UINT32_MAX

/* What is needed while the tree grows. */
struct builder {
	const struct pf_profile *profile;
	bool discriminators;
	struct pf_gcov_tree *tree;
	uint32_t *table; /* hash table of instances by parent, site and name; 0 is a free slot */
	size_t mask;
	uint32_t *map; /* a function's nodes to instances */
	struct pf_gcov_rows lines, targets;
};

static int out_of_memory(struct pf_error *error)
{
	return pf_fail(error, PF_ENOMEM, "out of memory for the profile as GCC sees it");
}

static size_t hash(uint32_t parent, uint32_t site, uint32_t name)
{
	uint64_t key = ((uint64_t)parent << 32 | name) ^ (uint64_t)site << 17;

	key *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(key ^ key >> 29);
}

/* The instance of NAME at SITE in PARENT, new if need be. */
static uint32_t find_instance(struct builder *b, uint32_t parent, uint32_t site, uint32_t name)
{
	struct pf_gcov_instance *instances = b->tree->instances;

	for (size_t at = hash(parent, site, name) & b->mask;; at = (at + 1) & b->mask) {
		uint32_t i = b->table[at];

		if (i && instances[i].parent == parent && instances[i].site == site && instances[i].name == name)
			return i;
		if (i)
			continue;
		i = b->tree->instance_count++;
		instances[i] = (struct pf_gcov_instance) { .parent = parent, .site = site, .name = name };
		b->table[at] = i;
		return i;
	}
}

static uint32_t offset_of(const struct builder *b, const struct pf_position *position)
{
	return (uint32_t)(uint16_t)position->line << 16 | (b->discriminators ? (uint16_t)position->discriminator : 0);
}

/* Gives each node of FUNCTION its instance.  What stands below a node that GCC cannot name is left out too. */
static void map_nodes(struct builder *b, const struct pf_function *function)
{
	const struct pf_gcov_names *names = &b->tree->names;

	for (uint32_t n = 0; n < function->node_count; n++) {
		const struct pf_node *node = &function->nodes[n];
		uint32_t parent = n ? b->map[node->parent] : PF_GCOV_ROOT,
			 name = pf_gcov_names_number(names, node->name);

		b->tree->unnamed += !name;
		b->map[n] = name && parent != NO_INSTANCE
				? find_instance(b, parent, n ? offset_of(b, &node->site) : 0, name)
				: NO_INSTANCE;
	}
}

static void add_record(struct builder *b, uint32_t f, const struct pf_record *record)
{
	const struct pf_position *position = &record->place.position;
	struct pf_gcov_row row = {
		.instance = b->map[record->place.node],
		.offset = offset_of(b, position),
		.function = f,
		.node = record->place.node,
		.column = position->column,
		.count = record->count,
	};

	if (row.instance == NO_INSTANCE)
		return;
	b->tree->far += record->count && (position->line > UINT16_MAX || position->line < -UINT16_MAX);
	b->lines.items[b->lines.count++] = row;
	for (uint32_t t = 0; t < record->target_count; t++) {
		row.name = pf_gcov_names_number(&b->tree->names, record->targets[t].name);
		row.count = record->targets[t].count;
		if (row.name && row.count)
			b->targets.items[b->targets.count++] = row;
	}
}

static void add_function(struct builder *b, uint32_t f)
{
	const struct pf_function *function = &b->profile->functions[f];
	struct pf_gcov_instance *root;

	map_nodes(b, function);
	for (uint32_t r = 0; r < function->record_count; r++)
		add_record(b, f, &function->records[r]);
	if (b->map[0] == NO_INSTANCE)
		return;
	root = &b->tree->instances[b->map[0]];
	root->head = pf_count_add(root->head, function->head);
	root->functions++;
}

/* Room for all that the profile can need, before anything is merged. */
static int reserve(struct builder *b, struct pf_error *error)
{
	uint64_t nodes = 0, records = 0, targets = 0, slots = 16;
	uint32_t widest = 0;

	for (uint32_t f = 0; f < b->profile->function_count; f++) {
		const struct pf_function *function = &b->profile->functions[f];

		nodes += function->node_count;
		records += function->record_count;
		widest = function->node_count > widest ? function->node_count : widest;
		for (uint32_t r = 0; r < function->record_count; r++)
			targets += function->records[r].target_count;
	}
	if (nodes >= NO_INSTANCE - 1)
		return pf_fail(error, PF_ELIMIT, "the profile has more than 2^32 - 2 functions and inlined instances");
	while (slots < 2 * nodes)
		slots *= 2;
	b->mask = (size_t)slots - 1;
	b->table = calloc((size_t)slots, sizeof *b->table);
	b->map = calloc((size_t)widest + 1, sizeof *b->map);
	b->lines.items = calloc((size_t)records + 1, sizeof *b->lines.items);
	b->targets.items = calloc((size_t)targets + 1, sizeof *b->targets.items);
	b->tree->instances = calloc((size_t)nodes + 1, sizeof *b->tree->instances);
	b->tree->instance_count = 1;
	return b->table && b->map && b->lines.items && b->targets.items && b->tree->instances ? PF_OK
											      : out_of_memory(error);
}

/* Takes the reduced rows over as lines and targets, each line with its targets. */
static int take_rows(struct builder *b, struct pf_error *error)
{
	struct pf_gcov_tree *tree = b->tree;
	struct pf_gcov_line *line = tree->lines = calloc(b->lines.count + 1, sizeof *line);
	struct pf_gcov_target *target = tree->targets = calloc(b->targets.count + 1, sizeof *target);

	if (!line || !target)
		return out_of_memory(error);
	for (size_t l = 0, t = 0; l < b->lines.count; l++, line++) {
		const struct pf_gcov_row *row = &b->lines.items[l];
		struct pf_gcov_instance *instance = &tree->instances[row->instance];

		*line = (struct pf_gcov_line) { row->instance, row->offset, row->count, target, 0 };
		if (!instance->line_count++)
			instance->lines = line;
		for (; t < b->targets.count; t++, target++) {
			const struct pf_gcov_row *of = &b->targets.items[t];

			if (of->instance != row->instance || of->offset != row->offset)
				break;
			*target = (struct pf_gcov_target) { of->instance, of->offset, of->name, of->count };
			line->target_count++;
		}
	}
	return PF_OK;
}

uint64_t pf_gcov_tree_scale(const struct pf_gcov_tree *tree, uint64_t count)
{
	uint64_t scaled;

	if (tree->largest <= PF_GCOV_COUNT_MAX || !count)
		return count;
	scaled = (uint64_t)((unsigned __int128)count * PF_GCOV_COUNT_MAX / tree->largest);
	return scaled ? scaled : 1;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Brings all counts into GCC's range by one factor, so that their proportions stay. */
static void scale_counts(struct builder *b)
{
	struct pf_gcov_tree *tree = b->tree;

	for (uint32_t i = 0; i < tree->instance_count; i++)
		tree->largest = larger(tree->largest, tree->instances[i].head);
	for (size_t l = 0; l < b->lines.count; l++)
		tree->largest = larger(tree->largest, b->lines.items[l].count);
	for (size_t t = 0; t < b->targets.count; t++)
		tree->largest = larger(tree->largest, b->targets.items[t].count);
	for (uint32_t i = 0; i < tree->instance_count; i++)
		tree->instances[i].head = pf_gcov_tree_scale(tree, tree->instances[i].head);
	for (size_t l = 0; l < b->lines.count; l++)
		b->lines.items[l].count = pf_gcov_tree_scale(tree, b->lines.items[l].count);
	for (size_t t = 0; t < b->targets.count; t++)
		b->targets.items[t].count = pf_gcov_tree_scale(tree, b->targets.items[t].count);
}

/* A function that ran all the time was entered before the recording began: with a head of zero GCC would move it to the
 * cold section, loops and all. */
static void add_up_totals(struct pf_gcov_tree *tree)
{
	for (uint32_t i = tree->instance_count - 1; i > PF_GCOV_ROOT; i--) {
		struct pf_gcov_instance *instance = &tree->instances[i], *parent = &tree->instances[instance->parent];

		for (uint32_t l = 0; l < instance->line_count; l++)
			instance->total = pf_count_add(instance->total, instance->lines[l].count);
		parent->total = pf_count_add(parent->total, instance->total);
		if (instance->parent == PF_GCOV_ROOT && instance->total && !instance->head)
			instance->head = 1;
	}
}

/* GCC's vectoriser dies of a block in a hot loop that has a count of zero (it divides by it).  Once is as cold as never
 * for all that GCC decides by counts of this quality. */
static void raise_zeros(struct pf_gcov_tree *tree, size_t line_count)
{
	for (size_t l = 0; l < line_count; l++) {
		if (!tree->lines[l].count)
			tree->lines[l].count = 1;
	}
}

static int by_site(const void *a, const void *b, void *closure)
{
	const struct pf_gcov_instance *instances = closure;
	const struct pf_gcov_instance *x = &instances[*(const uint32_t *)a], *y = &instances[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* A function that never ran says no more to GCC than one that is absent.  What is inlined in one that ran is kept all
 * the same: without it GCC has zeros for what it inlines again. */
static int link_children(struct pf_gcov_tree *tree, struct pf_error *error)
{
	uint32_t count = 0;

	tree->children = calloc(tree->instance_count, sizeof *tree->children);
	if (!tree->children)
		return out_of_memory(error);
	for (uint32_t i = 1; i < tree->instance_count; i++) {
		struct pf_gcov_instance *instance = &tree->instances[i];

		instance->kept = instance->parent ? tree->instances[instance->parent].kept : instance->total > 0;
		if (instance->kept)
			tree->children[count++] = i;
	}
	qsort_r(tree->children, count, sizeof *tree->children, by_site, tree->instances);
	for (uint32_t c = 0; c < count; c++) {
		struct pf_gcov_instance *parent = &tree->instances[tree->instances[tree->children[c]].parent];

		if (!parent->child_count++)
			parent->children = &tree->children[c];
	}
	return PF_OK;
}

static int build(struct builder *b, struct pf_error *error)
{
	int status = pf_gcov_names_collect(b->profile, &b->tree->names, error);

	if (status == PF_OK)
		status = reserve(b, error);
	for (uint32_t f = 0; status == PF_OK && f < b->profile->function_count; f++)
		add_function(b, f);
	if (status == PF_OK) {
		pf_gcov_reduce_lines(&b->lines);
		pf_gcov_reduce_targets(&b->targets);
		scale_counts(b);
		status = take_rows(b, error);
	}
	if (status == PF_OK) {
		add_up_totals(b->tree);
		raise_zeros(b->tree, b->lines.count);
		status = link_children(b->tree, error);
	}
	return status;
}

int pf_gcov_tree_build(const struct pf_profile *profile, bool discriminators, struct pf_gcov_tree *tree,
		       struct pf_error *error)
{
	struct builder b = { .profile = profile, .discriminators = discriminators, .tree = tree };
	int status;

	*tree = (struct pf_gcov_tree) { 0 };
	status = build(&b, error);
	free(b.table);
	free(b.map);
	free(b.lines.items);
	free(b.targets.items);
	if (status < 0)
		pf_gcov_tree_fini(tree);
	return status;
}

void pf_gcov_tree_fini(struct pf_gcov_tree *tree)
{
	pf_gcov_names_fini(&tree->names);
	free(tree->instances);
	free(tree->lines);
	free(tree->targets);
	free(tree->children);
	*tree = (struct pf_gcov_tree) { 0 };
}
