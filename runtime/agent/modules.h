/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code may be translated: executable segments of the files that the dynamic loader mapped.  See modules.c. */
#ifndef PF_AGENT_MODULES_H
#define PF_AGENT_MODULES_H

#include "runtime/agent/run.h"
#include "runtime/agent/wire.h"

#define PF_MAX_MODULES 1024
#define PF_MAX_STRING_SLOTS 2048
#define PF_MAX_UNREADABLE 16

/* An executable segment of a file that the dynamic loader mapped. */
struct pf_module {
	uint64_t start, end;       /* of the segment */
	uint64_t load_lo, load_hi; /* of the whole file: what its operands can refer to */
	uint32_t map;              /* index of the recording's maps */
	int16_t zone;              /* -1: none within reach */
	bool own;                  /* the recorder itself */
};

struct pf_modules {
	uint64_t signature; /* of the loader's list when the modules were read */
	uint32_t count;
	struct pf_module list[PF_MAX_MODULES]; /* by address */
	uint32_t string_slot_count;
	uint64_t string_slots[PF_MAX_STRING_SLOTS]; /* where the loader puts the addresses of memcpy and its kin */
	bool quiet;                  /* no system call may be made: files keep the names that the loader has for them */
	volatile uint64_t looked_at; /* headers that are being read; 0: none */
	uint64_t unreadable[PF_MAX_UNREADABLE]; /* such that cannot be: their files are passed by */
	bool vanished[PF_MAX_UNREADABLE];       /* not even their first byte can: as while a library is unloaded */
	uint32_t unreadable_count;
};

/* Notes a mapping of the file PATH; returns its number. */
typedef uint32_t pf_modules_note(void *context, const struct pf_wire_map *map, const char *path);

/* Has a library come or gone since MODULES was read?  No system call. */
bool pf_modules_changed(struct pf_modules *modules, struct pf_run *run);
/* Reads the loader's list anew; EXE is the program's path.  While another thread changes the list there may be none:
 * the next burst looks again. */
void pf_modules_read(struct pf_modules *modules, struct pf_run *run, const char *exe, pf_modules_note *note,
		     void *context);
/* Writes the path of the file that is mapped at ADDRESS to PATH of SIZE bytes, by /proc/self/maps.  False, and PATH as
 * it was, if that tells of none, or of one whose path has no room. */
bool pf_modules_file(uint64_t address, char *path, size_t size);
const struct pf_module *pf_modules_find(const struct pf_modules *modules, uint64_t pc);
/* The program may change the code in [START, END) by plain stores from now on: it is none of a file's any more.  May be
 * called at any time, by any thread. */
void pf_modules_distrust(uint64_t start, uint64_t end);
/* Whether the pointer at ADDRESS is that of a function whose third argument is a size of memory: memcpy, memmove,
 * memset, mempcpy or memcmp. */
bool pf_modules_is_string_slot(const struct pf_modules *modules, uint64_t address);
/* string-slots.c: notes those of the file whose dynamic section is at DYNAMIC, loaded at BIAS.  Reads memory: call
 * under the guard. */
void pf_modules_note_slots(struct pf_modules *modules, uint64_t bias, const void *dynamic);
/* Whether ADDRESS holds a descriptor of a restartable sequence.  Reads memory: call under the guard. */
bool pf_modules_is_rseq(const struct pf_modules *modules, uint64_t address);

#endif
