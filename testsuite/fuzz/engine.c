/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a program of a co-processor, and behind a NUL as the trace that it runs over.  What is accepted must
 * end, within its arrays, and what it estimates must be a share. */
#include "analysis/copro-stream.h"
#include "analysis/copro.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char own_trace[] =
    "I  400,3\n L 1000,8,2a\n S 1000,4\n B cond,500,1\ncut\nI  404,3\n M 1008,8\n B call,600,1\n"
    "I  408,1\n B return,409,1\n B indirect,410,1\n B icall,411,1\n B jump,412,1\n";

static void take_sample(void *context, const struct pf_copro_sample *sample)
{
	if (sample->class >= PF_COPRO_CLASSES)
		abort();
	pf_copro_feed(context, sample);
}

static void take_cut(void *context)
{
	pf_copro_cut(context);
}

static void run(const struct pf_copro_program *program, const char *trace, size_t size)
{
	struct pf_copro *m = malloc(sizeof *m);
	const struct pf_copro_sink sink = { m, take_sample, take_cut };
	struct pf_error error = { 0 };

	if (!m || pf_copro_init(m, program) < 0)
		abort();
	if (pf_copro_trace_parse("trace", trace, size, &sink, &error) < 0 && !*error.text)
		abort();
	if (pf_copro_finish(m) < 0)
		abort();
	for (uint32_t i = 0; i < m->profile.entries.count; i++) {
		const struct pf_copro_entry *entry = &m->profile.entries.at[i];
		double share = 0;

		if (entry->group != PF_NO_ENTRY && program->arrays[entry->array].value != PF_NO_FIELD)
			share = m->profile.entries.at[i].invariance;
		if (!(share >= 0 && share <= 1))
			abort();
	}
	pf_copro_fini(m);
	free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t text = nul ? (size_t)(nul - data) : size;
	struct pf_copro_program *program;
	struct pf_error error = { 0 };
	int status = pf_copro_parse("fuzz", (const char *)data, text, &program, &error);

	if (status < 0) {
		if (program || error.code != status || !*error.text)
			abort();
		return 0;
	}
	run(program, own_trace, sizeof own_trace - 1);
	if (nul)
		run(program, (const char *)nul + 1, size - text - 1);
	pf_copro_program_free(program);
	return 0;
}
