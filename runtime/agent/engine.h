/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's state: one engine a process (code cache, tables, output), one slot a thread (timer, private signal
 * frame).  A burst owns the engine by its lock, which nobody ever waits for inside a signal handler: a thread whose
 * timer fires meanwhile skips its burst and lets its weight ride on to its next one.  So no table here needs a lock
 * of its own, and memory does not grow with the number of threads. */
#ifndef PF_AGENT_ENGINE_H
#define PF_AGENT_ENGINE_H

#include "runtime/agent/offsets.h"
#include "runtime/agent/sys.h"
#include "runtime/agent/wire.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <ucontext.h>

#define PF_SIGNAL 61 /* SIGRTMAX - 3: queued, so that one that the program sends cannot swallow the timer's, nor be */
#define PF_SIGNAL_BIT (1ull << (PF_SIGNAL - 1))
#define PF_NO_EDGE UINT32_MAX
#define PF_NO_BLOCK UINT32_MAX
#define PF_FIRST_HASH_SIZE 2048u

#define PF_MAX_ZONES 8
#define PF_ZONE_SIZE (16u << 20)
#define PF_MAX_MODULES 1024
#define PF_MAX_EXITS (1u << 18)
#define PF_MAX_BLOCKS (1u << 17)
#define PF_MAX_SITES (1u << 16)
#define PF_MAX_STEPS (1u << 20)
#define PF_MAX_EDGES (1u << 19)
#define PF_MAX_CHANGED 16
#define PF_FAULT_SIGNALS 4
#define PF_UCONTEXT_SIZE 304 /* the kernel's struct ucontext, shorter than libc's */
#define PF_FRAME_FPSTATE 512 /* offset of the floating-point state in the private frame */

enum pf_register { PF_RAX, PF_RCX, PF_RDX, PF_RBX, PF_RSP, PF_RBP, PF_RSI, PF_RDI, PF_R8 };

/* Executable memory for translated code, within reach of RIP-relative operands of the modules that use it. */
struct pf_zone {
	uint8_t *base;
	uint32_t size, used;
};

/* An executable segment of a file that the dynamic loader mapped. */
struct pf_module {
	uint64_t start, end;       /* of the segment */
	uint64_t load_lo, load_hi; /* of the whole file: what its operands can refer to */
	uint32_t map;              /* index of the wire's maps */
	int16_t zone;              /* -1: none within reach */
	bool own;                  /* the recorder itself */
};

/* A way out of a block that leads through C: not yet linked, not translatable, or the end of the burst. */
struct pf_exit {
	uint64_t start, from, to; /* as in struct pf_wire_edge; from == 0: nothing was executed since start */
	uint8_t *patch;           /* rel32 to point at the linked code; NULL: cannot be linked */
	uint32_t site;            /* of an indirect branch */
	uint8_t kind;             /* enum pf_edge_kind */
	uint8_t stop;             /* enum pf_burst_end, for an exit that always ends the burst */
	uint8_t spilled;          /* rcx is spilled already when the exit is reached */
	uint8_t zone;
};

struct pf_block {
	uint64_t pc;
	uint8_t *code, *code_end;
	uint32_t first_step, step_count;
};

/* Where in a block which instruction is: what a fault needs.  The flags say which registers are in their spill. */
struct pf_step {
	uint16_t code, original;
};
#define PF_STEP_RCX 0x4000
#define PF_STEP_RAX 0x8000
#define PF_STEP_MASK 0x3fff

struct pf_slot {
	struct pf_slot *self; /* proves that a signal's value is ours */
	_Atomic int used;
	int tid, timer;
	uint8_t *frame; /* private copy of the signal frame; kept for the slot's next thread */
	uint64_t last_cpu, random;
	uint64_t asked, late; /* ns: the period that was armed; how much longer the one before took */
	void *(*start)(void *);
	int (*start_c11)(void *);
	void *argument;
};

struct pf_engine {
	uint64_t spill_rcx, spill_rax;
	int64_t count;
	uint64_t exit, target, key, index;
	uint8_t *resume;
	uint64_t host_sp;
	uint64_t regs[16];
	uint64_t flags;
	void *exit_entry, *lookup_entry;
	uint64_t guard_sp;
	_Atomic uint32_t lock;
	uint32_t pad;
	/* Not reached by translated code from here to the buffers. */
	uint64_t fault_pc, fault_previous, fault_start;
	uint64_t pc;
	uint64_t seed;
	bool vectors_live, shut, dead; /* shut: no thread starts recording any more; dead: nothing at all happens */
	_Atomic bool rescan;           /* a library came or went, or text was made writable */
	uint32_t flushes;
	uint64_t signature; /* of the loader's list when the modules were read */
	uint8_t *xsave;
	uint64_t xfeatures;
	struct pf_slot *slot;
	uint64_t mask_before; /* signal mask of a thread that holds the lock outside of a burst */
	bool armed;
	struct pf_kernel_action saved_actions[PF_FAULT_SIGNALS];
	uint32_t deferred; /* fault signals that somebody sent during the burst, by index */
	siginfo_t deferred_info[PF_FAULT_SIGNALS];
	uint32_t zone_count, module_count, exit_count, site_count, block_count, step_count, edge_count, map_count;
	uint32_t changed_count;
	struct {
		uint64_t start, end;
	} changed[PF_MAX_CHANGED]; /* code that the program has made writable or mapped over */
	struct pf_zone zones[PF_MAX_ZONES];
	struct pf_exit *exits;
	struct pf_block *blocks;
	struct pf_step *steps;
	/* Index + 1, 0: empty.  Powers of two that grow with their content up to twice PF_MAX_BLOCKS and PF_MAX_EDGES:
	 * a sparse table would cost a page fault an entry, and that is dearer than the entry. */
	uint32_t *block_hash, *edge_hash;
	uint32_t block_hash_size, edge_hash_size;
	uint32_t *site_exits; /* site to exit */
	struct pf_module *modules;
	struct pf_wire_header *wire;
	size_t wire_size;
	/* What the environment asked for. */
	uint32_t frequency, branches, overhead;
	int64_t debt; /* ns of cost that the budget has not paid for yet; negative: credit */
	uint64_t limit;
	_Alignas(PF_O_BUFFER) uint32_t buffer[PF_MAX_BRANCHES];
	uint64_t negated_keys[PF_TABLE_SLOTS];
	uint8_t *codes[PF_TABLE_SLOTS];
	uint8_t stack[PF_O_STACK_TOP - PF_O_STACK];
	uint8_t fault_stack[PF_O_FAULT_STACK_TOP - PF_O_FAULT_STACK];
};

_Static_assert(sizeof(struct pf_slot) == PF_SLOT_SIZE, "struct pf_slot changed its size: see offsets.h");
_Static_assert(offsetof(struct pf_slot, self) == 0, "dispatch.S looks for self at the front of struct pf_slot");

#define PF_CHECK_OFFSET(member, offset)                                                                                \
	_Static_assert(offsetof(struct pf_engine, member) == (offset), #member " moved: see offsets.h")
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
PF_CHECK_OFFSET(lock, PF_O_LOCK);
PF_CHECK_OFFSET(buffer, PF_O_BUFFER);
PF_CHECK_OFFSET(negated_keys, PF_O_NEGATED_KEYS);
PF_CHECK_OFFSET(codes, PF_O_CODES);
PF_CHECK_OFFSET(stack, PF_O_STACK);
PF_CHECK_OFFSET(fault_stack, PF_O_FAULT_STACK);

/* NULL until the process is set up, and for good when that failed. */
extern struct pf_engine *pf_engine;

/* dispatch.S */
void pf_agent_signal(int signal, siginfo_t *info, void *context);
_Noreturn void pf_agent_sigreturn(uint8_t *frame, _Atomic uint32_t *lock);
void pf_agent_restorer(void);
void pf_agent_run(struct pf_engine *engine);
void pf_agent_exit(void);
void pf_agent_landing(void);
void pf_agent_lookup(void);
long pf_agent_guard(struct pf_engine *engine, int (*function)(void *), void *argument);
void pf_agent_guard_landing(void);

/* agent.c: takes the engine outside of a signal handler, all signals blocked meanwhile; gives it back. */
void pf_agent_take(struct pf_engine *engine);
void pf_agent_give(struct pf_engine *engine);
/* Stops every timer before the program installs a system-call filter. */
void pf_agent_stop_for_filter(void);
long pf_agent_set_errno(int error);

/* thread.c */
extern struct pf_slot pf_agent_slots[PF_MAX_SLOTS];
struct pf_slot *pf_agent_slot_get(void);
void pf_agent_slot_put(struct pf_slot *slot);
/* Starts recording of the calling thread; on refusal counts why and frees the slot. */
void pf_agent_thread_start(struct pf_slot *slot);
void pf_agent_thread_stop(void);
/* The one thread of a forked child. */
void pf_agent_thread_forked(void);
/* Sets the thread's timer for PERIOD ns of its CPU time, randomised, at least FLOOR. */
void pf_agent_thread_arm(struct pf_slot *slot, uint64_t floor);
/* Notes how long the armed period really took: the kernel's tick makes it longer, the next ones are shorter for it. */
void pf_agent_thread_late(struct pf_slot *slot, uint64_t period);
void pf_agent_skip(struct pf_slot *slot);
uint64_t pf_agent_frame_size(void);
void pf_agent_stop_timers(void);
struct pf_slot *pf_agent_self(void);
/* Takes the thread out of the recording and counts the enum pf_refusal. */
void pf_agent_refuse(struct pf_slot *slot, int reason);

/* burst.c */
_Noreturn void pf_agent_burst(struct pf_slot *slot, ucontext_t *context);

/* fault.c */
/* The burst's own handlers for faults: put in place (BLOCKED is the thread's mask), and the program's put back. */
void pf_agent_faults_arm(struct pf_engine *engine, uint64_t blocked);
void pf_agent_faults_disarm(struct pf_engine *engine);
/* Sends to the thread what others sent it meanwhile, to be delivered when the handler returns. */
void pf_agent_faults_resend(struct pf_engine *engine);
bool pf_agent_faults_is(int signal);

/* vector.c */
bool pf_agent_vectors_attach(struct pf_engine *engine, uint8_t *fpstate);
void pf_agent_vectors_load(struct pf_engine *engine);
void pf_agent_vectors_park(struct pf_engine *engine);

/* cache.c */
bool pf_agent_cache_init(struct pf_engine *engine);
/* Takes the memory that the first bursts need in a few calls, not by a thousand page faults. */
void pf_agent_cache_populate(struct pf_engine *engine);
void pf_agent_cache_flush(struct pf_engine *engine);
uint64_t pf_agent_cache_site_key(uint32_t site);
uint32_t pf_agent_cache_find(const struct pf_engine *engine, uint64_t pc);
const struct pf_block *pf_agent_cache_at(const struct pf_engine *engine, const uint8_t *code);
/* Finds or translates; on failure returns NULL and sets *WHY. */
const struct pf_block *pf_agent_cache_block(struct pf_engine *engine, uint64_t pc, int *why);
/* Makes EXIT, or for an indirect one its TARGET, lead straight to BLOCK, recording EDGE on the way. */
void pf_agent_cache_link(struct pf_engine *engine, uint32_t exit, uint32_t edge, uint64_t target,
			 const struct pf_block *block);

/* translate.c: translates the code at PC in MODULE; returns enum pf_burst_end (0: *BLOCK is complete). */
int pf_agent_translate(struct pf_engine *engine, const struct pf_module *module, uint64_t pc, struct pf_block *block);

/* modules.c */
void pf_agent_modules_read(struct pf_engine *engine);
void pf_agent_modules_zones(struct pf_engine *engine);
bool pf_agent_modules_changed(struct pf_engine *engine);
const struct pf_module *pf_agent_module_find(const struct pf_engine *engine, uint64_t pc);
void pf_agent_modules_forget(struct pf_engine *engine, uint64_t start, uint64_t end);
/* Whether ADDRESS holds a descriptor of a restartable sequence.  Reads memory: call under the guard. */
bool pf_agent_is_rseq_descriptor(const struct pf_engine *engine, uint64_t address);

/* wirefile.c */
struct pf_wire_header *pf_agent_wire_open(struct pf_engine *engine, const char *directory);
uint64_t pf_agent_wire_string(struct pf_engine *engine, const char *string, size_t length);
uint32_t pf_agent_wire_map(struct pf_engine *engine, const struct pf_wire_map *map, const char *path);
uint32_t pf_agent_wire_edge(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to, int kind);
void pf_agent_wire_burst(struct pf_engine *engine, uint64_t period, uint64_t elapsed, int reason);

#endif
