/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three renderings of a report, and what they share.  Each appends to a buffer, whose failure the caller checks. */
#ifndef PF_ANALYSIS_RENDER_H
#define PF_ANALYSIS_RENDER_H

#include "analysis/cells.h"

void pf_render_table(struct pf_buffer *out, const struct pf_sheets *sheets, const struct pf_results *results);
void pf_render_markdown(struct pf_buffer *out, const struct pf_sheets *sheets, const struct pf_results *results);
void pf_render_html(struct pf_buffer *out, const struct pf_sheets *sheets, const struct pf_results *results);

/* Puts one character of foreign text: LENGTH bytes of valid, printable UTF-8. */
typedef void pf_render_character(struct pf_buffer *out, const char *character, size_t length);

/* Hands each character of TEXT to PUT.  What no output should hold - control characters, overrides of the direction of
 * writing, broken UTF-8 - becomes U+FFFD; line ends and tabs become blanks. */
void pf_render_text(struct pf_buffer *out, const char *text, pf_render_character *put);

/* Characters in TEXT as pf_render_text hands them on. */
size_t pf_render_width(const char *text);

/* Files that were measured with one machine and the same versions, as plain text with foreign parts in it. */
struct pf_provenance {
	char *files, *dates, *machine, *versions; /* owned */
};

/* The provenance that begins with source FIRST.  False if none does: an earlier file had the same, or later files
 * replaced all of its programs; or OUT has failed, for want of memory. */
bool pf_render_provenance(struct pf_provenance *provenance, const struct pf_comparison *comparison, size_t first,
			  struct pf_buffer *out);
void pf_provenance_fini(struct pf_provenance *provenance);

/* The first sentence of the report: what is in it and how noisy the machine was; to free. NULL when out of memory. */
char *pf_render_summary(const struct pf_results *results);

#endif
