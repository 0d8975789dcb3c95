/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See perf-inflate.h.  Hard case: a record whose first bytes end one payload and whose rest begins the next. */
#include "perfdata/perf-inflate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { INPUT_ROOM = 1 << 16, OUTPUT_ROOM = 1 << 18 };

void pf_inflate_fini(struct pf_inflate *inflate)
{
	ZSTD_freeDStream(inflate->stream);
	free(inflate->input);
	free(inflate->output);
	*inflate = (struct pf_inflate) { 0 };
}

static int start(struct pf_inflate *inflate, struct pf_error *error)
{
	inflate->stream = ZSTD_createDStream();
	inflate->input = malloc(INPUT_ROOM);
	inflate->output = malloc(OUTPUT_ROOM);
	if (!inflate->stream || !inflate->input || !inflate->output) {
		pf_inflate_fini(inflate);
		return pf_fail(error, PF_ENOMEM, "no memory to decompress records");
	}
	return PF_OK;
}

int pf_inflate_feed(struct pf_inflate *inflate, const void *payload, size_t size, struct pf_error *error)
{
	assert(size <= INPUT_ROOM && inflate->input_at == inflate->input_size);
	if (!inflate->stream) {
		int status = start(inflate, error);

		if (status < 0)
			return status;
	}
	memcpy(inflate->input, payload, size);
	inflate->input_size = size;
	inflate->input_at = 0;
	inflate->more = true;
	return PF_OK;
}

/* Decompresses until the output is full or the input is used up. */
static int fill(struct pf_inflate *inflate, struct pf_error *error)
{
	size_t rest = pf_inflate_rest(inflate);
	ZSTD_inBuffer in = { inflate->input, inflate->input_size, inflate->input_at };
	ZSTD_outBuffer out = { inflate->output, OUTPUT_ROOM, rest };

	memmove(inflate->output, inflate->output + inflate->output_at, rest);
	inflate->output_at = 0;
	while (out.pos < out.size) {
		size_t in_before = in.pos, out_before = out.pos;
		size_t code = ZSTD_decompressStream(inflate->stream, &out, &in);

		if (ZSTD_isError(code))
			return pf_fail(error, PF_EFORMAT, "its data are no zstd stream (%s)", ZSTD_getErrorName(code));
		if (in.pos == in_before && out.pos == out_before)
			break;
	}
	if (in.pos < in.size && out.pos < out.size)
		return pf_fail(error, PF_EFORMAT, "its zstd stream does not go on");
	inflate->input_at = in.pos;
	inflate->output_size = out.pos;
	/* zstd holds back output only when it had no room left. */
	inflate->more = out.pos == out.size;
	return PF_OK;
}

int pf_inflate_peek(struct pf_inflate *inflate, size_t size, const uint8_t **bytes, struct pf_error *error)
{
	while (pf_inflate_rest(inflate) < size) {
		int status;

		if (!inflate->more)
			return 0;
		status = fill(inflate, error);
		if (status < 0)
			return status;
	}
	*bytes = inflate->output + inflate->output_at;
	return (int)pf_inflate_rest(inflate);
}

void pf_inflate_skip(struct pf_inflate *inflate, size_t size)
{
	assert(size <= pf_inflate_rest(inflate));
	inflate->output_at += size;
}

size_t pf_inflate_rest(const struct pf_inflate *inflate)
{
	return inflate->output_size - inflate->output_at;
}
