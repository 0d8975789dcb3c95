/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder has in this process.  It lies on a page of its own that the kernel clears in every child, however
 * the child was made (fork, _Fork, a bare clone): a child begins with nothing held, nothing armed and nothing set up,
 * and only fork's handlers start it anew.  A child of vfork shares the page and has another process id than PID says.
 */
#ifndef PF_AGENT_PROCESS_H
#define PF_AGENT_PROCESS_H

#include "runtime/agent/offsets.h"
#include "runtime/agent/sys.h"
#include "runtime/agent/thinning.h"
#include "runtime/agent/wire.h"
#include "runtime/agent/young.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#define PF_LEAST_ADDRESS_SPACE (8ull << 30) /* under a smaller limit the program needs what there is */
#define PF_LEAST_PENDING 1024u              /* likewise of signals: a timer takes the place of one, a counter none */
#define PF_SHARE_OF_PENDING 4               /* timers have no more than one of so many places */

struct pf_engine;

struct pf_process {
	_Atomic uint32_t lock;          /* whoever holds it may burst, set up or take down; first: dispatch.S */
	int pid;                        /* 0: the recorder does not run here */
	bool armed;                     /* from taking the lock for a burst to its end: see sent.c */
	bool shut;                      /* for good: see pf_process_shut */
	bool quiet;                     /* no system call that can be left out is made: see pf_process_prepare */
	struct pf_engine *engine;       /* NULL until the first burst */
	_Atomic uint64_t steps, unseen; /* of a whole run; here, as who counts does not hold the lock: see wire.h */
	_Atomic uint32_t waiting;       /* threads of a whole run, for the lock */
	_Atomic uint32_t turns;         /* bursts that have ended */
	_Atomic bool asked;             /* somebody waits for the burst of a whole run to end */
	struct pf_young young;          /* has it bursts already? */
	uint64_t kept;                  /* signals that came in the burst: see sent.c */
};

_Static_assert(offsetof(struct pf_process, lock) == 0, "dispatch.S takes the lock at the front");
_Static_assert(offsetof(struct pf_process, armed) == PF_O_ARMED, "dispatch.S arms the process");

extern struct pf_process pf_process;
extern struct pf_control *pf_control;        /* NULL: nothing is recorded; the child of a fork has it too */
extern struct pf_command pf_process_command; /* what this image of the program was executed as; known while it can be
						brief */
extern bool pf_process_barred;               /* no child is to be recorded; a child knows it, too */
extern uint64_t pf_process_places;           /* of waiting signals, for timers */
extern bool pf_process_crowded;              /* each timer would be a signal less for the program; likewise */

/* Records into CONTROL, with the settings that it holds now.  False: they cannot be; who else has the recording's file
 * may have written them. */
bool pf_process_configure(struct pf_control *control);
/* Has the kernel clear the process's page in every child; false if it does not. */
bool pf_process_separate(void);

/* Does the recorder run in the calling process (which a child of vfork is not)? */
bool pf_process_is_mine(void);
/* Takes the lock outside of a signal handler, with all signals blocked; BEFORE is the mask to give back.  False if the
 * lock was not free for a second: a burst can wait for a page of memory that only another thread can bring, and that
 * thread must not wait for the burst. */
bool pf_process_take(uint64_t *before);
void pf_process_give(uint64_t before);
/* A filter of system calls may be coming, by a bare system call: makes the engine now, and bursts quiet from here on.
 */
void pf_process_prepare(void);
/* The program has used time, or has threads or children, or becomes another: it is no short command (thinning.c). */
void pf_process_lasts(void);
/* Takes the recorder out of the process for good: no timer, no handler of its own for faults, no memory; the reason is
 * counted.  Nothing happens in a process that is not ours. */
void pf_process_shut(enum pf_refusal reason);
/* The same for who holds the lock. */
void pf_process_shut_locked(enum pf_refusal reason);
/* The same where a filter may be there by now: nothing is recorded any more, and what there is stays where it is. */
void pf_process_rest(enum pf_refusal reason);
/* Few signals may wait here from now on: leaves the program the places that timers have, and with them the process,
 * unless it has counters, which need none. */
void pf_process_crowd(void);

/* policy.c: may the recorder run in this process?  Asked at the start of a program. */
enum pf_refusal pf_policy_process(const struct pf_control *control);
/* Asked again when a burst is about to set up, since limits and watchers may have come. */
enum pf_refusal pf_policy_setup(void);
/* May a burst start from here?  Asked each time, without a system call. */
enum pf_refusal pf_policy_burst(const ucontext_t *context);

#endif
