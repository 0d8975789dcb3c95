/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From GCC's locations to the profile's places. */
#ifndef PF_PLUGIN_PLACE_H
#define PF_PLUGIN_PLACE_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* What a declaration may be called in a profile; the strings live until the compiler collects, behind a pass. */
struct decl_names {
	const char *names[PF_SOURCE_NAMES];
	unsigned count;
};

decl_names names_of(tree decl);

/* The same, and the names that the linker has for the same body: a class without virtual bases has one constructor and
 * two names of it, complete and base, either of which may be the profile's. */
decl_names body_names_of(tree decl);

/* The name of DECL as the linker has it. */
const char *linker_name(tree decl);

/* Has the compiler make DECL's names now, as it does by itself only with -g, and keeps them and its line; later the
 * compiler may not know them any more. */
void settle_names(tree decl);

/* The line that the profile's lines of DECL's source are relative to. */
int base_line(tree decl);

/* The line that those of NODE are relative to, which is DECL's record: a binary with the least of debug information
 * (-g1) has no classes, and what is made up there is counted from the file's first line. */
int base_line(tree decl, const pf_node *node);

/* Whether DECL has a line by way of its class alone. */
bool has_line_of_class(tree decl);

/* The file that the profile has DECL in: where it is declared, or, of what the compiler made up, the one compiled. */
const char *base_file(tree decl);

/* Turns statements of the current function into places of a record. */
class placer
{
      public:
	/* BODY: the node that the function itself is: 0 for its own record, in another's the instance that it had
	 * become. */
	explicit placer(const pf_function *record, uint32_t body = 0);

	/* False if the statement has no source position, or lies in an inlined body that the profile does not have. */
	bool place(location_t where, unsigned discriminator, pf_place *out);

	/* The node of the innermost inlined body around BLOCK, UINT32_MAX if the profile does not have it. */
	uint32_t node_of(tree block);

      private:
	const pf_function *record;
	uint32_t root;
	hash_map<tree, uint32_t> nodes;

	uint32_t match_scope(tree scope);
};

/* The function whose source the scope BLOCK belongs to, and the scope where its body was inlined (NULL: none). */
tree enclosing_function(tree block, tree *scope);

/* Whether STMT may become code: what is no debug statement, label, prediction or end of a life. */
bool is_real_statement(const gimple *stmt);

} // namespace pathfdo

#endif
