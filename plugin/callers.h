/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What counts of one function say about another's. */
#ifndef PF_PLUGIN_CALLERS_H
#define PF_PLUGIN_CALLERS_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* How often NODE, under any of its names, is called as far as counts tell; recursion does not count. */
gcov_type counted_calls(cgraph_node *node);

/* Brings the counts of the whole translation unit in order once its functions are annotated: each that has counts runs
 * at least as often as its callers call it, thunks have counts, and of what ran, and only functions that ran can call,
 * some call has counts.  UNSEEN: whether the profile has of a function that other units may call what it did, and
 * nothing of where it began; such a one, of another unit, has begun ONCE. */
void settle_calls(bool (*unseen)(tree), gcov_type once);

/* Where a function that the profile never saw stands to what it saw. */
enum class whereabouts {
	called,     /* something that was seen calls it, or it is hot by the user's word */
	on_the_way, /* it is one of those that alone lead to something that was seen */
	aside,
};

/* Needs note_body, and note_doubt, of all functions of the unit that were seen.  OVERSEEN: whether the profile has what
 * a function of another unit did, and so few of its entries that none of its calls may have been seen. */
whereabouts find_unsampled(tree decl, bool (*overseen)(tree));

/* Says what the profile has of the function DECL: how it was entered, and what it called. */
void note_body(tree decl, const pf_body &body);

/* Says that the function NAME was inlined in this unit, was entered COUNT times there, and is called now. */
void note_left(const char *name, uint64_t count);

/* Says that the counts of DECL are no evidence of what it calls. */
void note_doubt(tree decl);

/* Says that, and that DECL is counted for one entry of which nothing was seen. */
void note_guess(tree decl);

/* Makes a function that the profile never saw cold. */
void cool_unsampled(tree decl);

} // namespace pathfdo

#endif
