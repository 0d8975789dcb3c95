/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one escape of foreign text in pages and pictures. */
#ifndef PF_ANALYSIS_SVGTEXT_H
#define PF_ANALYSIS_SVGTEXT_H

#include "support/buffer.h"

/* Appends TEXT escaped for XML, as content or between double quotes. */
void pf_svg_text(struct pf_buffer *out, const char *text);

#endif
