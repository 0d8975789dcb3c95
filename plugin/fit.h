/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a record is of the source that is compiled here. */
#ifndef PF_PLUGIN_FIT_H
#define PF_PLUGIN_FIT_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* Notes on which lines function DECL has code, before any of it is optimised away or inlined into another. */
void note_source(tree decl);

/* Whether at least half of what RECORD counts in DECL's own source lies on lines where it has code: near all of it does
 * for the source that was profiled, little for another.  GRAFTED: instances were added to it, which may have brought
 * along what is of other functions. */
bool fits_source(tree decl, const pf_function *record, bool grafted);

/* The outline of DECL's source: where it has code before any of it is optimised away, whom it calls there, and its
 * frame. */
void outline_source(tree decl, pf_outline *outline);

} // namespace pathfdo

#endif
