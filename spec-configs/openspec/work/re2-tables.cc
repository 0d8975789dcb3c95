/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RE2's tables of Unicode, of which the source package has only the scripts that make them: here for ASCII alone, as
 * the logs that are searched are. */
#include "re2/unicode_casefold.h"
#include "re2/unicode_groups.h"

namespace re2
{

const CaseFold unicode_casefold[] = { { 'A', 'Z', 32 }, { 'a', 'z', -32 } };
const int num_unicode_casefold = 2;
const CaseFold unicode_tolower[] = { { 'A', 'Z', 32 } };
const int num_unicode_tolower = 1;

static const URange16 letters[] = { { 'A', 'Z' }, { 'a', 'z' } };
const UGroup unicode_groups[] = { { "L", 1, letters, 2, nullptr, 0 } };
const int num_unicode_groups = 1;

} // namespace re2
