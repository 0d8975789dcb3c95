/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link with -flto.  Counts come with the code, and with them what is hot (linkheat.cc): what goes by them is done
 * here as it is in a compile (late.cc). */
#include "plugin/linktime.h"
#include "plugin/gcc-compat.h"
#include "plugin/late.h"
#include "plugin/linkmark.h"
#include "plugin/passes.h"

namespace pathfdo
{

void linktime_setup(const char *plugin_name)
{
	passes_begin(plugin_name, [] { return true; });
	linkmark_setup();
	if (optimize)
		late_setup();
}

} // namespace pathfdo
