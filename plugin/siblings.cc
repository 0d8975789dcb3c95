/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances of one template.  Where two of them come to the same code, the compiler keeps one (-fipa-icf, at -O2), and
 * what ran as either has its name: of a template's instances for two kinds of pointers, one seems to have done the work
 * of both, and the other to have been called without doing any.  An instance may also have run for so short that no
 * look saw it.  In either case the source is the same, and what the other did with it is the best guess.
 *
 * The hard case is to tell instances from other functions of one place: what the compiler makes up for a class stands
 * where the class does, and a macro's functions where it is used. */
#include "plugin/siblings.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

namespace
{

struct sampled {
	tree decl;
	uint64_t total;
};

auto_vec<sampled> all;

bool has_place(tree decl)
{
	return !DECL_ARTIFICIAL(decl) && DECL_NAME(decl) && DECL_SOURCE_LOCATION(decl) > BUILTINS_LOCATION;
}

bool are_siblings(tree a, tree b)
{
	return DECL_SOURCE_LOCATION(a) == DECL_SOURCE_LOCATION(b) && DECL_NAME(a) == DECL_NAME(b);
}

} // namespace

void siblings_note(tree decl, uint64_t total)
{
	if (has_place(decl))
		all.safe_push({ decl, total });
}

tree siblings_find(tree decl)
{
	sampled best = { NULL_TREE, 0 };

	if (!has_place(decl))
		return NULL_TREE;
	for (const sampled &other : all) {
		if (other.decl != decl && are_siblings(other.decl, decl) && other.total > best.total)
			best = other;
	}
	return best.decl;
}

} // namespace pathfdo
