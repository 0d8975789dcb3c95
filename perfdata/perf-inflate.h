/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records that `perf record -z` compressed: all COMPRESSED records of a file carry one zstd stream of ordinary
 * records, cut anywhere.  Output is made only as it is asked for, so that a tiny file cannot ask for all memory. */
#ifndef PF_PERFDATA_PERF_INFLATE_H
#define PF_PERFDATA_PERF_INFLATE_H

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_inflate {
	void *stream;   /* ZSTD_DStream */
	uint8_t *input; /* payload of the record that is being read */
	size_t input_size, input_at;
	uint8_t *output;
	size_t output_size, output_at;
	bool more; /* zstd may hold further output */
};

/* A zeroed object is ready. */
void pf_inflate_fini(struct pf_inflate *inflate);

/* Takes over the payload of the next COMPRESSED record (copied, at most 64 KiB); the one before must be used up.
 * PF_ENOMEM. */
int pf_inflate_feed(struct pf_inflate *inflate, const void *payload, size_t size, struct pf_error *error);

/* Points *BYTES at the next record's bytes, of which there are at least SIZE (<= 64 KiB), and returns their number;
 * 0 when the payload is used up first.  PF_EFORMAT (no zstd stream). */
int pf_inflate_peek(struct pf_inflate *inflate, size_t size, const uint8_t **bytes, struct pf_error *error);

/* Moves past SIZE bytes that were peeked at. */
void pf_inflate_skip(struct pf_inflate *inflate, size_t size);

/* Bytes of an unfinished record that wait for the next payload. */
size_t pf_inflate_rest(const struct pf_inflate *inflate);

#endif
