/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of a co-processor's profile. */
#ifndef PF_CLI_ENGINE_OUTPUT_H
#define PF_CLI_ENGINE_OUTPUT_H

#include "analysis/copro-stream.h"
#include "analysis/copro.h"
#include "support/buffer.h"

/* M's profile as text, the first TOP rows of each array (0: all), those with the largest first sum first; code by
 * STREAM.  False when out of memory. */
bool pf_engine_put_text(struct pf_buffer *out, const struct pf_copro *m, struct pf_copro_stream *stream, uint32_t top);

/* The same as a JSON object. */
bool pf_engine_put_json(struct pf_buffer *out, const struct pf_copro *m, struct pf_copro_stream *stream, uint32_t top);

#endif
