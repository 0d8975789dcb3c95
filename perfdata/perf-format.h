/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a perf.data file is made of, beyond the kernel's own <linux/perf_event.h>: numbers that both the reader and the
 * writer need.  From tools/perf/Documentation/perf.data-file-format.txt and tools/lib/perf/include/perf/event.h. */
#ifndef PF_PERFDATA_PERF_FORMAT_H
#define PF_PERFDATA_PERF_FORMAT_H

#include <stdint.h>

#define PF_PERF_MAGIC "PERFILE2"
#define PF_PERF_MAGIC_SWAPPED "2ELIFREP"
#define PF_PERF_MAGIC_V1 "PERFFILE"

enum {
	PF_PERF_PIPE_HEADER_SIZE = 16,
	PF_PERF_MIN_HEADER_SIZE = 72, /* without feature bits */
	PF_PERF_HEADER_SIZE = 104,
	PF_PERF_SECTION_SIZE = 16, /* offset, size */
	PF_PERF_RECORD_HEADER_SIZE = 8,
	PF_PERF_MAX_RECORD = 65535, /* a record's size has 16 bits */
	PF_PERF_FEATURE_WORDS = 4,
	PF_PERF_FEATURE_BITS = 256,
	PF_PERF_ATTR_MIN = 64, /* PERF_ATTR_SIZE_VER0 */
	PF_PERF_STRING_ALIGN = 64,
	PF_PERF_BRANCH_SIZE = 24,
	PF_PERF_BUILD_ID_ROOM = 24, /* 20 bytes, the size in use, padding */
};

enum pf_perf_feature {
	PF_FEATURE_BUILD_ID = 2,
	PF_FEATURE_HOSTNAME = 3,
	PF_FEATURE_OSRELEASE = 4,
	PF_FEATURE_VERSION = 5,
	PF_FEATURE_ARCH = 6,
	PF_FEATURE_NRCPUS = 7,
	PF_FEATURE_CMDLINE = 11,
	PF_FEATURE_EVENT_DESC = 12,
	PF_FEATURE_BRANCH_STACK = 15,
	/* Ours.  perf numbers its features upwards from 0 (33 so far) and passes over bits that it does not know. */
	PF_FEATURE_VECTORS = 104,
};

/* Records that perf itself writes. */
enum pf_perf_user_record {
	PF_RECORD_USER_START = 64,
	PF_RECORD_HEADER_ATTR = 64,
	PF_RECORD_TRACING_DATA = 66, /* followed by bytes that its size does not count */
	PF_RECORD_HEADER_BUILD_ID = 67,
	PF_RECORD_FINISHED_ROUND = 68,
	PF_RECORD_AUXTRACE = 71, /* likewise */
	PF_RECORD_HEADER_FEATURE = 80,
	PF_RECORD_COMPRESSED = 81,
	PF_RECORD_COMPRESSED2 = 83, /* since Linux 6.16: with the payload's size in front and padding behind */
};

/* perf_event_header.misc of an entry of the build-id table: the byte behind the id is its size. */
#define PF_MISC_BUILD_ID_SIZE (1u << 15)

/* Of LOST_SAMPLES: they are not lost, but what perf record --filter left out by a BPF program, as asked. */
#define PF_MISC_LOST_BY_FILTER (1u << 15)

/* Newer than the oldest kernel headers that we build with. */
#define PF_FORMAT_LOST (1u << 4)

#endif
