/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who a function is: the names that debug information may have of it, the file and line of its declaration, and who
 * else may have it.  The hard case is the file, which this compile may name otherwise than that of the profiled binary
 * did. */
#include "plugin/identity.h"

namespace pathfdo
{

namespace
{

/* Whether another translation unit may hold the same body. */
bool is_elsewhere(tree decl)
{
	return DECL_COMDAT(decl) || DECL_EXTERNAL(decl) || DECL_DECLARED_INLINE_P(decl) || DECL_WEAK(decl);
}

/* FILE as seen from the root where possible, to be freed; as debug information has it, whose prefixes this compile may
 * have mapped as that of the profiled binary did, where the profile knows that name. */
char *known_file(pf_bodies *bodies, const char *file)
{
	const char *folder = get_src_pwd();
	char *own = pf_filename_join(folder, file);
	char *mapped = pf_filename_join(remap_debug_filename(folder), remap_debug_filename(file));

	if (own && mapped && strcmp(own, mapped) != 0 && pf_bodies_list(bodies, mapped))
		std::swap(own, mapped);
	free(mapped);
	return own;
}

} // namespace

identity::identity(pf_bodies *bodies, tree decl, bool classless) : names(body_names_of(decl))
{
	file = known_file(bodies, classless ? main_input_filename : base_file(decl));
	if (classless)
		keep_linkage_names();
	as_profile = { names.names,
		       names.count,
		       file ? file : "",
		       classless ? 0 : (uint32_t)base_line(decl),
		       !TREE_PUBLIC(decl),
		       is_elsewhere(decl),
		       DECL_DECLARED_INLINE_P(decl) != 0,
		       DECL_EXTERNAL(decl) && !gimple_has_body_p(decl) };
}

identity::~identity()
{
	free(file);
}

/* The plain names of all that is made up in one file are on one line there. */
void identity::keep_linkage_names()
{
	unsigned kept = 0;

	for (unsigned i = 0; i < names.count; i++) {
		if (strncmp(names.names[i], "_Z", 2) == 0)
			names.names[kept++] = names.names[i];
	}
	names.count = kept;
}

} // namespace pathfdo
