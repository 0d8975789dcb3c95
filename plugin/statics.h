/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static data that instrumentation adds to a translation unit: all that a run-time library sees are arrays, of bytes or
 * of words of the address's size, numbers and addresses alike, so that the layout is no matter of a compiler's. */
#ifndef PF_PLUGIN_STATICS_H
#define PF_PLUGIN_STATICS_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* A variable of LENGTH elements without a value, still to be finalised (varpool_node::finalize_decl). */
tree statics_array(const char *name, tree element, uint64_t length);

/* A read-only one with BYTES, finalised. */
tree statics_bytes(const char *name, const pf_buffer &bytes);

/* A variable of the run-time library's, and one that each thread has: of one NAME, which lives as long as the compiler,
 * all callers get one and the same. */
tree statics_external(const char *name, tree type);
tree statics_thread_variable(const char *name, tree type);

/* Values for one of words. */
class static_words
{
      public:
	void number(uint64_t value);
	void address(tree var);
	tree finish(const char *name); /* the variable, finalised */

      private:
	vec<constructor_elt, va_gc> *words = NULL;

	void append(tree value);
};

} // namespace pathfdo

#endif
