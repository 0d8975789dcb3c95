/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See output.h.  The hard case is JSON of which a part could not be made: a script would take it for all. */
#include "cli/output.h"
#include "analysis/svgtext.h"
#include "cli/commands.h"
#include "profile/text.h"
#include "support/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAB 4

bool pf_output_is_standard(const char *path)
{
	return path && (strcmp(path, "-") == 0 || pf_descriptor_find(path) == STDOUT_FILENO);
}

/* The last part of PATH, which does not exist, and the FOLDER that it would be in; NULL if that is none. */
static const char *find_place(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *parent = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	bool found = parent && stat(parent, folder) == 0;

	free(parent);
	return found ? name : NULL;
}

/* Whether A and B, neither of which exists, would be one file. */
static bool will_be_same(const char *a, const char *b)
{
	struct stat x, y;
	const char *in_x = find_place(a, &x), *in_y = find_place(b, &y);

	return in_x && in_y && strcmp(in_x, in_y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool pf_output_is_same(const char *a, const char *b)
{
	struct stat x, y;

	if (!a || !b || pf_output_is_standard(a))
		return false;
	if (stat(a, &x) != 0)
		return strcmp(a, b) == 0 || (stat(b, &y) != 0 && will_be_same(a, b));
	return S_ISREG(x.st_mode) && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void pf_output_word(const char *word)
{
	struct pf_buffer out = { 0 };

	pf_text_put_word(&out, word);
	if (!out.failed)
		fwrite(out.data, 1, out.size, stdout);
	pf_buffer_fini(&out);
}

const char *pf_output_name(const char *name)
{
	static char names[4][4200];
	static unsigned int turn;
	char *shown = names[turn++ % 4];

	snprintf(shown, sizeof names[0], "%s", name);
	for (char *at = shown; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return shown;
}

void pf_output_source(struct pf_buffer *out, const char *text)
{
	char character[5]; /* of UTF-8, whose further bytes begin with the bits 10 */

	for (size_t column = 0; *text; column++) {
		size_t length = 0;

		do
			character[length++] = *text++;
		while ((*text & 0xC0) == 0x80 && length < sizeof character - 1);
		character[length] = '\0';
		pf_svg_text(out, *character == '\t' ? " " : character);
		while (*character == '\t' && (column + 1) % TAB) {
			pf_svg_text(out, " ");
			column++;
		}
	}
}

int pf_output_print(const char *command, struct pf_buffer *out)
{
	int status = out->failed ? PF_EXIT_FAILURE : 0;

	if (out->failed)
		fprintf(stderr, "pathfdo %s: out of memory for what is to be shown\n", command);
	else
		fwrite(out->data, 1, out->size, stdout);
	pf_buffer_fini(out);
	return status;
}
