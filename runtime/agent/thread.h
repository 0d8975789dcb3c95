/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorded threads: a slot and a timer each.  See thread.c. */
#ifndef PF_AGENT_THREAD_H
#define PF_AGENT_THREAD_H

#include "runtime/agent/counter.h"
#include "runtime/agent/offsets.h"
#include "runtime/agent/process.h"

#define PF_LEAST_ALTERNATE_STACK 6144 /* of a thread whose signals find room on it */
#define PF_FRAME_ACCESSES 448         /* offset in the private frame of struct pf_vec_access[2], behind the context */
#define PF_FRAME_FPSTATE 512          /* ...of the floating-point state */

struct pf_slot {
	struct pf_slot *self; /* proves that a signal's value is ours; first: dispatch.S */
	_Atomic int used;
	int tid, timer;       /* timer -1: none; that, or the counter, is what bursts begin by */
	uint32_t ticks, wait; /* since the last burst, and until the next one may begin */
	bool began;           /* the first tick has been */
	bool step_pops;       /* of a whole run: the step takes all flags from the stack */
	uint16_t stack;       /* the number of its alternate one; 0: it is known to have none (altstack.c) */
	uint64_t fs;          /* the thread's own base of the FS segment */
	uint8_t *frame;       /* private copy of the signal frame, and a stack for faults; kept for the next thread */
	uint64_t random;
	int64_t owed;   /* ns of CPU time since the last burst; less than none while its own are still coming */
	uint64_t first; /* ns before the first tick */
	union {
		void *(*start)(void *);
		int (*start_c11)(void *);
	};
	void *argument;
	int name;               /* the thread's number as the recording has it: that of the recorder's own namespace */
	uint32_t step_accesses; /* of a whole run: what the step is going to load and store, at PF_FRAME_ACCESSES */
	uint64_t step_pc;    /* of a whole run: the instruction that the processor runs itself; 0: it does not matter */
	uint32_t step_count; /* such in a row */
	bool step_call;      /* it is a system call */
	bool stepping;       /* the trap flag is set, or was when a handler of the program's began */
	bool trap_blocked;   /* the program has blocked SIGTRAP, and for the step it is not */
	bool resting;        /* the step is over a whole function of the recorder's own: see resting.c */
	struct pf_counter counter;
};

_Static_assert(sizeof(struct pf_slot) == PF_SLOT_SIZE, "struct pf_slot changed its size: see offsets.h");

extern struct pf_slot pf_thread_slots[PF_MAX_SLOTS] __attribute__((visibility("hidden")));

/* A slot for a thread; NULL if there is none. */
struct pf_slot *pf_thread_slot(void);
void pf_thread_put(struct pf_slot *slot);
/* Counts a thread that is not recorded. */
void pf_thread_count_refusal(enum pf_refusal reason);
/* All but SLOT, which may be NULL, are free: a forked child has one thread. */
void pf_thread_put_others(const struct pf_slot *slot);
/* Starts the counter of slot->tid, the calling thread, or else its timer; takes it away, or forgets it where calls are
 * to be left out. */
void pf_thread_start(struct pf_slot *slot);
void pf_thread_stop(struct pf_slot *slot);
/* Starts the timer of slot->tid, a thread of this process; counts the reason if there can be none. */
void pf_thread_by_timer(struct pf_slot *slot);
/* Takes all timers away, so that their threads are recorded no more; the counters stay. */
void pf_thread_spare_timers(void);
/* Does it have one of the two? */
bool pf_thread_is_recorded(const struct pf_slot *slot);
/* In a forked child, which has inherited neither; or they are not to be known any more. */
void pf_thread_forget(struct pf_slot *slot);
/* Nanoseconds between ticks. */
uint64_t pf_thread_interval(void);
/* A random number of the slot's own row. */
uint64_t pf_thread_random(struct pf_slot *slot);
/* The thread's routine has returned. */
void pf_thread_end(struct pf_slot *slot);
/* The slot of the recorded thread whose the FS segment is, so that thread-local variables can be used; NULL: none's.
 * Where the segment is the kernel's to tell and a filter may be there by now, it is taken for the thread's own. */
struct pf_slot *pf_thread_by_fs(void);
/* Starts the recording of the calling thread; on refusal counts why.  Where a filter may be coming there is none. */
void pf_thread_begin(struct pf_slot *slot);
/* The one thread of a forked child; GO: it is to be recorded. */
void pf_thread_forked(bool go);
/* Takes all threads' timers away. */
void pf_thread_stop_all(void);
/* Gives the memory of all frames back; no thread may be returning through one. */
void pf_thread_drop_frames(void);
/* Takes the calling thread out of the recording and counts why. */
void pf_thread_refuse(struct pf_slot *slot, enum pf_refusal reason);
/* The calling thread's slot, or NULL. */
struct pf_slot *pf_thread_self(void);
/* Memory for the slot's frame, if it has none yet; false if there is none.  For all threads, when the time for system
 * calls may soon be over. */
bool pf_thread_frame(struct pf_slot *slot);
void pf_thread_prepare(void);
/* Room for a floating-point state in the slot's frame; where its stack for faults is, and how large. */
uint64_t pf_thread_frame_room(void);
stack_t pf_thread_fault_stack(const struct pf_slot *slot);
/* A burst ended that took SPENT ns, in which a timer ran on: none begins in the FLOOR ns of the thread's CPU time
 * that come after, and not before a random time. */
void pf_thread_wait(struct pf_slot *slot, uint64_t spent, uint64_t floor);
/* CPU time since the last burst; what a burst stands for that begins now, as wire.h has it. */
uint64_t pf_thread_period(const struct pf_slot *slot);
uint64_t pf_thread_stands(const struct pf_slot *slot);
/* From dispatch.S, on the program's own stack: the timer or the counter has fired; is a burst due? */
int pf_thread_tick(struct pf_slot *slot, const siginfo_t *info, const ucontext_t *context);
/* ...and was, but another thread has the engine.  Is it to be tried again? */
int pf_thread_skip(struct pf_slot *slot);

#endif
