/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pf_source as bytes, to hand it from one process to another. */
#ifndef PF_CONVERTER_SOURCEPACK_H
#define PF_CONVERTER_SOURCEPACK_H

#include "converter/source.h"
#include "support/buffer.h"
#include "support/cursor.h"

/* Appends SOURCE. */
void pf_source_pack(const struct pf_source *source, struct pf_buffer *b);

/* Reads what pf_source_pack wrote, checked like any foreign bytes: the other process may have died half-way.
 * PF_EFORMAT, PF_ENOMEM (no message; *SOURCE is then empty). */
int pf_source_unpack(struct pf_cursor *c, struct pf_source *source);

#endif
