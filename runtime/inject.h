/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent in one running process: put there, given threads to record, and withdrawn.  Between two calls no thread of
 * the process is held. */
#ifndef PF_RUNTIME_INJECT_H
#define PF_RUNTIME_INJECT_H

#include "runtime/agent/attached.h"
#include "runtime/agent/wire.h"
#include "runtime/tracee.h"

#define PF_INJECT_SIGNAL_BIT (1ull << 60) /* the timer's, SIGRTMAX-3, in a mask */

struct pf_injection {
	pid_t pid;
	int memory, handle;       /* /proc/PID/mem and a pidfd; -1 */
	uint64_t image;           /* of the program that this was opened for: pf_procfs_image */
	uint64_t gate;            /* a syscall instruction of the process's own */
	bool there;               /* the image is, in part at least */
	uint64_t base, size;      /* of the image */
	uint64_t words, control;  /* addresses in the process; 0: nothing is there yet */
	struct pf_attached entry; /* the image's words, as they were filled in */
	bool begun;               /* the process has been told that it is to be recorded */
};

/* Opens what is needed of process PID and changes nothing.  PF_ENOTFOUND, PF_EUNSUPPORTED: it may not be attached to,
 * or has no dynamic loader's list, and the cure.  PF_EINVAL: its loader has not made the list yet: try again later.
 * INJECTION is the caller's, to pf_inject_close, also on failure. */
int pf_inject_open(struct pf_injection *injection, pid_t pid, struct pf_error *error);
/* Leaves whatever is in the process as it is. */
void pf_inject_close(struct pf_injection *injection);

/* Is what was opened still the process's?  Not when it has executed another program. */
bool pf_inject_is_current(const struct pf_injection *injection);

/* INJECTION, open and empty, is an heir of PARENT. */
void pf_inject_inherit(struct pf_injection *injection, const struct pf_injection *parent);
/* Does the process still hold its image?  Not when it has executed another program. */
bool pf_inject_is_there(const struct pf_injection *injection);
/* Does the process whose /proc/PID/mem is MEMORY hold a copy of this image, as a child by fork?  A child of vfork,
 * which runs in its parent's memory, does not. */
bool pf_inject_is_heir(const struct pf_injection *injection, int memory);

/* Records thread TID into the session's file FILE from now on, after the image has been put into the process if it is
 * not there, with the program's path EXE.  *REFUSAL: enum pf_refusal of the thread, or, with injection->begun still
 * false, of the process.  *BLOCKED: the thread's mask if the signal was blocked in it, and no longer is; else 0.
 * PF_ENOTFOUND: it is gone; PF_EUNSUPPORTED, PF_EIO, PF_ENOMEM with the process as it was.  PF_EINVAL: nothing is
 * wrong, but it was not to be caught at a fit place, or runs another program by now: try again later. */
int pf_inject_adopt(struct pf_injection *injection, pid_t tid, int file, const char *exe, enum pf_refusal *refusal,
		    uint64_t *blocked, struct pf_error *error);

/* Blocks the signal in thread TID again, unless the thread has another mask than MASK by now, which it has chosen
 * since.
 */
void pf_inject_block(struct pf_injection *injection, pid_t tid, uint64_t mask);

/* Takes all out of the process.  PF_ENOTFOUND: it is gone, or holds nothing; PF_EIO: some thread was not to be caught
 * outside of the image within seconds, so memory is left there, of no effect. */
int pf_inject_withdraw(struct pf_injection *injection, struct pf_error *error);

#endif
