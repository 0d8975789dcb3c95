/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file stood at an address of a process at a time, from the MMAP, FORK and EXEC events of a perf.data file.
 * The hard case is order: perf writes one ring buffer after the other, so a mapping can stand behind the samples that
 * need it; all mappings are read first and looked up by time. */
#ifndef PF_CONVERTER_MAPPING_H
#define PF_CONVERTER_MAPPING_H

#include "converter/array.h"

#include <stdint.h>

#define PF_RANGE_LIMIT (1u << 20) /* bytes of straight code that are believed */

/* Whether PATH is one of a file (and not "[vdso]", "//anon", a memfd or shared memory). */
bool pf_mapping_is_file(const char *path);

struct pf_mapping {
	uint32_t pid, module; /* PF_NO_MODULE: code without a file */
	uint64_t start, end, offset, time;
	uint64_t reach; /* highest end of this and all earlier ones of the process; set by pf_mappings_finish */
};

struct pf_descent {
	uint32_t pid, parent;
};

/* A zeroed one is empty and ready. */
struct pf_mappings {
	PF_ARRAY(struct pf_mapping) maps;
	PF_ARRAY(struct pf_descent) forks;
};

void pf_mappings_fini(struct pf_mappings *m);

/* Both return PF_ENOMEM at worst. */
int pf_mappings_add(struct pf_mappings *m, const struct pf_mapping *map);
int pf_mappings_fork(struct pf_mappings *m, uint32_t pid, uint32_t parent);

/* Sorts; call once, before the first look-up. */
void pf_mappings_finish(struct pf_mappings *m);

/* The newest mapping at or before TIME (else the oldest) that covers ADDRESS in PID or, if it has none, in the
 * process that it was forked from; NULL if there is none. */
const struct pf_mapping *pf_mappings_find(const struct pf_mappings *m, uint32_t pid, uint64_t address, uint64_t time);

#endif
