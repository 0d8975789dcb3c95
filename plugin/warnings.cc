/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile is no part of the program, so that nothing that is wrong with it may break a build: under -Werror our
 * warnings stay warnings unless the user asks.  The hard case is that a plugin cannot have a -W option of its own, by
 * which GCC would do all of this: each text ends in the switch that silences it, where GCC's own have theirs. */
#include "plugin/warnings.h"

namespace pathfdo
{

namespace
{

struct warning_kind {
	const char *name;
	bool silent;
};

/* By kind. */
warning_kind kinds[] = {
	{ "missing", false },  { "changed", false },  { "cached", false },   { "stale", false },
	{ "unmatched", true }, { "combined", false }, { "unlinked", false },
};

bool are_errors, was_requested;
char *whole_format;

} // namespace

bool warnings_read(const char *value, bool wanted)
{
	bool all = value && strcmp(value, "all") == 0, known = all;

	for (warning_kind &kind : kinds) {
		if (!all && (!value || strcmp(value, kind.name) != 0))
			continue;
		kind.silent = !wanted;
		known = true;
	}
	if (!known)
		error("%<-fplugin-arg-pathfdo-%s=%s%>: write one of %<missing%>, %<changed%>, %<cached%>, %<stale%>, "
		      "%<unmatched%>, %<combined%>, %<unlinked%>, %<all%> after the %<=%>",
		      wanted ? "warn" : "no-warn", value ? value : "");
	return known;
}

void warnings_obey_werror()
{
	are_errors = true;
}

bool warning_is_silent(warning kind)
{
	return kinds[(int)kind].silent;
}

bool warning_begin(warning kind)
{
	if (warning_is_silent(kind))
		return false;
	was_requested = pf_gcc_errors_are_requested();
	if (!are_errors)
		pf_gcc_request_errors(false);
	return true;
}

const char *warning_format(warning kind, const char *format)
{
	whole_format = concat("pathfdo: ", format, " [-fplugin-arg-pathfdo-no-warn=", kinds[(int)kind].name, "]", NULL);
	return whole_format;
}

void warning_end()
{
	pf_gcc_request_errors(was_requested);
	free(whole_format);
	whole_format = NULL;
}

} // namespace pathfdo
