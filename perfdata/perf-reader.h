/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an open perf.data file, shared by the files that read it (perf-open, perf-parts, perf-pipe,
 * perf-attrs, perf-features, perf-next, perf-decode). */
#ifndef PF_PERFDATA_PERF_READER_H
#define PF_PERFDATA_PERF_READER_H

#include "perfdata/aggregates.h"
#include "perfdata/perf-format.h"
#include "perfdata/perf-inflate.h"
#include "perfdata/perf-input.h"
#include "perfdata/perfdata.h"
#include "support/buffer.h"
#include "support/cursor.h"

enum { PF_PERF_MAX_ATTRS = 1 << 16 };

struct pf_perf_section {
	uint64_t offset, size;
};

struct pf_perf_attr {
	struct perf_event_attr attr;
	struct pf_perf_section ids;
	char *name; /* owned, NULL unknown */
};

struct pf_perf_id {
	uint64_t id;
	uint32_t attr;
};

/* Of a file that is text (perf-script.h). */
struct pf_script {
	bool active;
	uint32_t pid; /* of samples that do not say it; UINT32_MAX: unknown */
	char *path;   /* of the mapping that was delivered last; owned */
};

struct pf_perf_file {
	struct pf_input input;
	char *folder;   /* of a recording in several files (perf record --threads); owned; NULL: it is one file */
	uint32_t parts; /* of these read */
	struct pf_script script;
	bool aggregated; /* it is pre-aggregated text, and all of it is in `aggregates` */
	struct pf_aggregates aggregates;
	uint64_t attr_size; /* distance of two attrs in the file */
	struct pf_perf_section attrs_section, data;
	uint64_t feature_bits[PF_PERF_FEATURE_WORDS];
	struct pf_perf_section features[PF_PERF_FEATURE_BITS];

	struct pf_perf_attr *attrs;
	uint32_t attr_count;
	size_t attr_room;       /* in pipe mode */
	struct pf_perf_id *ids; /* sorted */
	size_t id_count;
	int sample_id_at, other_id_at; /* of the id, in bytes, from the start of a sample's body and from the end of any
					* other record; -1: one attr, no id needed */

	struct pf_build_id *build_ids;
	size_t build_id_count;
	uint8_t *build_id_bytes; /* the paths in it */
	struct pf_vectors *vectors;

	bool pipe;                       /* in pipe mode */
	struct pf_buffer pipe_build_ids; /* the records of build-ids, which a file has in a table */

	uint64_t next;      /* file offset of the next record */
	uint64_t packed_at; /* file offset of the compressed record that is being read */
	bool packed;
	struct pf_inflate inflate;
	struct pf_branch *branches; /* of the sample that was delivered last */
};

/* Whether the file has the feature; its section is then in file->features[FEATURE]. */
static inline bool pf_perf_has(const struct pf_perf_file *file, unsigned feature)
{
	return file->feature_bits[feature / 64] >> (feature % 64) & 1;
}

static inline struct pf_perf_section pf_perf_get_section(struct pf_cursor *c)
{
	uint64_t offset = pf_cursor_u64(c);

	return (struct pf_perf_section) { offset, pf_cursor_u64(c) };
}

static inline bool pf_perf_fits(const struct pf_perf_file *file, struct pf_perf_section section)
{
	return section.offset <= file->input.size && section.size <= file->input.size - section.offset;
}

/* Opens PATH, a file or the folder of a recording in several.  PF_EIO, PF_EUNSUPPORTED, PF_ENOMEM; on failure nothing
 * is left to release. */
int pf_perf_open_input(struct pf_perf_file *file, const char *path, struct pf_error *error);

/* Reads the table of attrs, as the header has it.  PF_EFORMAT, PF_ETRUNCATED, PF_ENOMEM, PF_EIO. */
int pf_perf_read_attrs(struct pf_perf_file *file, struct pf_error *error);

/* Reads the ids of all attrs, which are known, and finds out where records have theirs.  Errors as before. */
int pf_perf_read_ids(struct pf_perf_file *file, struct pf_error *error);

/* Finds attrs, features and build-ids in the records of a file in pipe mode.  PF_EFORMAT, PF_ETRUNCATED, PF_ENOMEM,
 * PF_EIO. */
int pf_perf_read_pipe(struct pf_perf_file *file, struct pf_error *error);

/* Points *RECORD at the next record in the file, whatever it is, and moves past it and what follows it: its size, 0 at
 * the end of the data, PF_EFORMAT, PF_ETRUNCATED, PF_EIO. */
int pf_perf_step(struct pf_perf_file *file, const uint8_t **record, struct pf_error *error);

/* Goes on with the next file of a recording in several: 1, 0 if there is none, PF_EIO, PF_EUNSUPPORTED, PF_ENOMEM. What
 * follows is the data section. */
int pf_perf_next_part(struct pf_perf_file *file, struct pf_error *error);

/* Reads EVENT_DESC and BUILD_ID.  PF_EFORMAT, PF_ETRUNCATED, PF_ENOMEM, PF_EIO. */
int pf_perf_read_features(struct pf_perf_file *file, struct pf_error *error);

/* The attr of id ID, or -1. */
int64_t pf_perf_find_id(const struct pf_perf_file *file, uint64_t id);

/* Decodes one record of kernel or perf, all SIZE bytes of it (the size that its header names), into EVENT, whose
 * offset is set.  PF_EFORMAT. */
int pf_perf_decode(struct pf_perf_file *file, const uint8_t *record, size_t size, struct pf_event *event,
		   struct pf_error *error);

#endif
