/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See output.h.  The hard case is JSON of which a part could not be made: a script would take it for all. */
#include "cli/output.h"
#include "cli/commands.h"
#include "profile/text.h"
#include "support/descriptor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool pf_output_is_standard(const char *path)
{
	return path && (strcmp(path, "-") == 0 || pf_descriptor_find(path) == STDOUT_FILENO);
}

void pf_output_word(const char *word)
{
	struct pf_buffer out = { 0 };

	pf_text_put_word(&out, word);
	if (!out.failed)
		fwrite(out.data, 1, out.size, stdout);
	pf_buffer_fini(&out);
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
