/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reader and writer of perf.data files (Linux tools/perf/Documentation/perf.data-file-format.txt), file mode.
 *
 * The reader delivers events in file order, decoded by the attr that each belongs to; it never trusts a size.  The
 * writer makes files that perf script, perf report, create_gcov, llvm-profgen and perf2bolt read. */
#ifndef PF_PERFDATA_PERFDATA_H
#define PF_PERFDATA_PERFDATA_H

#include "perfdata/aggregates.h"
#include "perfdata/vectors.h"
#include "support/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>

/* One entry of a branch stack. */
struct pf_branch {
	uint64_t from, to;
	uint64_t flags; /* perf_branch_entry's bit field: bit 0 mispred, 1 predicted, 2 in_tx, 3 abort, 4-19 cycles,
			 * 20-23 type, 24-25 spec, 26-29 new_type, 30-32 priv */
};

enum pf_event_kind {
	PF_EVENT_SAMPLE = 1,
	PF_EVENT_MMAP, /* MMAP and MMAP2; only executable ones */
	PF_EVENT_COMM,
	PF_EVENT_FORK,
	PF_EVENT_EXIT,
	PF_EVENT_LOST,     /* LOST and LOST_SAMPLES, and a sample whose id is in no attr's table */
	PF_EVENT_THROTTLE, /* THROTTLE and UNTHROTTLE */
	PF_EVENT_OTHER,    /* valid, of no use here */
};

/* Pointers in it live until the next call of pf_perf_next. */
struct pf_event {
	enum pf_event_kind kind;
	uint32_t type;   /* PERF_RECORD_* */
	uint64_t offset; /* in the file */
	uint16_t misc;
	uint32_t attr;           /* index of the attr it belongs to */
	uint32_t pid, tid, ppid; /* ppid: fork only */
	uint32_t cpu;
	uint64_t time;       /* 0 when not sampled */
	uint64_t ip, period; /* samples */
	uint32_t branch_count;
	const struct pf_branch *branches;      /* newest first, as the kernel delivers them */
	uint64_t address, length, page_offset; /* mappings */
	uint32_t protection;
	const char *filename; /* mappings: path; comm: name */
	uint8_t build_id[20];
	uint8_t build_id_size; /* MMAP2 with PERF_RECORD_MISC_MMAP_BUILD_ID; 0 otherwise */
	bool is_exec;          /* comm set by exec */
	uint64_t lost;         /* events lost */
};

struct pf_build_id {
	const char *path;
	uint32_t pid;
	uint16_t misc;
	uint8_t id[20];
	uint8_t size;
};

struct pf_perf_file;

/* Opens PATH.  PF_EIO, PF_EFORMAT (no perf.data, other byte order: the text says so), PF_ETRUNCATED, PF_EUNSUPPORTED
 * (a directory, no regular file), PF_ENOMEM.  Pipe mode (perf record -o -) is read from a file as well, and so is the
 * text that `perf script --show-mmap-events` prints of one, or that perf2bolt -pa reads.  *FILE is the caller's, to
 * pf_perf_close. */
int pf_perf_open(const char *path, struct pf_perf_file **file, struct pf_error *error);
void pf_perf_close(struct pf_perf_file *file);

/* Next event: 1, 0 at the end, or PF_EFORMAT, PF_ETRUNCATED, PF_ENOMEM, PF_EIO with the offset in the text.  Records
 * compressed by `perf record -z` are decompressed; their offset is that of the record that carried them. */
int pf_perf_next(struct pf_perf_file *file, struct pf_event *event, struct pf_error *error);

/* The type of an attr of which only the name is known, as in text. */
#define PF_PERF_TYPE_NAMED UINT32_MAX

/* Attrs and their names (from the EVENT_DESC feature; "" unknown). */
uint32_t pf_perf_attr_count(const struct pf_perf_file *file);
const struct perf_event_attr *pf_perf_attr(const struct pf_perf_file *file, uint32_t index);
const char *pf_perf_event_name(const struct pf_perf_file *file, uint32_t index);

/* The HEADER_BUILD_ID table; lives as long as FILE. */
const struct pf_build_id *pf_perf_build_ids(const struct pf_perf_file *file, size_t *count);

/* What the file has added up, if it is the pre-aggregated text of perf2bolt (aggregates.h), which has no events; NULL
 * if it is not.  Owned by FILE. */
const struct pf_aggregates *pf_perf_aggregates(const struct pf_perf_file *file);

/* The compact vectors in the file: *VECTORS is NULL if it has none.  Owned by FILE.  PF_EFORMAT, PF_ETRUNCATED,
 * PF_EVERSION, PF_ELIMIT (more than half of the machine's memory), PF_ENOMEM, PF_EIO. */
int pf_perf_vectors(struct pf_perf_file *file, const struct pf_vectors **vectors, struct pf_error *error);

struct pf_perf_writer;

/* How the samples that follow are described. */
struct pf_perf_writer_options {
	const char *event;  /* name for EVENT_DESC, e.g. "pathfdo-soft" */
	uint32_t attr_type; /* PERF_TYPE_SOFTWARE, ... */
	uint64_t attr_config;
	uint64_t sample_type; /* PERF_SAMPLE_*, of those that pf_perf_create takes */
	uint64_t branch_sample_type;
	uint64_t period;
	bool frequency;       /* period is a frequency in Hz */
	char *const *command; /* NULL-terminated argv for CMDLINE */
	char *saved;          /* of samples that cannot be taken again, see pf_outfile_options; or NULL */
};

/* Starts PATH (a temporary file until commit).  PF_EIO, PF_ENOMEM, PF_EINVAL (sample_type that it cannot write,
 * PATH is a pipe).  Writable: IDENTIFIER, IP, TID, TIME, ID, STREAM_ID, CPU, PERIOD, BRANCH_STACK. */
int pf_perf_create(const char *path, const struct pf_perf_writer_options *options, struct pf_perf_writer **writer,
		   struct pf_error *error);

/* Appends one event of kind SAMPLE, MMAP (written as MMAP2), COMM, FORK, EXIT or LOST.  A misc without a processor mode
 * means user mode.  PF_EIO, PF_ENOMEM, PF_EINVAL (other kind, longer than 64 KiB). */
int pf_perf_write(struct pf_perf_writer *writer, const struct pf_event *event, struct pf_error *error);

/* Appends raw records as a kernel ring buffer delivers them (whole records, matching the attr of the writer).  PF_EIO,
 * PF_EINVAL (not whole records). */
int pf_perf_write_raw(struct pf_perf_writer *writer, const void *records, size_t size, struct pf_error *error);

/* Adds to the HEADER_BUILD_ID table (a pid of 0: this machine, which perf writes as -1).  PF_ENOMEM, PF_EINVAL. */
int pf_perf_add_build_id(struct pf_perf_writer *writer, const struct pf_build_id *id, struct pf_error *error);

/* Encodes VECTORS as the compact section; they may be released afterwards.  Replaces what was set before.  PF_EINVAL
 * (an index out of range), PF_ELIMIT, PF_ENOMEM. */
int pf_perf_set_vectors(struct pf_perf_writer *writer, const struct pf_vectors *vectors, struct pf_error *error);

/* Writes header, features and section and renames into place; a file that was there is PATH.old then.  The writer is
 * released either way.  PF_EIO (see pf_outfile_commit), PF_ENOMEM. */
int pf_perf_commit(struct pf_perf_writer *writer, struct pf_error *error);
void pf_perf_abandon(struct pf_perf_writer *writer);

#endif
