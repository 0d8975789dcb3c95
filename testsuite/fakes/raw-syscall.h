/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls for stand-ins that have the name of the C library's own `syscall`. */
#ifndef PF_TESTSUITE_RAW_SYSCALL_H
#define PF_TESTSUITE_RAW_SYSCALL_H

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

/* As syscall(2); errno is set. */
static long raw(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (result < 0 && result >= -4095) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/* The arguments of CALL; the sixth lies on the stack, if it is there. */
static inline void take_arguments(long call, va_list arguments, long a[6])
{
	for (int i = 0; i < 6; i++)
		a[i] = i < 5 || call != SYS_perf_event_open ? va_arg(arguments, long) : 0;
}

#endif
