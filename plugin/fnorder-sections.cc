/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Function order.  The profile says at which place of the whole program a function should lie; its section's name says
 * it to the linker, as .text.sorted.NUMBER (doc/layout.md has what linkers make of that).  The place is kept where GCC
 * keeps the time of a function's first run in -fprofile-use: clones, split parts and merged functions inherit it, and
 * with -flto it travels to the link, where GCC itself lays functions out by it.
 *
 * The hard case is what does not belong to the function's hot part: the cold partition, functions that turned out to be
 * unlikely, and those for which the user named a section, all of which go where they go without a profile. */
#include "plugin/fnorder-sections.h"
#include "plugin/settings.h"

namespace pathfdo
{

namespace
{

/* GCC gives a part that it splits off its function's number plus one, which must not be another function's. */
const int spacing = 2;

section *(*usual_section)(tree, node_frequency, bool, bool);

section *sorted_section(tree decl, node_frequency frequency, bool startup, bool exit)
{
	cgraph_node *node = decl ? cgraph_node::get(decl) : nullptr;
	char name[32];

	if (!node || node->tp_first_run <= 0 || node->no_reorder || frequency == NODE_FREQUENCY_UNLIKELY_EXECUTED ||
	    !opt_for_fn(decl, flag_reorder_functions))
		return usual_section(decl, frequency, startup, exit);
	snprintf(name, sizeof name, ".text.sorted.%010d", node->tp_first_run);
	return get_named_text_section(decl, name, nullptr);
}

} // namespace

void fnorder_note(tree decl, uint32_t rank)
{
	if (rank > 0 && rank <= INT_MAX / spacing && settings_order_functions())
		cgraph_node::get(decl)->tp_first_run = (int)rank * spacing;
}

void fnorder_setup()
{
	usual_section = targetm.asm_out.function_section;
	targetm.asm_out.function_section = sorted_section;
}

} // namespace pathfdo
