/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of a co-processor's profile. */
#ifndef PF_CLI_ENGINE_OUTPUT_H
#define PF_CLI_ENGINE_OUTPUT_H

#include "analysis/copro-stream.h"
#include "analysis/copro-truth.h"
#include "support/buffer.h"

/* Of one program. */
struct pf_engine_told {
	const struct pf_copro *machine;
	const struct pf_copro_score *score; /* NULL: not asked for, or the program estimates nothing */
	struct pf_truth_points points;      /* with a score: what it is of */
	const struct pf_truth_course *course;
	uint32_t top; /* rows of each array, those with the largest first sum; 0: all */
};

/* The profile as text; code by STREAM.  False when out of memory. */
bool pf_engine_put_text(struct pf_buffer *out, const struct pf_engine_told *told, struct pf_copro_stream *stream);

/* The same as a JSON object. */
bool pf_engine_put_json(struct pf_buffer *out, const struct pf_engine_told *told, struct pf_copro_stream *stream);

#endif
