/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a perf.data file that is being written, shared by perf-writer and perf-encode. */
#ifndef PF_PERFDATA_PERF_WRITER_H
#define PF_PERFDATA_PERF_WRITER_H

#include "perfdata/perf-format.h"
#include "perfdata/perfdata.h"
#include "support/buffer.h"
#include "support/outfile.h"

/* The attr as it stands in the file: no newer fields than we use, so that older tools read it. */
enum { PF_WRITER_ATTR_SIZE = 112 /* PERF_ATTR_SIZE_VER5 */ };

struct pf_perf_writer {
	struct pf_outfile out;
	struct perf_event_attr attr;
	char *event;                /* its name, owned */
	char **command;             /* owned, NULL-terminated */
	struct pf_buffer record;    /* scratch */
	struct pf_buffer build_ids; /* the table, ready to write */
	struct pf_buffer vectors;   /* the compact section, ready to write */
	uint64_t data_size;
};

/* Encodes EVENT as one record into writer->record.  PF_EINVAL (kind, length), PF_ENOMEM. */
int pf_perf_encode(struct pf_perf_writer *writer, const struct pf_event *event, struct pf_error *error);

/* Appends perf's own spelling of a string: length, bytes, padding. */
void pf_perf_put_string(struct pf_buffer *b, const char *text);

/* Appends what the feature's section holds; used by commit, in the order of the features. */
void pf_perf_put_features(struct pf_perf_writer *writer, uint64_t at, struct pf_buffer *table, uint64_t bits[4]);

#endif
