/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the trees when the module ends (doc/context-format.md has the format): MODULE.PID.context.  The hard case is
 * other threads that go on to call meanwhile: what each tree has is counted first, and no more than that is written. */
#include "runtime/context/contexttree.h"
#include "runtime/paths/countfile.h"

#include <stddef.h>

#define VERSION 3

static bool measured; /* what calls and paths took is known and saved */

/* Numbers the records of TREE, the root being 0, in an order in which parents come before their children. */
static void number_records(struct pf_context_tree *tree)
{
	uint64_t number = 0;

	tree->arc_count = 0;
	for (struct pf_context_arc *a = tree->root->arc.later; a; a = a->later) {
		tree->arc_count++;
		if (a == &a->record->arc)
			a->record->number = ++number;
	}
}

static void put_path(uint64_t number, uint64_t count, uint64_t took)
{
	pf_count_put_uleb(number);
	pf_count_put_uleb(count);
	pf_count_put_uleb(measured ? took : 0);
}

static void put_paths(const struct pf_context_record *r)
{
	const pf_path_word *words = pf_context_words(r);
	uint64_t length = pf_context_length(r), count;

	if (r->path_count == 0)
		return;
	count = pf_path_words_each(words, length, r->metric, UINT64_MAX, NULL);
	pf_count_put_uleb(count);
	pf_path_words_each(words, length, r->metric, count, put_path);
}

static void put_tree(const struct pf_context_tree *tree)
{
	const struct pf_context_arc *a = &tree->root->arc;

	pf_count_put_uleb(tree->arc_count);
	for (uint64_t i = 0; i < tree->arc_count; i++) {
		a = a->later;
		pf_count_put_uleb(a->from->number);
		pf_count_put_uleb(a->site);
		pf_count_put_uleb(a->function);
		pf_count_put_uleb(a->count);
		pf_count_put_uleb(measured ? a->took : 0);
		pf_count_put_uleb(a->record->number);
		if (a == &a->record->arc)
			put_paths(a->record);
	}
}

/* Of FIRST and those that were known before it. */
static void put_functions(const struct pf_context_known *first)
{
	uint64_t count = 0;

	for (const struct pf_context_known *k = first; k; k = k->next)
		count++;
	pf_count_put_uleb(count);
	for (const struct pf_context_known *k = first; k; k = k->next) {
		pf_count_put_uleb(k->number);
		pf_count_put_uleb(k->size);
		pf_count_put_bytes(k->description, k->size);
	}
}

static void put_file(void)
{
	struct pf_context_tree *trees = pf_context_trees;
	uint64_t count = 0;

	for (struct pf_context_tree *tree = trees; tree; tree = tree->next, count++)
		number_records(tree);
	measured = *pf_metric_name();
	pf_count_put_head("PFCTREE", VERSION, pf_context_lost(), pf_metric_name());
	put_functions(pf_context_known);
	pf_count_put_uleb(count);
	for (const struct pf_context_tree *tree = trees; tree; tree = tree->next)
		put_tree(tree);
}

static struct pf_count_file file = { .suffix = "context", .put = put_file, .forget = pf_context_forget };

static void save(void)
{
	if (pf_context_trees)
		pf_count_file_save(&file);
}

const struct pf_context_entries PF_COUNTING_NAME(context_entries) = { pf_context_enter, save, pf_context_count_path,
								      PF_COUNTING_NAME(counter) };

__attribute__((constructor(101))) static void begin(void)
{
	pf_count_file_begin(&file);
}

/* With the lowest priority, it runs behind the module's other destructors.  A library's come behind those of the
 * program, in whose tree its calls are: it is saved anew. */
__attribute__((destructor(101))) static void end(void)
{
	PF_COUNTING_NAME(context_entries).save();
}
