/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the nasty programs: a check that ends the program with a message, a skip, and work whose result is known,
 * so that a program that was led astray notices at once.  Hard case: a check may fail in a signal handler or in a
 * child of vfork, so that nothing here allocates or locks. */
#ifndef NASTY_H
#define NASTY_H

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NASTY_ROUNDS 5000
#define NASTY_RESULT 16951617668832585126u

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			nasty_fail(__FILE__, __LINE__, #condition);                                                    \
	} while (0)

static inline void nasty_fail(const char *file, int line, const char *text)
{
	char message[512];
	int size = snprintf(message, sizeof message, "%s:%d: not so: %s\n", file, line, text);
	if (write(2, message, (size_t)size) != size)
		_exit(3);
	_exit(1);
}

/* The number of the recorder's own signal. */
static inline int recorder_signal(void)
{
	const char *told = getenv("NASTY_SIGNAL");
	return told ? atoi(told) : SIGRTMAX - 3;
}

static inline void nasty_skip(const char *reason)
{
	printf("skip: %s\n", reason);
	fflush(stdout);
	_exit(77);
}

/* A system call that no library sees. */
static inline long inline_call(long number, long a, long b, long c, long d, long e)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}

/* Branches, arithmetic and stores, with a result that depends on each of them. */
static __attribute__((noinline, unused)) uint64_t work(uint64_t rounds)
{
	volatile uint64_t keep = 1;
	for (uint64_t i = 0; i < rounds; i++)
		keep = (keep & 1) ? keep * 33 + i : keep / 2 + 7 * i;
	return keep;
}

/* Works for MS milliseconds of the thread's CPU time.  Every piece of the work must come out right. */
static inline void busy(unsigned int ms)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < (long)ms);
}

/* Copies the file FROM to TO, which is executable then. */
static inline void nasty_copy(const char *from, const char *to)
{
	char block[65536];
	ssize_t size;
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	CHECK(in >= 0 && out >= 0);
	while ((size = read(in, block, sizeof block)) > 0)
		CHECK(write(out, block, (size_t)size) == size);
	CHECK(size == 0);
	close(in);
	close(out);
}

#endif
