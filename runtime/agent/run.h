/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a burst runs on: the program's registers, the spills, the edges recorded so far, and the tables that translated
 * code looks into.  Translated code reaches it through GS.  One for each process, as only one thread is in a burst at
 * a time.  Nothing here knows of signals: whoever has filled in registers and a block's code may call pf_run_enter. */
#ifndef PF_AGENT_RUN_H
#define PF_AGENT_RUN_H

#include "runtime/agent/offsets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_register { PF_RAX, PF_RCX, PF_RDX, PF_RBX, PF_RSP, PF_RBP, PF_RSI, PF_RDI, PF_R8 };

/* A value that translated code came across; in a run that notes accesses it is a struct pf_vec_access. */
struct pf_sighting {
	uint32_t form, pad; /* enum pf_sight */
	uint64_t pc;        /* the instruction */
	uint64_t value, second;
};

/* Where an indirect branch leads. */
struct pf_target {
	uint64_t negated_key; /* of the branch and the address */
	uint8_t *code;
};

/* The source of a block as it was translated: the aligned words of memory that it lies in, so that they are there
 * where it is. */
struct pf_kept {
	uint64_t source;      /* the first of them */
	const uint8_t *code;  /* of the block */
	uint32_t index, size; /* its number; bytes */
	uint64_t words[];
};

struct pf_run {
	uint64_t spill_rcx, spill_rax;
	int64_t count;
	uint64_t exit, target, key, index;
	uint8_t *resume;
	uint64_t host_sp;
	uint64_t regs[16];
	uint64_t flags;
	void *exit_entry, *lookup_entry;
	uint64_t guard_sp; /* 0: no call under the guard is active */
	int64_t sighting_count;
	uint64_t checked_count; /* blocks that the present burst has checked */
	void *check_entry;      /* where translated code goes for the check: pf_run_check, or pf_run_check_in_c */
	uint64_t spill_rdx, spill_rsi, spill_rdi;
	uint64_t fs; /* the base of FS where that is the kernel's to tell */
	/* Not reached by translated code from here to the buffers. */
	uint64_t pc; /* where the program goes on */
	/* Of a fault in translated code: the instruction, the one before (0: none), the start of its block. */
	uint64_t fault_pc, fault_previous, fault_start;
	uint8_t *xsave; /* home of the vector state, see vector.c */
	uint64_t xfeatures;
	bool vectors_live;
	_Alignas(
	    PF_O_BUFFER) uint32_t buffer[PF_MAX_BRANCHES]; /* edges, filled from the end minus the burst's length */
	struct pf_target targets[PF_TABLE_SLOTS];
	uint8_t is_checked[PF_MAX_BLOCKS]; /* by block: 1 once this burst has compared it with the program's code */
	struct pf_sighting sightings[PF_MAX_SIGHTINGS];
	uint32_t checked[PF_MAX_BLOCKS];
	uint8_t kept[PF_MAX_KEPT]; /* struct pf_kept, one behind the other */
};

#define PF_CHECK_OFFSET(member, offset)                                                                                \
	_Static_assert(offsetof(struct pf_run, member) == (offset), #member " moved: see offsets.h")
PF_CHECK_OFFSET(spill_rcx, PF_O_SPILL_RCX);
PF_CHECK_OFFSET(spill_rax, PF_O_SPILL_RAX);
PF_CHECK_OFFSET(count, PF_O_COUNT);
PF_CHECK_OFFSET(exit, PF_O_EXIT);
PF_CHECK_OFFSET(target, PF_O_TARGET);
PF_CHECK_OFFSET(key, PF_O_KEY);
PF_CHECK_OFFSET(index, PF_O_INDEX);
PF_CHECK_OFFSET(resume, PF_O_RESUME);
PF_CHECK_OFFSET(host_sp, PF_O_HOST_SP);
PF_CHECK_OFFSET(regs, PF_O_REGS);
PF_CHECK_OFFSET(flags, PF_O_FLAGS);
PF_CHECK_OFFSET(exit_entry, PF_O_EXIT_ENTRY);
PF_CHECK_OFFSET(lookup_entry, PF_O_LOOKUP_ENTRY);
PF_CHECK_OFFSET(guard_sp, PF_O_GUARD_SP);
PF_CHECK_OFFSET(sighting_count, PF_O_SIGHTING_COUNT);
PF_CHECK_OFFSET(checked_count, PF_O_CHECKED_COUNT);
PF_CHECK_OFFSET(check_entry, PF_O_CHECK_ENTRY);
PF_CHECK_OFFSET(spill_rdx, PF_O_SPILL_RDX);
PF_CHECK_OFFSET(spill_rsi, PF_O_SPILL_RSI);
PF_CHECK_OFFSET(spill_rdi, PF_O_SPILL_RDI);
PF_CHECK_OFFSET(fs, PF_O_FS);
PF_CHECK_OFFSET(checked, PF_O_CHECKED);
PF_CHECK_OFFSET(kept, PF_O_KEPT);
PF_CHECK_OFFSET(sightings, PF_O_SIGHTINGS);
PF_CHECK_OFFSET(buffer, PF_O_BUFFER);
PF_CHECK_OFFSET(targets, PF_O_TARGETS);
PF_CHECK_OFFSET(is_checked, PF_O_IS_CHECKED);
_Static_assert(sizeof(struct pf_target) == 16 && offsetof(struct pf_target, negated_key) == PF_T_NEGATED_KEY &&
		   offsetof(struct pf_target, code) == PF_T_CODE,
	       "struct pf_target changed: see offsets.h");
_Static_assert(offsetof(struct pf_kept, source) == PF_K_SOURCE && offsetof(struct pf_kept, code) == PF_K_CODE &&
		   offsetof(struct pf_kept, index) == PF_K_INDEX && offsetof(struct pf_kept, size) == PF_K_SIZE &&
		   offsetof(struct pf_kept, words) == PF_K_WORDS,
	       "struct pf_kept changed: see offsets.h");

/* run.S.  GS must hold RUN's address: loads the program's registers, runs translated code from run->resume until
 * an exit, whose number is in run->exit then. */
void pf_run_enter(struct pf_run *run);
void pf_run_exit(void);    /* where translated code leaves */
void pf_run_lookup(void);  /* where it looks up an indirect branch */
void pf_run_landing(void); /* where a fault in it resumes, its state already saved */
/* Where it has a block's source compared with what is kept of it, and goes on to the block if they are equal; or leaves
 * for that to be done in C, as does a fault at pf_run_check_load, which resumes at pf_run_check_differs. */
void pf_run_check(void);
void pf_run_check_load(void);
void pf_run_check_differs(void);
void pf_run_check_in_c(void);
/* Calls function(argument) and returns what it returns, or -1 if it touched memory that is not there. */
long pf_run_guard(struct pf_run *run, int (*function)(void *), void *argument);
void pf_run_guard_landing(void);
/* All of the above, which may have the program's stack: whoever is there is in a burst. */
extern const uint8_t pf_run_text[] __attribute__((visibility("hidden")));
extern const uint8_t pf_run_text_end[] __attribute__((visibility("hidden")));

/* vector.c: the program's vector state during a burst. */
/* Once, before the others.  XSAVE: processor and kernel have it. */
void pf_vectors_start(bool xsave);
/* Bytes of the state at FPSTATE, that of a signal's frame; 0 if it is none that can be loaded. */
uint32_t pf_vectors_size(const uint8_t *fpstate);
/* Takes FPSTATE, 64-byte aligned, which has a size, as the state's home. */
void pf_vectors_attach(struct pf_run *run, uint8_t *fpstate);
void pf_vectors_load(struct pf_run *run);
void pf_vectors_park(struct pf_run *run);

#endif
