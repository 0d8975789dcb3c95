/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls without libc: no errno, no cancellation point, no lock, nothing that another preloaded library could
 * have interposed.  Each returns what the kernel returns: a negative errno on failure. */
#ifndef PF_AGENT_SYS_H
#define PF_AGENT_SYS_H

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static inline long pf_sys(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define PF_SYS0(n) pf_sys(n, 0, 0, 0, 0, 0, 0)
#define PF_SYS1(n, a) pf_sys(n, (long)(a), 0, 0, 0, 0, 0)
#define PF_SYS2(n, a, b) pf_sys(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define PF_SYS3(n, a, b, c) pf_sys(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define PF_SYS4(n, a, b, c, d) pf_sys(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/* The kernel's struct sigaction and signal set. */
struct pf_kernel_action {
	void *handler;
	uint64_t flags;
	void *restorer;
	uint64_t mask;
};

static inline long pf_sys_action(int signal, const struct pf_kernel_action *new, struct pf_kernel_action *old)
{
	return PF_SYS4(SYS_rt_sigaction, signal, new, old, 8);
}

#define PF_NO_WAY (-1) /* of changing a mask: the kernel reads NEW and refuses, or tells OLD, and changes nothing */

static inline long pf_sys_mask(int how, const uint64_t *new, uint64_t *old)
{
	return PF_SYS4(SYS_rt_sigprocmask, how, new, old, 8);
}

static inline uint64_t pf_sys_clock(int clock)
{
	struct timespec time = { 0, 0 };
	PF_SYS2(SYS_clock_gettime, clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Lets others run, on the ROUND-th look at what is waited for.  To yield is not enough for ever: a real-time thread
 * gives way to nobody of lower priority by that. */
static inline void pf_sys_relax(unsigned int round)
{
	static const struct timespec pause = { 0, 50000 };
	if (round < 100)
		PF_SYS0(SYS_sched_yield);
	else
		PF_SYS2(SYS_nanosleep, &pause, NULL);
}

static inline void *pf_sys_map(uint64_t address, size_t size, int protection, int flags, int fd)
{
	long result = pf_sys(SYS_mmap, (long)address, (long)size, protection, flags, fd, 0);
	return result < 0 && result > -4096 ? NULL : (void *)result;
}

/* Can the word at PLACE, in a mapped file, be written to?  On a full disk, where each page that was written out needs a
 * new place on some file systems, to do so would be a signal; so the kernel does first, and adds nothing to it. */
static inline bool pf_sys_can_write(void *place)
{
	return pf_sys(SYS_futex, (long)place, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, (long)place,
		      FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) != -EFAULT;
}

/* Makes it memory that is of no interest to others: no child is to have it, no core file of the program is larger for
 * it.  False: a child would have it. */
static inline bool pf_sys_seclude(void *memory, size_t size)
{
	PF_SYS3(SYS_madvise, memory, size, MADV_DONTDUMP);
	return PF_SYS3(SYS_madvise, memory, size, MADV_DONTFORK) == 0;
}

#endif
