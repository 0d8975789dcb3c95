/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls for stand-ins that have the name of the C library's own `syscall`. */
#ifndef PF_TESTSUITE_RAW_SYSCALL_H
#define PF_TESTSUITE_RAW_SYSCALL_H

#include <errno.h>

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

#endif
