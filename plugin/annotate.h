/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The annotation of a translation unit. */
#ifndef PF_PLUGIN_ANNOTATE_H
#define PF_PLUGIN_ANNOTATE_H

namespace pathfdo
{

/* Opens the profile and puts the annotation in place of GCC's own profile pass.  A profile that cannot be used is
 * warned of and leaves the compilation as it is. */
void annotate_setup(const char *plugin_name);

} // namespace pathfdo

#endif
