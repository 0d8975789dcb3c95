/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of clones: a function that the compiler splits or specialises keeps its source, so its counts belong to the
 * name before the suffixes.  Hard case: the name's own dots (Ada, D, assembler, C++ file-local symbols like
 * "foo.bar") stay, so a suffix counts only when it is spelled exactly as a compiler spells it. */
#include "profile/model.h"

#include <string.h>

struct suffix {
	const char *text;
	bool numbered; /* ".N" follows; LLVM's .llvm carries a decimal hash */
	bool optional; /* the number may be missing */
};

static const struct suffix suffixes[] = {
	{ ".constprop", true, false }, { ".isra", true, false },      { ".part", true, false },
	{ ".cold", true, true },       { ".lto_priv", true, false },  { ".llvm", true, false },
	{ ".clone", true, false },     { ".localalias", true, true },
};

/* Start of the ".NUMBER" that ends NAME[0..LENGTH), or LENGTH. */
static size_t before_number(const char *name, size_t length)
{
	size_t at = length;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < length && at && name[at - 1] == '.' ? at - 1 : length;
}

static bool ends_with(const char *name, size_t length, const char *text)
{
	size_t size = strlen(text);

	return length > size && memcmp(name + length - size, text, size) == 0;
}

/* LENGTH without its last suffix, or LENGTH when it has none. */
static size_t elide_one(const char *name, size_t length)
{
	size_t bare = before_number(name, length);

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		const struct suffix *suffix = &suffixes[i];

		if (bare < length && suffix->numbered && ends_with(name, bare, suffix->text))
			return bare - strlen(suffix->text);
		if (bare == length && (suffix->optional || !suffix->numbered) && ends_with(name, length, suffix->text))
			return length - strlen(suffix->text);
	}
	return length;
}

size_t pf_name_elide(const char *name)
{
	size_t length = strlen(name);

	for (;;) {
		size_t shorter = elide_one(name, length);

		if (shorter == length)
			return length;
		length = shorter;
	}
}
