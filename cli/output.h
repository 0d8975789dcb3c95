/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output that is made whole before it is printed. */
#ifndef PF_CLI_OUTPUT_H
#define PF_CLI_OUTPUT_H

#include "support/buffer.h"

#include <stdbool.h>

/* Whether a file PATH (which may be NULL) is standard output, where nothing else should be then. */
bool pf_output_is_standard(const char *path);

/* Whether files A and B (which may be NULL) are one, by whatever names, of which the second that is written would
 * replace the first; devices and streams take both. */
bool pf_output_is_same(const char *a, const char *b);

/* Prints WORD, a file's name, as the text form of a profile has it (pf_text_put_word): nothing that a terminal would
 * obey. */
void pf_output_word(const char *word);

/* NAME, a file's or a function's, for a line of a message: control characters are question marks, and what is too long
 * is cut. Valid until the fourth call from here. */
const char *pf_output_name(const char *name);

/* Appends TEXT, a line of source, to a page, with its tabs as the blanks that they stand for. */
void pf_output_source(struct pf_buffer *out, const char *text);

/* Prints OUT and releases it.  0; PF_EXIT_FAILURE, nothing printed but a message of COMMAND ("report"), when there was
 * no memory for it.  Whether it arrived is for main to say. */
int pf_output_print(const char *command, struct pf_buffer *out);

#endif
