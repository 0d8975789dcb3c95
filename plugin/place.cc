/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of statements.  A location knows the lexical block it is in, and the blocks of an inlined body end in one
 * that carries the location of the call: the chain of those is the inline stack.  The hard case is the callee's name:
 * constructors and lambdas have other names in debug information than in the symbol table, or none. */
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

/* GCC marks a name that is not to get the system's prefix, as one from an assembler label, by a star. */
const char *unmarked(tree identifier)
{
	const char *name = IDENTIFIER_POINTER(identifier);

	return *name == '*' ? name + 1 : name;
}

const char *elided(tree identifier)
{
	const char *name = unmarked(identifier);

	return IDENTIFIER_POINTER(get_identifier_with_length(name, pf_name_elide(name)));
}

void add_name(decl_names *names, const char *name)
{
	for (unsigned i = 0; i < names->count; i++) {
		if (names->names[i] == name)
			return;
	}
	if (names->count < sizeof names->names / sizeof *names->names)
		names->names[names->count++] = name;
}

/* What debug information calls constructors, destructors and conversions: their identifiers (`__ct ') are the
 * compiler's own.  By the numbers of their declarations, since at the end of -flto's front end nobody knows any more;
 * and copies, since the compiler collects identifiers that are no declaration's. */
hash_map<int_hash<unsigned, UINT_MAX>, char *> spoken;

/* Without template arguments, as the profile has it. */
void settle_spoken(tree decl)
{
	if (spoken.get(DECL_UID(decl)) || !DECL_NAME(decl) || !strchr(IDENTIFIER_POINTER(DECL_NAME(decl)), ' '))
		return;
	const char *name = lang_hooks.dwarf_name(decl, 0);

	if (name)
		spoken.put(DECL_UID(decl), xstrndup(name, strcspn(name, "<")));
}

/* Debug information has no line for what the compiler made up: the body of an OpenMP region, a coroutine.  Where that
 * is a member of a class (an implicit or inherited constructor, a lambda) it has the definition's line after all,
 * beside the declaration in the class; inside of a function the two are one, and it stands where the class does.  What
 * is no member is counted from the file's first line.  Of a function with several targets (target_clones) all versions
 * count as made up, also the one that was the source's, and all of them stand where it does. */
int line_of_made_up(tree made_from)
{
	tree context = DECL_CONTEXT(made_from);

	if (!context || !RECORD_OR_UNION_TYPE_P(context) || !TYPE_NAME(context) || !DECL_P(TYPE_NAME(context)))
		return 0;
	return DECL_SOURCE_LINE(decl_function_context(TYPE_NAME(context)) ? TYPE_NAME(context) : made_from);
}

/* These, by the numbers of their declarations: at the end of -flto's front end a lambda's class has no name any more,
 * nor has any class that is no namespace's. */
hash_map<int_hash<unsigned, UINT_MAX>, int> made_up;

void settle_line(tree decl)
{
	if (TREE_CODE(decl) == FUNCTION_DECL && DECL_ARTIFICIAL(decl) && !made_up.get(DECL_UID(decl)))
		made_up.put(DECL_UID(decl), line_of_made_up(decl));
}

/* Whether DECL is a destructor's variant that frees the object, too.  It calls the destructor, and of what was inlined
 * under the name of all variants (D4) nothing is its own. */
bool is_deleting(tree decl)
{
	const char *name =
	    HAS_DECL_ASSEMBLER_NAME_P(decl) && DECL_ASSEMBLER_NAME_SET_P(decl) ? elided(DECL_ASSEMBLER_NAME(decl)) : "";
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, "D0Ev") == 0;
}

/* Whether DECL is one of several that the compiler makes of one function, each for another target (target_clones).  The
 * one that it makes the others of is the default. */
bool is_version(tree decl)
{
	return DECL_ARTIFICIAL(decl) && DECL_FUNCTION_VERSIONED(decl);
}

tree source_of(tree decl)
{
	return DECL_ABSTRACT_ORIGIN(decl) ? DECL_ABSTRACT_ORIGIN(decl) : decl;
}

bool is_made_up(tree decl)
{
	return DECL_ARTIFICIAL(decl) && !is_version(decl);
}

} // namespace

void settle_names(tree decl)
{
	tree origin = DECL_ABSTRACT_ORIGIN(decl);

	if (HAS_DECL_ASSEMBLER_NAME_P(decl))
		decl_assembler_name(decl);
	settle_spoken(decl);
	settle_line(decl);
	if (origin && DECL_P(origin) && HAS_DECL_ASSEMBLER_NAME_P(origin)) {
		decl_assembler_name(origin);
		settle_spoken(origin);
		settle_line(origin);
	}
}

const char *linker_name(tree decl)
{
	return unmarked(DECL_ASSEMBLER_NAME(decl));
}

decl_names names_of(tree decl)
{
	decl_names names = {};
	tree origin = is_deleting(decl) || is_version(decl) ? NULL_TREE : DECL_ABSTRACT_ORIGIN(decl);

	if (HAS_DECL_ASSEMBLER_NAME_P(decl) && DECL_ASSEMBLER_NAME_SET_P(decl))
		add_name(&names, elided(DECL_ASSEMBLER_NAME(decl)));
	if (origin && origin != decl && DECL_P(origin) && HAS_DECL_ASSEMBLER_NAME_P(origin) &&
	    DECL_ASSEMBLER_NAME_SET_P(origin))
		add_name(&names, elided(DECL_ASSEMBLER_NAME(origin)));
	if (char **name = is_deleting(decl) ? NULL : spoken.get(DECL_UID(decl)))
		add_name(&names, *name);
	else if (DECL_NAME(decl))
		add_name(&names, elided(DECL_NAME(decl)));
	return names;
}

decl_names body_names_of(tree decl)
{
	decl_names names = names_of(decl);
	cgraph_node *node = cgraph_node::get(decl);
	ipa_ref *reference;

	for (unsigned i = 0; node && node->iterate_direct_aliases(i, reference); i++) {
		cgraph_node *alias = dyn_cast<cgraph_node *>(reference->referring);

		if (alias && alias->cpp_implicit_alias && !alias->ifunc_resolver &&
		    DECL_ASSEMBLER_NAME_SET_P(alias->decl))
			add_name(&names, elided(DECL_ASSEMBLER_NAME(alias->decl)));
	}
	return names;
}

int base_line(tree decl)
{
	tree made_from = source_of(decl);

	if (!is_made_up(made_from))
		return DECL_SOURCE_LINE(decl);
	int *line = made_up.get(DECL_UID(made_from));
	return line ? *line : line_of_made_up(made_from);
}

bool has_line_of_class(tree decl)
{
	return is_made_up(source_of(decl)) && base_line(decl);
}

int base_line(tree decl, const pf_node *node)
{
	return node->line || !is_made_up(source_of(decl)) ? base_line(decl) : 0;
}

const char *base_file(tree decl)
{
	expanded_location where = expand_location(DECL_SOURCE_LOCATION(decl));

	if (!base_line(decl))
		return main_input_filename;
	return where.file ? where.file : "";
}

tree enclosing_function(tree block, tree *scope)
{
	for (; block && TREE_CODE(block) == BLOCK; block = BLOCK_SUPERCONTEXT(block)) {
		tree origin = BLOCK_ABSTRACT_ORIGIN(block);

		if (!inlined_function_outer_scope_p(block))
			continue;
		while (origin && TREE_CODE(origin) == BLOCK && BLOCK_ABSTRACT_ORIGIN(origin) != origin)
			origin = BLOCK_ABSTRACT_ORIGIN(origin);
		if (origin && TREE_CODE(origin) == FUNCTION_DECL) {
			*scope = block;
			return origin;
		}
	}
	*scope = NULL_TREE;
	return current_function_decl;
}

bool is_real_statement(const gimple *stmt)
{
	return !is_gimple_debug(stmt) && !gimple_clobber_p(stmt) && gimple_code(stmt) != GIMPLE_LABEL &&
	       gimple_code(stmt) != GIMPLE_PREDICT && gimple_code(stmt) != GIMPLE_NOP;
}

placer::placer(const pf_function *function, uint32_t body) : record(function), root(body)
{
}

/* The instance that the call at the head of SCOPE is, seen from the function around it. */
uint32_t placer::match_scope(tree scope)
{
	tree outer, callee = enclosing_function(scope, &outer);
	uint32_t parent = node_of(BLOCK_SUPERCONTEXT(scope));
	tree caller = enclosing_function(BLOCK_SUPERCONTEXT(scope), &outer);
	expanded_location call = expand_location(BLOCK_SOURCE_LOCATION(scope));
	decl_names names = names_of(callee);
	pf_position site = {};

	if (parent == UINT32_MAX)
		return UINT32_MAX;
	site.line = call.line - base_line(caller, &record->nodes[parent]);
	site.column = call.column;
	return pf_match_instance(record, parent, &site, names.names, names.count, base_line(callee));
}

uint32_t placer::node_of(tree block)
{
	tree scope;

	enclosing_function(block, &scope);
	if (!scope)
		return root;
	if (uint32_t *known = nodes.get(scope))
		return *known;
	uint32_t node = match_scope(scope);
	nodes.put(scope, node);
	return node;
}

bool placer::place(location_t where, unsigned discriminator, pf_place *out)
{
	tree block = LOCATION_BLOCK(where), scope;

	if (RESERVED_LOCATION_P(LOCATION_LOCUS(where)))
		return false;
	out->node = node_of(block);
	if (out->node == UINT32_MAX)
		return false;
	expanded_location at = expand_location(where);
	out->position.line = at.line - base_line(enclosing_function(block, &scope), &record->nodes[out->node]);
	out->position.column = at.column;
	out->position.discriminator = discriminator;
	return true;
}

} // namespace pathfdo
