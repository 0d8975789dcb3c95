/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instrumentation: the exact counterpart of what recordings estimate. */
#ifndef PF_PLUGIN_INSTRUMENT_H
#define PF_PLUGIN_INSTRUMENT_H

namespace pathfdo
{

/* Has each function count its paths or its calls, as the options say.  To be called from plugin_init. */
void instrument_setup(const char *plugin_name);

} // namespace pathfdo

#endif
