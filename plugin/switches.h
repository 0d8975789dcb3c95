/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the chances of a switch's ways when GCC makes comparisons, bit tests and tables of it. */
#ifndef PF_PLUGIN_SWITCHES_H
#define PF_PLUGIN_SWITCHES_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* BRANCH is the record of what ends BB, and CHOICE the ways out that its outcomes are, NULL where one was not
 * recognised: of a switch they may tell how much of its default went by a range check. */
void switches_note(basic_block bb, const pf_record *branch, edge const *choice);

/* Whether the chances of AT, in the current function behind the lowering, are those that its switch had: where there is
 * none it is known. */
bool switches_are_settled(const gswitch *at);

/* Registers the passes. */
void switches_setup();

} // namespace pathfdo

#endif
