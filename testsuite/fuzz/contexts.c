/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the calling contexts of an instrumented program.  Of what is taken for sound, each node is come to once,
 * callers first, no function is its own ancestor, what is below a node adds up, and so do its paths, which can be
 * walked; and over all contexts they are as many, each in one class. */
#include "analysis/contexts.h"
#include "analysis/countedclasses.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void check_node(const struct pf_contexts *c, uint32_t node)
{
	const struct pf_context_node *n = &c->nodes.at[node];
	uint64_t below = n->own;

	for (uint32_t i = n->first; i != PF_CONTEXT_NOTHING; i = c->nodes.at[i].next) {
		if (c->nodes.at[i].parent != node)
			abort();
		below = sum(below, c->nodes.at[i].below);
	}
	if (below != n->below || (n->leads != node && n->first != PF_CONTEXT_NOTHING))
		abort();
	if (node > 0 && (n->parent >= node || c->nodes.at[n->leads].function != n->function))
		abort();
}

/* How often the paths of NODE ran. */
static uint64_t check_paths(const struct pf_contexts *c, uint32_t node)
{
	const struct pf_context_node *n = &c->nodes.at[node];
	const struct pf_counted_function *f = node > 0 ? c->functions.at[n->function].paths : NULL;
	uint32_t *blocks = f ? calloc((size_t)f->graph->block_count + 1, sizeof *blocks) : NULL;
	uint64_t ran = 0;

	for (uint32_t i = n->first_path; i < n->first_path + n->path_count; i++) {
		const struct pf_context_path *path = &c->paths.at[i];

		if (!f || path->node != node || path->count == 0 || path->number >= f->numbers.count)
			abort();
		if (blocks && i < n->first_path + 16 &&
		    pf_counted_blocks(f, path->number, blocks) > f->graph->block_count)
			abort();
		ran = sum(ran, path->count);
	}
	free(blocks);
	if (ran != n->ran)
		abort();
	return ran;
}

/* Each path that ran is in one class, and each function. */
static void check_classes(const struct pf_counted *counted)
{
	struct pf_counted_classes classes;
	struct pf_error error;
	uint64_t metric = 0, functions = 0, ran = 0;

	if (pf_counted_classify(&classes, counted, 0.01, &error) != PF_OK)
		return;
	for (int i = 0; i < PF_COUNTED_CLASSES; i++) {
		metric = sum(metric, classes.paths[i].metric);
		functions += classes.functions[i].members;
	}
	for (size_t i = 0; i < counted->functions.count; i++)
		ran += counted->functions.at[i].paths.count > 0;
	if (metric != classes.metric || functions != ran)
		abort();
}

static void check_sums(struct pf_contexts *c, uint64_t ran)
{
	struct pf_counted counted = { 0 };
	struct pf_error error;

	if (pf_contexts_take_paths(c, &counted, "fuzz", &error) == PF_OK &&
	    pf_counted_finish(&counted, &error) == PF_OK) {
		if (counted.total != ran)
			abort();
		check_classes(&counted);
	}
	pf_counted_fini(&counted);
}

static void check(struct pf_contexts *c, bool by_site, bool by_metric)
{
	struct pf_context_statistics s;
	struct pf_error error;
	uint64_t ran = 0;
	uint32_t seen = 0;

	if (pf_contexts_finish(c, by_site, by_metric, &error) != PF_OK || pf_contexts_measure(c, &s, &error) != PF_OK)
		return;
	for (uint32_t i = 0; i != PF_CONTEXT_NOTHING; i = pf_contexts_next(c, i), seen++) {
		check_node(c, i);
		pf_contexts_line(c, i);
		ran = sum(ran, check_paths(c, i));
	}
	if (seen != c->nodes.count || s.records + s.recursive + 1 != seen)
		abort();
	check_sums(c, ran);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_error error = { 0 };

	for (int way = 0; way < 4; way++) {
		struct pf_contexts c = { 0 };
		int status = pf_contexts_parse(&c, data, size, "fuzz", &error);

		if (status != PF_OK && (error.code != status || !*error.text))
			abort();
		/* The same twice must be one. */
		if (status == PF_OK && pf_contexts_parse(&c, data, size, "fuzz", &error) == PF_OK)
			check(&c, way & 1, way & 2);
		pf_contexts_fini(&c);
	}
	return 0;
}
