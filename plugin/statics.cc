/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See statics.h.  The hard case is link-time optimisation, where all of it is streamed and compiled elsewhere: so
 * nothing but plain variables with plain values is made.
 *
 * And it is the variable of the library's, which all functions share.  The compiler takes two declarations of it for
 * two variables: once a function is inlined into another, what the one stores would be nothing to what the other loads.
 */
#include "plugin/statics.h"

namespace pathfdo
{

tree statics_array(const char *name, tree element, uint64_t length)
{
	tree type = build_array_type_nelts(element, length);
	tree var = build_decl(BUILTINS_LOCATION, VAR_DECL, create_tmp_var_name(name), type);

	TREE_STATIC(var) = 1;
	TREE_ADDRESSABLE(var) = 1;
	DECL_ARTIFICIAL(var) = 1;
	DECL_IGNORED_P(var) = 1;
	SET_DECL_ALIGN(var, MAX(TYPE_ALIGN(type), (unsigned)TYPE_ALIGN(ptr_type_node)));
	return var;
}

tree statics_bytes(const char *name, const pf_buffer &bytes)
{
	tree var = statics_array(name, char_type_node, bytes.size);
	tree text = build_string(bytes.size, (const char *)bytes.data);

	TREE_TYPE(text) = TREE_TYPE(var);
	TREE_READONLY(var) = 1;
	DECL_INITIAL(var) = text;
	varpool_node::finalize_decl(var);
	return var;
}

tree statics_external(const char *name, tree type)
{
	static hash_map<nofree_string_hash, tree> made; /* in one pass, within which the compiler collects nothing */
	bool existed;
	tree &var = made.get_or_insert(name, &existed);

	if (!existed) {
		var = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);
		DECL_EXTERNAL(var) = TREE_PUBLIC(var) = DECL_ARTIFICIAL(var) = TREE_ADDRESSABLE(var) = 1;
	}
	return var;
}

tree statics_thread_variable(const char *name, tree type)
{
	tree var = statics_external(name, type);

	/* A program has the library in itself. */
	set_decl_tls_model(var, flag_shlib ? TLS_MODEL_INITIAL_EXEC : TLS_MODEL_LOCAL_EXEC);
	return var;
}

void static_words::append(tree value)
{
	CONSTRUCTOR_APPEND_ELT(words, size_int(vec_safe_length(words)), value);
}

void static_words::number(uint64_t value)
{
	append(build_int_cstu(ptr_type_node, value));
}

void static_words::address(tree var)
{
	append(fold_convert(ptr_type_node, build_fold_addr_expr(var)));
}

tree static_words::finish(const char *name)
{
	tree var = statics_array(name, ptr_type_node, vec_safe_length(words));

	DECL_INITIAL(var) = build_constructor(TREE_TYPE(var), words);
	varpool_node::finalize_decl(var);
	return var;
}

} // namespace pathfdo
