/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libstdc++'s demangler.  The hard case is a name that has blanks and parentheses within itself, as operator() and
 * templates of function types do: parameters begin at the first parenthesis outside of <> that does not belong to a
 * name. */
#include "cli/demangle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 80 /* letters from which a name is made brief */, ARGUMENTS = 16 /* letters that stay */ };

/* The C++ ABI's, declared in <cxxabi.h> for C++ only. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

char *pf_demangle(const char *name)
{
	int status;
	char *demangled = strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, &status) : NULL;

	if (!demangled)
		demangled = strdup(name);
	for (char *c = demangled; c && *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	}
	return demangled;
}

/* The end of the arguments that begin with the '<' at TEXT, behind their '>'; NULL if it begins none. */
static const char *skip_arguments(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		if (*text == '>' && text[-1] == '-')
			continue;
		depth += (*text == '<') - (*text == '>');
		if (depth == 0)
			return text + 1;
	}
	return NULL;
}

/* Is the '<' AT in NAME one of `operator<`, `operator<<` and their like? */
static bool is_operator(const char *name, const char *at)
{
	static const char word[] = "operator";
	ptrdiff_t length = sizeof word - 1;

	at -= at > name && at[-1] == '<';
	return at - name >= length && memcmp(at - length, word, (size_t)length) == 0;
}

char *pf_demangle_brief(const char *name)
{
	static const char brief[] = "<...>";
	char *whole = pf_demangle(name), *to = whole;
	const char *from = whole;

	if (!whole || strlen(whole) <= LINE)
		return whole;
	while (*from) {
		const char *end = *from == '<' && !is_operator(whole, from) ? skip_arguments(from) : NULL;

		if (end && end - from > ARGUMENTS) {
			memcpy(to, brief, sizeof brief - 1);
			to += sizeof brief - 1;
			from = end;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	return whole;
}

/* Length of NAME without its parameters. */
static size_t bare_length(const char *name)
{
	static const char call[] = "operator()", anonymous[] = "(anonymous namespace)";
	int depth = 0;
	size_t i;

	for (i = 0; name[i]; i++) {
		if (strncmp(name + i, call, sizeof call - 1) == 0)
			i += sizeof call - 2;
		else if (strncmp(name + i, anonymous, sizeof anonymous - 1) == 0)
			i += sizeof anonymous - 2;
		else if (name[i] == '(' && depth == 0)
			break;
		else
			depth += (name[i] == '<') - (name[i] == '>' && depth > 0);
	}
	return i;
}

/* Length of NAME, of which only LENGTH bytes count, without the arguments of a template at its end. */
static size_t untemplated_length(const char *name, size_t length)
{
	int depth = 0;
	size_t i = length;

	if (!length || name[length - 1] != '>')
		return length;
	do {
		i--;
		depth += (name[i] == '>') - (name[i] == '<');
	} while (i && depth);
	return i ? i : length;
}

static bool ends_in(const char *name, size_t length, const char *wanted)
{
	size_t size = strlen(wanted);

	return length >= size && strncmp(name + length - size, wanted, size) == 0 &&
	       (length == size || name[length - size - 1] == ' ' ||
		(length >= size + 2 && name[length - size - 1] == ':' && name[length - size - 2] == ':'));
}

static bool is_brief(const char *name, const char *wanted)
{
	char *brief = pf_demangle_brief(name);
	bool same = brief && strcmp(brief, wanted) == 0;

	free(brief);
	return same;
}

bool pf_demangle_matches(const char *name, const char *wanted)
{
	char *whole;
	size_t bare;
	bool matches;

	if (strcmp(name, wanted) == 0 || is_brief(name, wanted))
		return true;
	whole = pf_demangle(name);
	if (!whole)
		return false;
	bare = bare_length(whole);
	matches = strcmp(whole, wanted) == 0 || ends_in(whole, bare, wanted) ||
		  ends_in(whole, untemplated_length(whole, bare), wanted);
	free(whole);
	return matches;
}
