/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One thread of a running process, held still for the moment in which it makes system calls and calls for the recorder,
 * and let go as it was found. */
#ifndef PF_RUNTIME_TRACEE_H
#define PF_RUNTIME_TRACEE_H

#include "runtime/agent/attached.h"
#include "runtime/procfs.h"
#include "support/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct pf_tracee {
	pid_t pid, tid;
	struct user_regs_struct before; /* registers, as the thread was found */
	uint64_t mask;                  /* of signals, as it was found */
	uint64_t parting_mask;          /* what it goes with: the same, or what the caller has set */
	bool held;                      /* it has been stopped */
	bool entered;                   /* it has run for us */
	bool plain;                     /* it is in a stop from which it can be let go */
	bool running;                   /* it was let go to a stop that has not come yet */
	bool leaving;                   /* it is given its registers, however long that takes */
	bool dispatched; /* its system calls are its program's own to catch: it must not be made to do any */
	bool stop;       /* somebody stopped it (SIGSTOP) meanwhile: passed on at the end */
};

/* The places of calls in the process whose /proc/PID/mem is MEMORY; PARTING: struct pf_attached_parting. */
struct pf_tracee_visit {
	int memory;
	uint64_t enter, landed, parting;
};

/* Can the thread be interrupted here so that nothing of it shows?  A wait that the kernel does not begin again by
 * itself, and that has an end, would return early (epoll_wait with a timeout: EINTR); so would a call that has done a
 * part of its work (a write to a pipe that is full). */
bool pf_tracee_is_calm(const struct pf_proc_place *place);

/* Attaches to thread TID of PID and stops it.  PF_ENOTFOUND: it is gone, or another process has its number by now, or
 * it is a worker of the kernel's, whose work for the program would be interrupted;
 * PF_EUNSUPPORTED: it may not be attached to, or is traced already, with the cure; PF_EIO: it has waited in the kernel
 * for a second (an unfinished vfork, a disk that does not answer), see pf_tracee_sweep.  That it gets no processor is
 * waited for. */
int pf_tracee_hold(struct pf_tracee *t, pid_t pid, pid_t tid, struct pf_error *error);

/* Is it at a place where it may run something else first?  Not inside a restartable sequence, which would be torn. */
bool pf_tracee_is_whole(const struct pf_tracee *t, int memory);

/* Makes it do a system call, at the syscall instruction at GATE, with no signal delivered meanwhile; *RESULT is what
 * the kernel returns.  PF_ENOTFOUND: it is gone; PF_EIO: what it was made to do before has not ended, or it
 * sleeps on, as in a control group that is frozen. */
int pf_tracee_syscall(struct pf_tracee *t, uint64_t gate, long number, const uint64_t arguments[6], int64_t *result,
		      struct pf_error *error);

/* Makes it go to visit->enter with FUNCTION in rax and ARGUMENT in rdi, until it gets a signal at visit->landed;
 * *RESULT is rbx then.  If this program is killed meanwhile the thread goes on by what it finds at visit->parting.
 * PF_ENOTFOUND: it is gone; PF_EINTERNAL: it met a fault on the way; PF_EIO: it has not come there in a second of its
 * CPU time, or sleeps on. */
int pf_tracee_call(struct pf_tracee *t, const struct pf_tracee_visit *visit, uint64_t function, uint64_t argument,
		   int64_t *result, struct pf_error *error);

/* Gives it its registers and t->parting_mask and lets it go; a system call that it was in goes on.  Also for one that
 * is gone. */
void pf_tracee_release(struct pf_tracee *t);

/* Lets go of threads that have stopped after nobody waited for them any more.  True: there may be some that have not
 * stopped yet. */
bool pf_tracee_sweep(void);

#endif
