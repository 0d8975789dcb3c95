/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See producer.h.  The hard case is what blanks mean: they part options, and a path may hold some, which GCC writes as
 * they are.  So a value goes on up to the next blank with a hyphen behind it. */
#include "converter/producer.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENT "-fplugin-arg-pathfdo-"

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The languages of which the plugin has a compiler: "GNU C17 12.2.0 -O2 ...", not "GNU AS 2.40". */
static bool is_known_language(const char *text)
{
	return begins(text, "GNU C") || begins(text, "GNU Fortran");
}

/* The option behind TEXT, or NULL. */
static const char *next_option(const char *text)
{
	const char *blank = strstr(text, " -");

	return blank ? blank + 1 : NULL;
}

/* What a link has to say: whether one of its options, OPTION the first, is the plugin's. */
static enum pf_made made_by_link(const char *option)
{
	for (const char *next; option; option = next) {
		const char *ours = strstr(option, "pathfdo");

		next = next_option(option);
		if (begins(option, "-fplugin") && ours && (!next || ours < next))
			return PF_MADE_BY_PLUGGED_LINK;
	}
	return PF_MADE_BY_LINK;
}

struct pf_producer pf_producer_read(const char *text)
{
	struct pf_producer p = { PF_MADE_OTHERWISE, NULL, 0, 0 };
	bool optimised = false;

	const char *option = text ? next_option(text) : NULL;
	if (option && begins(text, "GNU GIMPLE"))
		p.made = made_by_link(option);
	if (!text || !is_known_language(text))
		return p;
	p.made = option ? PF_MADE_PLAINLY : PF_MADE_SILENTLY;
	for (const char *next; option; option = next) {
		next = next_option(option);
		if (begins(option, "-O"))
			optimised = option[2] != '0';
		else if (begins(option, ARGUMENT "hash="))
			p.hash = (uint32_t)strtoul(option + strlen(ARGUMENT "hash="), NULL, 16);
		else if (begins(option, ARGUMENT "profile=")) {
			p.profile = option + strlen(ARGUMENT "profile=");
			p.profile_size = next ? (size_t)(next - 1 - p.profile) : strlen(p.profile);
		}
	}
	if (p.profile)
		p.made = optimised ? PF_MADE_FOR_PROFILE : PF_MADE_IDLY;
	return p;
}
