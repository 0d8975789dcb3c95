/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See weights.h.  Keys are 64-bit hashes: of ten million keys two collide with a probability of 3e-6, and then share
 * a weight.  Hard case: builds in different folders and with other inlining, hence the last part of the path only and
 * positions by the function that they are written in. */
#include "profile/weights.h"
#include "profile/arena.h"
#include "profile/saturate.h"

#include <stdlib.h>
#include <string.h>

struct collector {
	struct pf_weights *weights;
	size_t capacity;
	bool failed;
};

static void add(struct collector *collector, uint64_t group, uint64_t key, uint64_t weight)
{
	struct pf_weights *weights = collector->weights;

	if (!weight || collector->failed)
		return;
	if (weights->count == collector->capacity) {
		size_t wanted = collector->capacity ? collector->capacity * 2 : 1024;
		struct pf_weight *grown = reallocarray(weights->items, wanted, sizeof *grown);

		if (!grown) {
			collector->failed = true;
			return;
		}
		weights->items = grown;
		collector->capacity = wanted;
	}
	weights->items[weights->count++] = (struct pf_weight) { group, key, weight };
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t both[] = { a, b };

	return pf_arena_hash(both, sizeof both);
}

static uint64_t position_key(uint64_t function, const struct pf_position *position)
{
	uint64_t parts[] = { function, (uint32_t)position->line,
			     (uint64_t)position->column << 32 | position->discriminator };

	return pf_arena_hash(parts, sizeof parts);
}

static uint64_t function_key(const char *name, const char *file)
{
	const char *slash = strrchr(file, '/');

	file = slash ? slash + 1 : file;
	return mix(pf_arena_hash(name, strlen(name)), pf_arena_hash(file, strlen(file)));
}

/* The key of each node's function, by itself or with all that it was inlined into. */
static void fill_node_keys(const struct pf_function *function, bool in_context, uint64_t *keys)
{
	for (uint32_t n = 0; n < function->node_count; n++) {
		const struct pf_node *node = &function->nodes[n];

		keys[n] = function_key(node->name, node->file);
		if (in_context && n)
			keys[n] = mix(position_key(keys[node->parent], &node->site), keys[n]);
	}
}

static uint64_t place_key(const uint64_t *nodes, const struct pf_place *place)
{
	return position_key(nodes[place->node], &place->position);
}

static void collect_records(struct collector *collector, const struct pf_function *function, const uint64_t *nodes)
{
	for (uint32_t r = 0; r < function->record_count; r++)
		add(collector, 0, place_key(nodes, &function->records[r].place), function->records[r].count);
}

static void collect_edges(struct collector *collector, const struct pf_function *function, const uint64_t *nodes)
{
	for (uint32_t r = 0; r < function->record_count; r++) {
		const struct pf_record *record = &function->records[r];
		uint64_t from = place_key(nodes, &record->place);

		for (uint32_t o = 0; o < record->outcome_count; o++)
			add(collector, from, place_key(nodes, &record->outcomes[o].to), record->outcomes[o].count);
	}
}

static void collect_paths(struct collector *collector, const struct pf_function *function, const uint64_t *nodes)
{
	for (uint32_t p = 0; p < function->path_count; p++) {
		uint64_t key = 0;

		for (uint32_t i = 0; i < function->paths[p].place_count; i++)
			key = mix(key, place_key(nodes, &function->paths[p].places[i]));
		add(collector, 0, key, function->paths[p].count);
	}
}

static void collect_function(struct collector *collector, const struct pf_function *function, enum pf_weight_kind kind)
{
	uint64_t *nodes = calloc(function->node_count, sizeof *nodes);

	if (!nodes) {
		collector->failed = true;
		return;
	}
	fill_node_keys(function, kind == PF_WEIGHT_INSTANCES, nodes);
	if (kind == PF_WEIGHT_FUNCTIONS)
		add(collector, 0, nodes[0], function->total);
	else if (kind == PF_WEIGHT_EDGES)
		collect_edges(collector, function, nodes);
	else if (kind == PF_WEIGHT_PATHS)
		collect_paths(collector, function, nodes);
	else
		collect_records(collector, function, nodes);
	free(nodes);
}

static int compare_weights(const void *a, const void *b)
{
	const struct pf_weight *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static void add_up(struct pf_weights *weights)
{
	size_t kept = 0;

	if (weights->count)
		qsort(weights->items, weights->count, sizeof *weights->items, compare_weights);
	for (size_t i = 0; i < weights->count; i++) {
		struct pf_weight *item = &weights->items[i];

		if (kept && compare_weights(&weights->items[kept - 1], item) == 0)
			weights->items[kept - 1].weight = pf_count_add(weights->items[kept - 1].weight, item->weight);
		else
			weights->items[kept++] = *item;
	}
	weights->count = kept;
}

int pf_weights_collect(const struct pf_profile *profile, enum pf_weight_kind kind, struct pf_weights *weights,
		       struct pf_error *error)
{
	struct collector collector = { .weights = weights };

	*weights = (struct pf_weights) { 0 };
	for (uint32_t f = 0; f < profile->function_count; f++)
		collect_function(&collector, &profile->functions[f], kind);
	if (collector.failed) {
		pf_weights_fini(weights);
		return pf_fail(error, PF_ENOMEM, "out of memory while profiles were compared");
	}
	add_up(weights);
	return PF_OK;
}

void pf_weights_fini(struct pf_weights *weights)
{
	free(weights->items);
	*weights = (struct pf_weights) { 0 };
}

static double total_of(const struct pf_weights *weights)
{
	double total = 0;

	for (size_t i = 0; i < weights->count; i++)
		total += (double)weights->items[i].weight;
	return total;
}

double pf_weights_overlap(const struct pf_weights *a, const struct pf_weights *b)
{
	double total_a = total_of(a), total_b = total_of(b), overlap = 0;
	size_t i = 0, j = 0;

	if (total_a == 0 || total_b == 0)
		return -1;
	while (i < a->count && j < b->count) {
		int order = compare_weights(&a->items[i], &b->items[j]);

		if (order == 0) {
			double p = (double)a->items[i].weight / total_a, q = (double)b->items[j].weight / total_b;

			overlap += p < q ? p : q;
		}
		i += order <= 0;
		j += order >= 0;
	}
	return overlap;
}

/* A run of items of one group. */
struct run {
	const struct pf_weight *items;
	size_t count;
	double total;
	uint64_t highest;
};

static struct run run_at(const struct pf_weights *weights, size_t first)
{
	struct run run = { .items = &weights->items[first] };

	while (first + run.count < weights->count && run.items[run.count].group == run.items[0].group) {
		uint64_t weight = run.items[run.count++].weight;

		run.total += (double)weight;
		run.highest = weight > run.highest ? weight : run.highest;
	}
	return run;
}

/* Some key is the most frequent one in both. */
static bool agree(const struct run *a, const struct run *b)
{
	size_t i = 0, j = 0;

	while (i < a->count && j < b->count) {
		int order = compare_weights(&a->items[i], &b->items[j]);

		if (order == 0 && a->items[i].weight == a->highest && b->items[j].weight == b->highest)
			return true;
		i += order <= 0;
		j += order >= 0;
	}
	return false;
}

struct pf_direction_mismatch pf_weights_mismatch(const struct pf_weights *a, const struct pf_weights *b)
{
	struct pf_direction_mismatch mismatch = { .share = -1 };
	double all_a = 0, all_b = 0, wrong_a = 0, wrong_b = 0;

	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		struct run x = run_at(a, i), y = run_at(b, j);
		uint64_t p = x.items->group, q = y.items->group;

		if (p == q) {
			bool wrong = !agree(&x, &y);

			mismatch.branches++;
			mismatch.wrong += wrong;
			all_a += x.total;
			all_b += y.total;
			wrong_a += wrong ? x.total : 0;
			wrong_b += wrong ? y.total : 0;
		}
		i += p <= q ? x.count : 0;
		j += q <= p ? y.count : 0;
	}
	if (mismatch.branches)
		mismatch.share = (wrong_a / all_a + wrong_b / all_b) / 2;
	return mismatch;
}
