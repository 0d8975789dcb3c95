/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See filename.h.  Hard case: ".." behind what is itself "..", which must not cancel out. */
#include "support/filename.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_parent(const char *component, size_t length)
{
	return length == 2 && component[0] == '.' && component[1] == '.';
}

void pf_filename_fold(char *name)
{
	bool absolute = *name == '/';
	char *root = name + absolute, *to = root;
	const char *from = root;

	while (*from) {
		size_t length = strcspn(from, "/");
		char *last = to;

		while (last > root && last[-1] != '/')
			last--;
		if (is_parent(from, length) && (absolute || to > root) && !is_parent(last, (size_t)(to - last))) {
			to = last > root ? last - 1 : root;
		} else if (length > 0 && !(length == 1 && *from == '.')) {
			if (to > root)
				*to++ = '/';
			memmove(to, from, length);
			to += length;
		}
		from += length;
		from += *from == '/';
	}
	*to = 0;
}

char *pf_filename_join(const char *folder, const char *name)
{
	size_t room = folder && *name != '/' ? strlen(folder) : 0, length = strlen(name);
	char *joined = malloc(room + length + 2);

	if (!joined)
		return NULL;
	if (room)
		memcpy(joined, folder, room);
	if (room)
		joined[room++] = '/';
	memcpy(joined + room, name, length + 1);
	pf_filename_fold(joined);
	return joined;
}

const char *pf_filename_base(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

size_t pf_filename_length(const char *name)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(name), tail = sizeof deleted - 1;

	return length > tail && strcmp(name + length - tail, deleted) == 0 ? length - tail : length;
}
