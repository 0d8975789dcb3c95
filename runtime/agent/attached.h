/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder outside and the agent that it puts into a running process know of each other: the entries that the
 * recorder calls, in a thread of the process that it holds still, and the words that it fills in before.  The image is
 * mapped and relocated from outside, so no code of the program's, and none of its libraries', has a part in this.  Its
 * ELF entry is the address of the structure. */
#ifndef PF_AGENT_ATTACHED_H
#define PF_AGENT_ATTACHED_H

#include <stdint.h>

#define PF_ATTACHED_AUXILIARY 64 /* entries of the auxiliary vector */
#define PF_ATTACHED_TOKEN 16
#define PF_ATTACHED_SCRATCH 1024

/* How a thread goes on by itself if the recorder that holds it dies, and by which signal it tells that a call has
 * ended: one that is ignored.  As visit.S takes it. */
struct pf_attached_parting {
	uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, pc, flags, sp, mask;
	uint32_t signal, zero;
};

struct pf_attached {
	uint8_t token[PF_ATTACHED_TOKEN]; /* random: tells this image from all other memory, in children too */
	/* The recorder outside fills in: */
	uint64_t control; /* where the recording's control page is mapped */
	uint64_t debug;   /* where the loader's struct r_debug is */
	uint64_t name;    /* the process's number as the recorder sees it */
	uint64_t auxiliary[PF_ATTACHED_AUXILIARY][2];
	uint8_t scratch[PF_ATTACHED_SCRATCH]; /* its own, for arguments of system calls */
	/* Addresses in the image: */
	const void *exe;          /* char[4096]: the program's path */
	const void *process;      /* its first word is not 0 while a burst is under way */
	const void *enter;        /* where a call begins: the function in rax, its argument in rdi */
	const void *landed;       /* where it has ended: in a stop for a signal, the result in rbx */
	const void *parting;      /* struct pf_attached_parting */
	long (*begin)(void);      /* the process is to be recorded; enum pf_refusal */
	long (*adopt)(long name); /* and the calling thread; enum pf_refusal, or PF_ATTACHED_OVER */
	long (*leave)(void);      /* takes timers and handlers away; 0, or PF_ATTACHED_BUSY: to be called again */
	long (*free)(void);       /* and memory, once no thread is in the image */
};

#define PF_ATTACHED_OVER (-1)
#define PF_ATTACHED_BUSY (-2)

#endif
