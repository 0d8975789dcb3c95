/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file stood at an address of a process at a time, from the MMAP, FORK and EXEC events of a perf.data file.
 * The hard case is order: perf writes one ring buffer after the other, so a mapping can stand behind the samples that
 * need it; all mappings are read first and looked up by time. */
#ifndef PF_CONVERTER_MAPPING_H
#define PF_CONVERTER_MAPPING_H

#include "converter/traffic.h"
#include "support/array.h"

#include <stdint.h>

#define PF_RANGE_LIMIT (1u << 20) /* bytes of straight code that are believed */

/* Whether PATH is one of a file, absolute or not, and none of the known names for memory without a file ("[vdso]",
 * "//anon", a memfd, shared memory). */
bool pf_mapping_is_file(const char *path);

/* Whether PATH is one of a memfd: memory with a name. */
bool pf_mapping_is_memory(const char *path);

/* Whether the code of PATH is some file's: that of a memfd is where it has a BUILD_ID of BUILD_ID_SIZE bytes, as a copy
 * of a program or library, and code that is made (JIT) has not. */
bool pf_mapping_has_code(const char *path, size_t build_id_size);

/* As what the code of PATH is lost, which is none of a file's. */
enum pf_drop pf_mapping_loss(const char *path);

struct pf_mapping {
	uint32_t pid, module; /* PF_NO_MODULE: code without a file */
	uint64_t start, end, offset, time;
	uint32_t order;    /* in the file; set by pf_mappings_add */
	enum pf_drop loss; /* without a file: as what its code is lost */
};

struct pf_descent {
	uint32_t pid, parent;
	uint64_t time;
};

/* Where a mapping begins or ends. */
struct pf_mapping_point {
	uint32_t pid;
	uint64_t address;
};

/* A zeroed one is empty and ready.  After pf_mappings_finish the points are the leaves of a tree, and each of its nodes
 * has a list of the mappings that cover all of its leaves. */
struct pf_mappings {
	PF_ARRAY(struct pf_mapping) maps; /* by time */
	PF_ARRAY(struct pf_descent) forks;
	PF_ARRAY(struct pf_mapping_point) points; /* sorted, distinct */
	size_t *lists;                            /* of node i: from lists[i] to lists[i + 1] in `listed` */
	uint32_t *listed;                         /* indices of mappings, rising */
};

void pf_mappings_fini(struct pf_mappings *m);

/* Both return PF_ENOMEM at worst. */
int pf_mappings_add(struct pf_mappings *m, const struct pf_mapping *map);
int pf_mappings_fork(struct pf_mappings *m, uint32_t pid, uint32_t parent, uint64_t time);

/* Builds the tree; call once, before the first look-up.  PF_ENOMEM. */
int pf_mappings_finish(struct pf_mappings *m);

/* The newest mapping at or before TIME that covers ADDRESS in PID or, if it made none since it was forked, in the
 * process that it was forked from, when that was; if nobody has one, PID's own of another time.  NULL if there is none.
 * It takes time with the square of the logarithm of the mappings' number, whatever they cover. */
const struct pf_mapping *pf_mappings_find(const struct pf_mappings *m, uint32_t pid, uint64_t address, uint64_t time);

#endif
