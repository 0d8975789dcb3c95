/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's warnings, by kind: which are said, and how each is silenced. */
#ifndef PF_PLUGIN_WARNINGS_H
#define PF_PLUGIN_WARNINGS_H

#include "plugin/gcc-compat.h"

namespace pathfdo
{

enum class warning {
	missing,   /* the profile cannot be read, is foreign, damaged or empty */
	changed,   /* it is not the one that the flags were made for */
	cached,    /* a compiler cache cannot tell profiles apart */
	stale,     /* functions were edited since */
	unmatched, /* the file is none of the profiled program's; silent unless asked for */
	combined,  /* with -fprofile-generate and its kin */
	unlinked,  /* a link with -flto is without the plugin; said by its assembler (linkmark.cc) */
};

/* Takes the value of -fplugin-arg-pathfdo-warn (WANTED) or -no-warn: a kind, or `all`.  Another is an error that is
 * said, and false. */
bool warnings_read(const char *value, bool wanted);

/* Lets -Werror have our warnings, too. */
void warnings_obey_werror();

bool warning_is_silent(warning kind);

/* The parts of warn: false if the kind is silent, else sets -Werror aside; FORMAT with the switch behind it, good until
 * the end; the end brings -Werror back. */
bool warning_begin(warning kind);
const char *warning_format(warning kind, const char *format);
void warning_end();

/* Warns at WHERE (UNKNOWN_LOCATION: the compile as such) with GCC's FORMAT, unless the kind is silent.  The text ends
 * in the switch that silences it. */
template <typename... Arguments> void warn(warning kind, location_t where, const char *format, Arguments... arguments)
{
	if (!warning_begin(kind))
		return;
	warning_at(where, 0, warning_format(kind, format), arguments...);
	warning_end();
}

} // namespace pathfdo

#endif
