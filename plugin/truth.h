/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The truth mode: gcov's counts of the same program, to measure the annotation against. */
#ifndef PF_PLUGIN_TRUTH_H
#define PF_PLUGIN_TRUTH_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* Reads the .gcda file of this translation unit into the counts of all functions, as -fprofile-use would, and leaves
 * the compiler's own guesses on the edges.  With the oracle switch the counts are also written as a profile's. */
void truth_read();

/* What gcov counted in the blocks of the current function, by index; to be taken before they are overwritten. */
void truth_take(auto_vec<uint64_t> *counts);

/* Compares the counts just written with TRUTH and adds the result to the report and the unit's total. */
void truth_compare(const auto_vec<uint64_t> &truth);

/* Prints the unit's total. */
void truth_finish();

} // namespace pathfdo

#endif
