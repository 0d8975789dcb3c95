/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call targets for GCC's speculation. */
#ifndef PF_PLUGIN_ICALL_H
#define PF_PLUGIN_ICALL_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* Attaches to each indirect call of the current function the targets that RECORD knows for it, as gcov's reader
 * does; ipa-profile promotes from there.  SCALE as for counts.  Returns how many calls got targets. */
unsigned attach_call_targets(const pf_function *record, uint64_t scale);

/* Leaves calls indirect that the inliner puts where no exception may get out.  To be called from plugin_init. */
void icall_setup();

} // namespace pathfdo

#endif
