/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With -flto all that goes by counts from the inliner on is done at the link (linktime.cc): a link without the plugin
 * loses the plugin's part of it.  Build systems have links that leave CFLAGS out (libtool's of libraries, Meson's), and
 * the plugin cannot say so where it is not.  What -flto leaves can: it carries toplevel asm, and an assembler has a
 * directive that warns.  So a compile leaves such a mark, and a plugin that finds it takes it off; what is left of it
 * is a warning.
 *
 * The hard case is an object that holds code, too: its own assembler would warn, of a link that may never be.  There
 * the mark is taken off between what -flto writes and the code. */
#include "plugin/gcc-compat.h"
#include "plugin/linkmark.h"
#include "plugin/passes.h"
#include "plugin/warnings.h"

namespace pathfdo
{

namespace
{

/* Of all units that come into one assembler the first warns.  The symbol's name keeps it out of the object. */
#define ONCE ".Lpathfdo_link"
#define BEGINNING "\t.ifndef " ONCE "\n"

#define TEXT                                                                                                           \
	"pathfdo: the objects have a profile, but this link with -flto is without the plugin, and what it does from "  \
	"the inliner on is left out; give the link the flags of the compiles (pathfdo-cflags(1) says how with "        \
	"libtool and Meson) [-fplugin-arg-pathfdo-no-warn=unlinked]"

const char mark[] = BEGINNING "\t.set " ONCE ", 1\n"
			      "\t.warning \"" TEXT "\"\n"
			      "\t.endif";

/* Another release of the plugin may have left another text. */
bool is_mark(tree text)
{
	return strncmp(TREE_STRING_POINTER(text), BEGINNING, strlen(BEGINNING)) == 0;
}

/* Empties the marks, since lists of asm cannot be made shorter in place. */
unsigned take_off(function *)
{
	for (asm_node *node = symtab->first_asm_symbol(); node; node = static_cast<asm_node *>(node->next)) {
		if (is_mark(node->asm_str))
			node->asm_str = build_string(1, "");
	}
	return 0;
}

} // namespace

void linkmark_setup()
{
	passes_add({ IPA_PASS, "pathfdo_linkmark", TV_IPA_PROFILE, "profile_estimate", 1, PASS_POS_INSERT_AFTER, NULL,
		     take_off });
}

void linkmark_leave()
{
	if (flag_generate_lto && !warning_is_silent(warning::unlinked))
		symtab->finalize_toplevel_asm(build_string(sizeof mark, mark));
}

} // namespace pathfdo
