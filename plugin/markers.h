/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same discriminators with and without -g. */
#ifndef PF_PLUGIN_MARKERS_H
#define PF_PLUGIN_MARKERS_H

namespace pathfdo
{

/* Has the parser mark where statements begin, as it does with -g.  Before parsing. */
void markers_borrow();

/* Takes the marks away again, if -g did not ask for them: from here on the compile is what it would have been. */
void markers_return();

} // namespace pathfdo

#endif
