/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances of one template, which have one source. */
#ifndef PF_PLUGIN_SIBLINGS_H
#define PF_PLUGIN_SIBLINGS_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

/* Says that the function DECL has counts, of TOTAL positions' executions. */
void siblings_note(tree decl, uint64_t total);

/* The function with most counts that was written as DECL was: another instance of its template, or the like of it in
 * one (a lambda, a member function of a class template).  NULL if none has counts. */
tree siblings_find(tree decl);

} // namespace pathfdo

#endif
