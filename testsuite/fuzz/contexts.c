/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the calling contexts of an instrumented program.  Of what is taken for sound, each node is come to once,
 * callers first, no function is its own ancestor, and what is below a node adds up. */
#include "analysis/contexts.h"

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

static void check(struct pf_contexts *c, bool by_site, bool by_cycles)
{
	struct pf_context_statistics s;
	struct pf_error error;
	uint32_t seen = 0;

	if (pf_contexts_finish(c, by_site, by_cycles, &error) != PF_OK || pf_contexts_measure(c, &s, &error) != PF_OK)
		return;
	for (uint32_t i = 0; i != PF_CONTEXT_NOTHING; i = pf_contexts_next(c, i), seen++) {
		check_node(c, i);
		pf_contexts_line(c, i);
	}
	if (seen != c->nodes.count || s.records + s.recursive + 1 != seen)
		abort();
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
